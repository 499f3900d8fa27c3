"""What is said once stays so: each row of the table "One of each" in docs/how-it-is-built.md has no second definition.

Heaps and outcomes of kernels are in tests/kernels/test_one_definition.py, loops of breadth-first search in
tests/kernels/test_distances.py.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "wayfolk"
PAGE = (ROOT / "docs" / "how-it-is-built.md").read_text(encoding="utf-8").split("## One of each")[1].split("\n## ")[0]
TEXTS = {str(file.relative_to(SOURCE)): file.read_text(encoding="utf-8") for file in sorted(SOURCE.rglob("*.py"))}
TREES = {name: ast.parse(text) for name, text in TEXTS.items()}
OPEN_LISTS = {
    "heapq": {"heappop"},
    "wayfolk.kernels.heap": {"pop", "remove"},
    "wayfolk.kernels.field_store": {"pop"},
    "wayfolk.kernels.queues": {"take"},
}
"""The modules of open lists, and the functions by which the next node of a search leaves one."""
NO_SEARCHES = {
    "algorithms/controllers/rwt/controller.py": "agents in the order in which they plan",
    "algorithms/memory.py": "plain Python, which checks saved searches",
    "algorithms/planners/_cbs/search.py": "the tree of constraints, a part of the algorithm",
    "algorithms/planners/eecbs/lists.py": "the tree of constraints, a part of the algorithm",
    "contracts/reference.py": "the slow twins of searches",
    "kernels/best_first.py": "the one loop itself",
    "simulation/event_queue.py": "events in the order of their times",
}
"""What else takes from open lists."""
pytestmark = pytest.mark.plain


def files_with(pattern: str) -> set[str]:
    return {name for name, text in TEXTS.items() if re.search(pattern, text)}


def imports(name: str) -> set[str]:
    """Everything that a module imports from others, written `module.name`."""
    found = set()
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def takes_from_open_list(tree: ast.Module) -> bool:
    """Whether the module calls a function by which a node leaves an open list."""
    functions, modules = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {alias.name: alias.asname or alias.name for alias in node.names}
            functions |= {there for name, there in names.items() if name in OPEN_LISTS.get(node.module, ())}
            modules |= {there: f"{node.module}.{name}" for name, there in names.items()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in functions:
                return True
            if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
                if called.attr in OPEN_LISTS.get(modules.get(called.value.id, ""), ()):
                    return True
    return False


def rows(title: str) -> list[list[str]]:
    """The cells of the table on the page whose header begins with `title`."""
    table = PAGE.split(f"| {title} |")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def file_of(place: str) -> str:
    """The file of a module as the page writes it; families of algorithms may be written without their folder."""
    found = [f"{folder}{place}{end}" for folder in ("", "algorithms/") for end in (".py", "/__init__.py")]
    return next(name for name in found if name in TEXTS)


def test_each_place_of_the_table_is_there():
    places = [re.findall(r"[a-z_]+/[a-z_/]+", row[1])[0] for row in rows("thing")]
    assert len(places) == 10
    assert all(file_of(place) for place in places)


def test_one_pibt_serves_controllers_and_planners():
    """The three algorithms register their rules with the one step, and read the one rule of swaps."""
    registering = files_with(r"(?m)^pushes\(")
    assert {name.split("/")[-2] for name in registering} == {"pibt", "lacam", "sdp"}
    assert files_with(r"def pushes\(") == {"algorithms/priority_inheritance.py"}
    swapping = {name for name in TEXTS if any("position_swap." in one for one in imports(name))}
    assert {name.split("/")[-2] for name in swapping} >= {"pibt", "lacam"}
    assert files_with(r"def partner_of\(") == {"algorithms/position_swap.py"}


def test_searches_with_a_loop_of_their_own_say_why_they_are_not_rules_of_the_one_loop():
    own = {name for name, tree in TREES.items() if takes_from_open_list(tree)} - NO_SEARCHES.keys()
    said = {file_of(row[0]): row[1] for row in rows("module")}
    assert own == said.keys()
    assert all(len(why) > 20 or why.startswith("as ") for why in said.values())


def test_what_is_no_search_still_takes_from_an_open_list():
    assert all(takes_from_open_list(TREES[name]) for name in NO_SEARCHES)


def test_rules_of_the_best_first_loop_bring_no_loop():
    """A module that registers a rule leaves the open list to the one loop."""
    registering = files_with(r"(?m)^searching\(") - {"kernels/best_first.py"}
    assert len(registering) >= 2
    assert not [name for name in registering if takes_from_open_list(TREES[name])]


def test_hash_tables_share_one_mix():
    """The other users of these constants draw random numbers."""
    assert files_with(r"0x9E3779B97F4A7C15|11400714819323198485") == {
        "kernels/table.py", "kernels/random.py", "kernels/bodies/steering.py",
    }  # fmt: skip


def test_linear_probing_is_in_one_file():
    """Blocks of a pool, one for each agent, are probed where they lie: `find` needs a table that is a whole array."""
    probing = r"\b(\w+) = \(\1 \+ (?:1|np\.uint64\(1\))\) & "
    assert files_with(probing) == {
        "kernels/table.py", "algorithms/controllers/bmaa/tiles.py", "algorithms/planners/lacam/pibt.py",
    }  # fmt: skip


def test_jump_points_are_pruned_by_one_table():
    """Which moves are natural and which are forced is worked out once, and where runs stop."""
    assert files_with(r"(?m)^NATURAL\b.* = ") == {"kernels/jumps/pruning.py"}
    assert files_with(r"(?m)^def update_stops\(") == {"kernels/jumps/stops.py"}


def test_one_search_for_jump_points_on_whole_maps():
    """`find_path` with `jps` is the task of A*, with tables of jumps in place of the graph."""
    bases = {
        ast.unparse(base)
        for name in ("algorithms/search/jps/__init__.py", "algorithms/search/_jump_points.py")
        for node in TREES[name].body
        if isinstance(node, ast.ClassDef)
        for base in node.bases
    }
    assert bases == {"BestFirst", "NamedTuple"}


def test_distances_back_from_goals_are_searched_in_one_file_for_each_kind():
    """In steps by breadth-first search, with costs by A* in a bounded store; PIBT packs the latter in four bits."""
    users = {name for name in TEXTS if any("kernels.field_store." in one for one in imports(name))}
    kinds = {"kernels/rra.py", "algorithms/controllers/pibt/equal.py", "algorithms/controllers/pibt/fields.py"}
    assert {name for name in users if takes_from_open_list(TREES[name])} == kinds - {
        "algorithms/controllers/pibt/fields.py"
    }
    assert kinds <= users
    assert files_with(r"class StepFields\b") == {"kernels/distances.py"}
    assert files_with(r"StepFields\(") - {"kernels/distances.py"} == {"world/spots.py"}


def test_planners_are_refused_problems_in_one_place():
    raising = r"raise \w+\([^)]*(one goal each|one goal for each agent)"
    assert {name for name in files_with(raising) if name.startswith("algorithms/")} == {"algorithms/refusals.py"}


def test_diagrams_of_planners_are_built_in_one_file():
    """Only the builder of a decision diagram leaves out cells from which the goal is too far for what is left of a cost."""
    too_far = {
        name for name in files_with(r"distance\[.*> (cost|most)\b|> (cost|most)( - \w+)? or ") if "/planners/" in name
    }
    assert too_far == {"algorithms/planners/_cbs/mdd.py"}
    assert "_cbs.mdd import build" in TEXTS["algorithms/planners/icts/diagrams.py"]


def test_scenes_with_and_without_a_street_are_read_and_run_by_one_pair():
    assert files_with(r"(?m)^def read_scene\(") == {"simulation/scene/reader.py"}
    streets = {name for name in TEXTS if any(one.endswith("street_reader.read_street") for one in imports(name))}
    assert streets == {"simulation/scene/reader.py"}
    assert files_with(r"(?m)^def (run_scene|play_scene|play_street|play)\(") - {"cli/play.py"} == {
        "simulation/scene/run.py"
    }
