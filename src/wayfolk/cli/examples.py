"""Two examples for each verb, which its `--help` and the docs show. Tests run them in an empty folder."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, str]] = {
    "demo": ("wayfolk demo", "wayfolk demo --agents 200 --loops 3 --html crowd.html"),
    "list": ("wayfolk list controllers", "wayfolk list whca"),
    "path": (
        "wayfolk path rooms --from 2,2 --to 29,29 --with jps",
        "wayfolk path rooms --scen rooms --json",
    ),
    "solve": (
        "wayfolk solve rooms --scen rooms --agents 40 --html plan.html",
        "wayfolk solve rooms --random 60 --seed 1 --with lacam --save plan.json",
    ),
    "run": (
        "wayfolk run changing-map --html run.html",
        "wayfolk run rooms --random 40 --with pibt --until 300 --save run.csv",
    ),
    "play": ("wayfolk play rooms", "wayfolk play jansen-c --agents 100 --with direction_map --with whca"),
    "compare": (
        "wayfolk compare rooms --agents 60 --with whca,pibt,lacam --seeds 3",
        "wayfolk compare rooms --agents 40 --with pibt,whca --lifelong --steps 500 --html report.html",
    ),
    "advise": (
        "wayfolk advise rooms --agents 60",
        "wayfolk advise rooms --agents 60 --step-ms 5 --changing",
    ),
    "check": ("wayfolk check plan.json", "wayfolk check plan.txt --map rooms --json"),
    "convert": (
        "wayfolk convert plan.json plan.txt",
        "wayfolk convert plan.txt planviz.json --map rooms --format planviz",
    ),
    "execute": ("wayfolk execute plan.json --delay 0.1", "wayfolk execute plan.json --delay 0 --save shorter.json"),
    "check-algorithm": ("wayfolk check-algorithm pibt", "wayfolk check-algorithm search/astar --json"),
    "warm": ("wayfolk warm", "wayfolk warm astar whca --json"),
    "sweep": (
        "wayfolk sweep smoke --store runs.duckdb",
        'wayfolk sweep --store runs.duckdb --sql "SELECT algorithm, count(*) FROM runs GROUP BY algorithm"',
    ),
    "again": ("wayfolk again 3f2a91c0 --store runs.duckdb", "wayfolk again 3f2a91c0 --replace --json"),
    "report": ("wayfolk report runs.duckdb", "wayfolk report runs.duckdb --html smoke.html"),
    "reproduce": ("wayfolk reproduce jansen 4.5 --quick", "wayfolk reproduce bmaa --quick --json"),
    "brain list": ("wayfolk brain list", "wayfolk brain list --json"),
    "brain show": (
        "wayfolk brain show hurried --svg hurried.svg",
        "wayfolk brain show car --mermaid",
    ),
    "maps list": ("wayfolk maps list", "wayfolk maps list --json"),
    "maps make": (
        "wayfolk maps make warehouse hall.map --columns 4 --rows 6 --shelf 8x2",
        "wayfolk maps make scenario hall.scen --map hall.map --agents 50 --seed 1",
    ),
    "maps show": (
        "wayfolk maps show rooms",
        "wayfolk maps show rooms --svg rooms.svg",
    ),
    "maps scale": (
        "wayfolk maps scale rooms large.map --width 64 --height 64",
        "wayfolk maps scale rooms small.map --width 16 --height 16 --no-islands",
    ),
    "maps convert": (
        "wayfolk maps convert rooms rooms.png",
        "wayfolk maps convert rooms.png rooms.map",
    ),
    "maps info": ("wayfolk maps info rooms", "wayfolk maps info rooms --json"),
    "maps get": ("wayfolk maps get mapf", "wayfolk maps get dao --json"),
}


GROUPS = {
    "": ("wayfolk demo", "wayfolk solve rooms --random 40 --html plan.html"),
    "brain": EXAMPLES["brain show"],
    "maps": EXAMPLES["maps make"],
}
"""Examples for the help of verbs that have verbs of their own."""


def epilog(verb: str) -> str | None:
    """The examples as the last paragraph of a help page, one in each line; none for a verb that is not ours."""
    lines = (GROUPS | EXAMPLES).get(verb)
    return None if lines is None else "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
