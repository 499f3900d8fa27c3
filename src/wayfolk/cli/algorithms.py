"""The verbs about the algorithms themselves: list, check-algorithm, warm and demo."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wayfolk.algorithms.entry import GRID, WHERE
from wayfolk.cli.parts import Json, Seed, must_be_replay, names_of_algorithms, print_json, table_console
from wayfolk.cli.progress import bar, spinner
from wayfolk.errors import BadInput, hint
from wayfolk.machine import n_cores

if TYPE_CHECKING:
    from wayfolk.algorithms.catalogue import Entry
    from wayfolk.algorithms.options import Option

VERDICTS = {True: "holds", False: "BROKEN", None: "-"}


def list_algorithms(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="FAMILY|NAME",
            help="search, realtime, planners, controllers or crowds; or one algorithm, which is then explained.",
            autocompletion=names_of_algorithms("search", "realtime", "planners", "controllers", "crowds"),
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List all algorithms, or explain one.

    A family, or all of them, is listed with facts and options. One algorithm is explained: what it guarantees, its
    deviations from the paper, and each of its options.
    """
    from wayfolk.algorithms import catalogue

    is_family = name is None or name in catalogue.FAMILIES
    if is_family:
        listed = catalogue.entries(name) + catalogue.added(name)
    else:
        listed = _called(str(name))
    for complaint in catalogue.complaints():
        print(f"wayfolk: {complaint}", file=sys.stderr)
    if as_json:
        print_json([entry.as_dict() for entry in listed])
        return
    if not is_family:
        for k, entry in enumerate(listed):
            print(("\n" if k else "") + "\n".join(_explained(entry)))
        return
    for folder in [folder for folder in catalogue.FAMILIES if any(entry.family == folder for entry in listed)]:
        print(f"{folder}: {catalogue.FAMILIES[folder]}")
        for entry in (e for e in listed if e.family == folder):
            facts = [fact.lower() for fact in ("OPTIMAL", "COMPLETE") if entry.facts.get(fact)]
            if folder in ("planners", "controllers") and entry.worlds != GRID:
                facts.append(WHERE[entry.worlds])
            facts += [f"from {entry.package}"] if entry.package else []
            print(f"  {entry.name}  {entry.title}" + (f" [{', '.join(facts)}]" if facts else ""))
            for option in entry.options:
                print(f"    {option.name}={_values(option)}{_about(option)}")


def _called(name: str) -> list[Entry]:
    """The algorithms of that name, of which two families can have one each."""
    from wayfolk.algorithms import catalogue

    if ":" not in name and "/" not in name:
        wanted = name.lower().replace("-", "_")
        listed = catalogue.entries() + catalogue.added()
        found = [entry for entry in listed if entry.name == wanted]
        if found:
            return found
        known = [*catalogue.FAMILIES, *(entry.name for entry in listed)]
        if wanted not in known and wanted not in catalogue.points():
            raise BadInput(f"there is no family and no algorithm {name!r}{hint(wanted, known)}")
    return [catalogue.find(name)]


def _explained(entry: Entry) -> Iterator[str]:
    """All there is to know about one algorithm, line by line."""
    facts = [fact.lower() for fact in ("OPTIMAL", "COMPLETE", "ANYTIME") if entry.facts.get(fact) is True]
    yield f"{entry.name}, of the family {entry.family}" + (f": {', '.join(facts)}" if facts else "")
    if entry.family != "crowds":
        yield f"for {WHERE[entry.worlds]}"
    if entry.package:
        yield f"from the package {entry.package}"
    yield ""
    yield entry.doc
    yield ""
    if not entry.options:
        yield "It has no options."
        return
    yield "Options:"
    width = max(len(option.name) for option in entry.options)
    for option in entry.options:
        yield f"  {option.name:<{width}}  {option.meaning or '-'}"
        details = [f"default {option.default}"]
        details += [f"one of {', '.join(map(str, option.choices))}"] if option.choices else []
        details += [str(option.range)] if option.range is not None else []
        yield f"  {'':<{width}}  {'; '.join(details)}"
    yield ""
    verb = "path MAP --from X,Y --to X,Y" if entry.family in ("search", "realtime") else "solve MAP --random N"
    first = entry.options[0]
    yield f"Use it: wayfolk {verb} --with {entry.name} --opt {first.name}={first.default}"


