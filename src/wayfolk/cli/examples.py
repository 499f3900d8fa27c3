"""Two examples for each verb, which its `--help` and the docs show. Tests parse all of them."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, str]] = {
    "demo": ("wayfolk demo", "wayfolk demo --agents 200 --loops 3 --html crowd.html"),
    "list": ("wayfolk list controllers", "wayfolk list whca"),
    "path": (
        "wayfolk path maps/rooms-32.map --from 2,2 --to 29,29 --with jps",
        "wayfolk path maps/rooms-32.map --scen maps/rooms-32.scen --json",
    ),
    "solve": (
        "wayfolk solve maps/rooms-32.map --scen maps/rooms-32.scen --agents 40 --html plan.html",
        "wayfolk solve maps/rooms-32.map --random 60 --seed 1 --with lacam --save plan.json",
    ),
    "run": (
        "wayfolk run examples/changing-map.toml --html run.html",
        "wayfolk run maps/rooms-32.map --random 40 --with pibt --until 300 --save run.csv",
    ),
    "play": ("wayfolk play maps/rooms-32.map", "wayfolk play thesis-c --agents 100 --with direction_map --with whca"),
    "compare": (
        "wayfolk compare maps/rooms-32.map --agents 60 --with whca,pibt,lacam --seeds 3",
        "wayfolk compare maps/rooms-32.map --agents 40 --with pibt,whca --lifelong --steps 500 --html report.html",
    ),
    "advise": (
        "wayfolk advise maps/rooms-32.map --agents 60",
        "wayfolk advise maps/rooms-32.map --agents 60 --step-ms 5 --changing",
    ),
    "check": ("wayfolk check plan.json", "wayfolk check plan.txt --map maps/rooms-32.map --json"),
    "convert": (
        "wayfolk convert plan.json planviz.json --format planviz",
        "wayfolk convert plan.txt plan.json --map maps/rooms-32.map",
    ),
    "execute": ("wayfolk execute plan.json --delay 0.1", "wayfolk execute plan.json --delay 0 --save shorter.json"),
    "check-algorithm": ("wayfolk check-algorithm pibt", "wayfolk check-algorithm my_planner:begin --json"),
    "warm": ("wayfolk warm", "wayfolk warm --json"),
    "sweep": (
        "wayfolk sweep benchmarks/smoke.toml --store runs.duckdb",
        'wayfolk sweep --store runs.duckdb --sql "SELECT algorithm, count(*) FROM runs GROUP BY algorithm"',
    ),
    "again": ("wayfolk again 3f2a91c0 --store runs.duckdb", "wayfolk again 3f2a91c0 --replace --json"),
    "report": ("wayfolk report runs.duckdb", "wayfolk report runs.duckdb --html smoke.html"),
    "reproduce": ("wayfolk reproduce jansen 4.5 --quick", "wayfolk reproduce bmaa --quick --json"),
    "brain list": ("wayfolk brain list", "wayfolk brain list --json"),
    "brain show": (
        "wayfolk brain show hurried --svg hurried.svg",
        "wayfolk brain show examples/shy.py --mermaid",
    ),
    "maps make": (
        "wayfolk maps make warehouse hall.map --columns 4 --rows 6 --shelf 8x2",
        "wayfolk maps make scenario hall.scen --map hall.map --agents 50 --seed 1",
    ),
    "maps show": ("wayfolk maps show maps/rooms-32.map", "wayfolk maps show maps/rooms-32.map --columns 20"),
    "maps scale": (
        "wayfolk maps scale maps/rooms-32.map large.map --width 64 --height 64",
        "wayfolk maps scale maps/rooms-32.map small.map --width 16 --height 16 --no-islands",
    ),
    "maps convert": (
        "wayfolk maps convert maps/rooms-32.map rooms.png",
        "wayfolk maps convert rooms.png rooms.map",
    ),
    "maps info": ("wayfolk maps info maps/rooms-32.map", "wayfolk maps info maps/rooms-32.map --json"),
    "maps get": ("wayfolk maps get mapf", "wayfolk maps get dao --json"),
}


GROUPS = {
    "": ("wayfolk demo", "wayfolk solve maps/rooms-32.map --random 40 --html plan.html"),
    "brain": EXAMPLES["brain show"],
    "maps": EXAMPLES["maps make"],
}
"""Examples for the help of verbs that have verbs of their own."""


def epilog(verb: str) -> str | None:
    """The examples as the last paragraph of a help page, one in each line; none for a verb that is not ours."""
    lines = (GROUPS | EXAMPLES).get(verb)
    return None if lines is None else "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
