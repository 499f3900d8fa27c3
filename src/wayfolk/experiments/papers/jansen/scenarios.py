"""Who patrols where: the scenarios of the thesis where they are found, else agents that are drawn by the same rule."""

from __future__ import annotations

from functools import cache

from wayfolk.errors import Missing
from wayfolk.experiments.papers.tables import Row
from wayfolk.experiments.sweeps.job import file_digest
from wayfolk.files.folders import find_data

FILES = {
    "a": "MapEmpty_L{all}",
    "b": "Map1Big_L{half}_R{half}",
    "c": "Map2_L{half}_R{half}",
    "d": "Map4_L{half}_R{half}",
}


def lacking() -> str:
    """What is drawn because the scenarios of the thesis were not found; nothing if they were."""
    if all(_scenario(letter, 100, 1) for letter in FILES):
        return ""
    return (
        "The scenarios of the thesis were not found, and agents are drawn by its rule: set WAYFOLK_DATA to the folder that"
        " holds jansen/scen."
    )


def patrols(letter: str, agents: int, loops: int, n: int) -> list[Row]:
    """The first `n` problems of jobs on map `letter`; the thesis has 50."""
    drawn = {"kind": "patrol", "agents": agents, "loops": loops}
    files = [_scenario(letter, agents, number) for number in range(1, n + 1)]
    return [drawn | ({} if file is None else dict(zip(("file", "digest"), file, strict=True))) for file in files]


@cache
def _scenario(letter: str, agents: int, number: int) -> tuple[str, str] | None:
    """The file of a scenario and the digest of its contents."""
    name = FILES[letter].format(all=agents, half=agents // 2)
    try:
        file = find_data(f"jansen/scen/{name}_{number}.txt")
    except Missing:
        return None
    return str(file), file_digest(file)
