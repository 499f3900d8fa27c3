"""Advice: which algorithm to use on a map, from short trials of the candidates on that map."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from wayfolk.algorithms.catalogue import Entry, find
from wayfolk.algorithms.entry import WORLDS
from wayfolk.algorithms.refusals import worlds_for
from wayfolk.experiments.choosing.trials import Trial, tried, try_once, work_on
from wayfolk.problem.problem import random_problem
from wayfolk.simulation.solving import usual_steps
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

CONTROLLERS = ("bmaa_plus", "pibt", "lacam", "whca", "far", "lra")
PLANNERS = ("auto", "lacam", "hca")
NEAR = 0.005  # shares of agents that arrive which differ by less count as the same


@dataclass(frozen=True)
class Advice:
    """The algorithm to use, why, and the numbers of all candidates, the best first."""

    recommended: str
    family: str
    why: str
    rows: list[dict[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"recommended": self.recommended, "family": self.family, "why": self.why, "rows": self.rows}


def candidates(step_ms: float | None, changing: bool, complete: bool, kinds: Collection[str] = WORLDS) -> list[Entry]:
    """The algorithms that come into question: without a limit for a step, and if goals and the map stay, planners too.

    `kinds` are what their fact WORLDS may say.
    """
    entries = [find(name, "controllers") for name in CONTROLLERS]
    if step_ms is None and not changing:
        entries = [find(name, "planners") for name in PLANNERS] + entries
    entries = [entry for entry in entries if entry.facts.get("COMPLETE") or not complete]
    return [entry for entry in entries if entry.worlds in kinds] or entries


def advise(
    world: Grid | Graph,
    agents: int,
    *,
    step_ms: float | None = None,
    changing: bool = False,
    complete: bool = False,
    lifelong: bool = False,
    seconds: float = 20.0,
    seed: int = 1,
    bodies: Any = None,
    walk: Callable[[Any, int], Any] = lambda items, total: items,
) -> Advice:
    """Try the candidates on one random problem of this map, for `seconds` in all, and recommend one of them.

    `step_ms` is the most milliseconds that a step but the first may take at the 99th percentile. With `changing`, the map
    or the goals change meanwhile, so that only controllers come into question; with `complete`, only algorithms that find
    a plan if there is one. With `lifelong`, agents get a new task whenever they arrive, and the throughput counts. `bodies`
    are those of the agents, or the one kind of all.
    """
    problem = random_problem(world, agents, seed=seed, bodies=bodies)
    entries = candidates(step_ms, changing or lifelong, complete, worlds_for(problem))
    most = 4 * (world.width + world.height) if isinstance(world, Grid) else usual_steps(problem)
    trials = []
    left = seconds
    for k, entry in walk(list(enumerate(entries)), len(entries)):
        share = max(left / (len(entries) - k), 0.2)

        def trial(entry: Entry = entry, share: float = share) -> Trial:
            if lifelong:
                return work_on(entry, world, agents, seed, steps=most, seconds=share, body=bodies)
            return try_once(entry, problem, seed, seconds=share, steps=most)

        trials.append(tried(trial, entry.name, seed))
        left -= min(float(trials[-1].numbers.get("seconds", 0.0)), share)
    rows = [
        {"algorithm": entry.name, "family": entry.family, **trial.numbers}
        for entry, trial in zip(entries, trials, strict=True)
    ]
    ranked = sorted(rows, key=lambda row: rank(row, step_ms))
    best = ranked[0]
    return Advice(best["algorithm"], best["family"], _why(best, ranked, step_ms), ranked)


def rank(row: dict[str, Any], step_ms: float | None) -> tuple[Any, ...]:
    """What comes first is better: in time, many tasks or all agents home, low costs, little planning."""
    if row["status"] == "refused":
        return (3,)
    step = row["step_p99_ms"]
    in_time = step_ms is None or (step is not None and step <= step_ms)
    if not in_time:
        return (2, step)
    if "throughput" in row:
        return (1, -row["throughput"], row["service_p90"], row["seconds"])
    arrived = round(row["arrived"] / NEAR)
    cost = row["above_bound"] if row["above_bound"] is not None else float("inf")
    return (1, -arrived, cost, row["seconds"])


def _why(best: dict[str, Any], ranked: Sequence[dict[str, Any]], step_ms: float | None) -> str:
    """The reason, in a sentence or two."""
    if best["status"] == "refused":
        return f"no candidate accepts this map: {best['detail']}"
    what = _share(best)
    if "throughput" in best:
        what = f"{what}, and 90 % of the tasks take at most {best['service_p90']:.0f} steps"
    elif best["above_bound"] is not None:
        what += f", at {best['above_bound']:.2f} times the lower bound of the sum of costs"
    if best["step_p99_ms"] is not None:
        what += (
            f"; 99 % of its steps take at most {best['step_p99_ms']:.2f} ms, the first {best['first_step_ms']:.1f} ms"
        )
    else:
        what += f"; it plans all of it beforehand, in {best['seconds']:.2f} s"
    if step_ms is not None and best["step_p99_ms"] > step_ms:
        return f"no candidate keeps to {step_ms:g} ms for a step; this one comes nearest: {what}"
    others = [row for row in ranked[1:3] if row["status"] != "refused"]
    next_best = ", ".join(f"{row['algorithm']} of the {row['family']} ({_share(row)})" for row in others)
    return what + (f". Next best: {next_best}" if next_best else "")


def _share(row: dict[str, Any]) -> str:
    """How well a candidate did, in a few words."""
    if "throughput" in row:
        return f"{row['throughput']:.2f} tasks are done in a step"
    return f"{row['arrived']:.1%} of the agents arrive"