def _values(option: Option) -> str:
    """The default of an option, and its other choices."""
    return "|".join(dict.fromkeys(map(str, (option.default, *option.choices))))


def _about(option: Option) -> str:
    """The meaning of an option, and its range."""
    span = f" ({option.range})" if option.range is not None else ""
    return f"  {option.meaning}{span}" if option.meaning else f" {span}" if span else ""


def check_algorithm(
    algorithm: Annotated[str, typer.Argument(metavar="NAME", help="A name of `wayfolk list`, or module:begin.")],
    as_json: Json = False,
) -> None:
    """Check that an algorithm keeps the contract of its family.

    Run it before you publish an algorithm. Exit code 1 if a promised property does not hold.
    """
    from wayfolk.algorithms.catalogue import find

    entry = find(algorithm)
    from wayfolk.contracts import FAMILIES, run_checks

    verdicts = list(bar("checks")(run_checks(entry), len(FAMILIES[entry.family])))
    broken = [verdict for verdict in verdicts if verdict.holds is False]
    if as_json:
        checks = [verdict.as_dict() for verdict in verdicts]
        print_json({"algorithm": entry.name, "family": entry.family, "holds": not broken, "checks": checks})
    else:
        print(f"{entry.name}, of the family {entry.family}")
        for verdict in verdicts:
            print(f"  {VERDICTS[verdict.holds]:<6}  {verdict.name}" + (f": {verdict.detail}" if verdict.detail else ""))
        for verdict in [verdict for verdict in broken if verdict.world][:1]:
            print(f"\n{verdict.name}: not in this world\n{verdict.world}\n")
        verb = "does" if len(broken) == 1 else "do"
        print(f"{len(broken)} of {len(verdicts)} checks {verb} not hold" if broken else "all that is promised holds")
    raise typer.Exit(1 if broken else 0)


def warm(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="The algorithms to compile, all by default.",
            autocompletion=names_of_algorithms("search", "realtime", "planners", "controllers", "crowds"),
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile algorithms now, so that no later run has to."""
    from wayfolk.cli.warm import warm_all

    began = time.perf_counter()
    ready = warm_all(names or [], bar("compiling"))
    answer = {"algorithms": len(ready), "seconds": time.perf_counter() - began}
    if as_json:
        print_json(answer)
    else:
        what = ready[0] if len(ready) == 1 else f"{len(ready)} algorithms"
        print(
            f"{what} {'is' if len(ready) == 1 else 'are'} ready after {answer['seconds']:.1f} s, on {n_cores()} cores"
        )


def demo(
    out: Annotated[Path, typer.Option("--html", "--out", help="File of the replay.")] = Path("demo.html"),
    agents: Annotated[int, typer.Option(help="Number of agents.")] = 100,
    loops: Annotated[int, typer.Option(help="Number of times that each agent goes there and back.")] = 5,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Show LRA*, direction maps and WHCA* side by side."""
    must_be_replay(out)
    from wayfolk.cli.demo import run_demo

    with spinner(f"{agents} agents patrol; the first run compiles"):
        answer = run_demo(agents, loops, seed, out)
    if as_json:
        print_json(answer)
    else:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        columns = {"time": 1, "distance": 1, "collisions": 1, "coherence": 2, "seconds": 1}  # digits behind the point
        title = f"{agents} agents, {loops} loops, map jansen-c"
        table = Table("algorithm", "status", title=title, box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for name in columns:
            table.add_column(name, justify="right")
        for row in answer["rows"]:
            numbers = (f"{row[name]:,.{digits}f}" for name, digits in columns.items())
            table.add_row(row["algorithm"], row["status"], *numbers)
        table_console().print(table)
        print("distance and collisions are means over agents and loops")
        print("coherence is how well the directions of neighbouring cells agree, from 0 to 1")
        print(f"open {out} in a browser to watch them, or change the world while they walk:")
        chosen = f" --seed {seed}" if seed else ""
        print(f"wayfolk play jansen-c --agents {agents}{chosen} --with lra --with direction_map --with whca")
    raise typer.Exit(0 if all(row["status"] == "solved" for row in answer["rows"]) else 1)
