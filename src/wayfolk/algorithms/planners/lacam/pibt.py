"""PIBT as LaCAM's configuration generator: one step of all agents from one configuration, some of whose moves are given.

Okumura, "Improving LaCAM for scalable eventually optimal multi-agent pathfinding", 2023: priority inheritance with
backtracking, with the swap of two agents that cannot pass each other. A chain of frames replaces recursion: as soon as the
last agent of a chain has a spot, all agents on it have one.

Invariants  after `choose_all` has returned True, no two agents have the same next spot, none swap, and none cross.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners.lacam.ground import FarFields, Spots
from wayfolk.algorithms.planners.lacam.swaps import partner_of
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.random import next_word

FRAME = np.dtype([("parent", np.int32), ("partner", np.int32), ("n", np.int32), ("at", np.int32)], align=True)
GUIDE = np.dtype([("spot", np.int32), ("next", np.int32)], align=True)  # an entry of a hash table of one agent
CROWDED = 0.4  # with more agents for each spot than this, ways around others are blocked too often


class Generator(NamedTuple):
    """Who stands where (`here`, `now`), who goes where (`there`, `later`), and what the chain has tried.

    `guides[first[agent] : first[agent + 1]]` is a hash table of the spots at which the agent has a preferred next spot;
    an agent without guidance has an empty one. `around[agent]` is the next spot of an agent on its way around another; in a
    crowd nobody steps around others, and it is empty.
    """

    spots: Spots
    steps: NDArray[Any]
    goals: NDArray[np.int32]
    here: NDArray[np.int32]
    there: NDArray[np.int32]
    now: NDArray[np.int32]
    later: NDArray[np.int32]
    frames: NDArray[np.void]
    choices: NDArray[np.int32]
    keys: NDArray[np.int64]
    guides: NDArray[np.void]
    first: NDArray[np.int64]
    around: NDArray[np.void]
    luck: NDArray[np.uint64]


def new_generator(fields: FarFields, luck: NDArray[np.uint64]) -> Generator:
    """A generator without guidance."""
    n, n_spots = len(fields.goals), fields.steps.shape[1]
    return Generator(
        spots=fields.spots,
        steps=fields.steps,
        goals=fields.goals,
        here=np.empty(n, np.int32),
        there=np.full(n, NOWHERE, np.int32),
        now=np.full(n_spots, NOBODY, np.int32),
        later=np.full(n_spots, NOBODY, np.int32),
        frames=np.zeros(n, FRAME),
        choices=np.zeros((n, 9), np.int32),
        keys=np.zeros(9, np.int64),
        guides=np.zeros(0, GUIDE),
        first=np.zeros(n + 1, np.int64),
        around=np.full(n if n <= CROWDED * n_spots else 0, NOWHERE, np.int32).repeat(2).view(GUIDE),
        luck=luck,
    )


@inner
def stand(gen, config):
    """Put all agents where `config` says."""
    for agent in range(config.size):
        gen.here[agent] = config[agent]
        gen.now[config[agent]] = agent


@inner
def vanish(gen):
    """Take all agents off the map."""
    for agent in range(gen.here.size):
        gen.now[gen.here[agent]] = NOBODY


@inner
def forget(gen):
    """Forget all decisions."""
    for agent in range(gen.there.size):
        if gen.there[agent] != NOWHERE:
            gen.later[gen.there[agent]] = NOBODY
            gen.there[agent] = NOWHERE


@inner
def impose(gen, agent, spot):
    """Let `agent` go to `spot` if that does not collide with what is decided; whether it does not."""
    here = gen.here[agent]
    if gen.later[spot] != NOBODY:
        return False
    other = gen.now[spot]
    if other != NOBODY and other != agent and gen.there[other] == here:
        return False
    if gen.spots.has_diagonals and _crosses(gen, here, spot):
        return False
    gen.there[agent] = spot
    gen.later[spot] = agent
    return True


@inner
def choose_all(gen, order):
    """Decide for all agents that are undecided, in `order`; False if one of them finds no spot."""
    fits = True
    for agent in order:
        fits = fits and (gen.there[agent] != NOWHERE or _settle(gen, agent))
    return fits


@inner
def _settle(gen, root):
    """Find a next spot for `root` and for all agents that it pushes; False if there is none."""
    frames, here, there, now, later = gen.frames, gen.here, gen.there, gen.now, gen.later
    _open_frame(gen, root, NOBODY)
    agent = root
    while True:
        frame = frames[agent]
        if frame["at"] == frame["n"]:  # it stays, and the agent that pushed it tries its next choice
            if agent == root and later[here[agent]] != NOBODY and later[here[agent]] != agent:
                there[agent] = NOWHERE
                return False
            there[agent] = here[agent]
            later[here[agent]] = agent
            if agent == root:
                return True
            agent = frame["parent"]
            continue
        spot = gen.choices[agent, frame["at"]]
        frame["at"] += 1
        if later[spot] != NOBODY:
            continue
        other = now[spot]
        if other != NOBODY and other != agent and there[other] == here[agent]:
            continue
        if gen.spots.has_diagonals and _crosses(gen, here[agent], spot):
            continue
        there[agent] = spot
        later[spot] = agent
        if other in (NOBODY, agent) or there[other] != NOWHERE:
            _pull(gen, root, agent)
            return True
        _open_frame(gen, other, agent)
        agent = other


@inner
def _open_frame(gen, agent, parent):
    """Sort the choices of `agent`: the guided spot first, then the nearest to its goal.

    Among equally near ones, empty spots come first, and spots of agents on their goals last; other ties are random. If an
    agent rests on the first choice, a way around it comes first, but for one time in eight: ways around can be circles.
    """
    frame, choices, keys, spots = gen.frames[agent], gen.choices[agent], gen.keys, gen.spots
    here, row = gen.here[agent], gen.steps[agent]
    guided = _guided(gen, agent, here)
    steps_around = gen.around.size > 0
    if steps_around and gen.around[agent]["spot"] == here:
        guided = gen.around[agent]["next"]
        gen.around[agent]["spot"] = NOWHERE
    word = np.int64(next_word(gen.luck) >> np.uint64(1))
    n = spots.degree[here]
    for k in range(n + 1):
        spot = here if k == n else spots.near[here, k]
        key = (np.int64(row[spot]) << 9) + ((word >> (7 * k)) & 127)
        other = gen.now[spot]
        if other not in (NOBODY, agent):
            key += 256 if gen.goals[other] == spot else 128
        if spot == guided:
            key = np.int64(0)
        slot = k
        while slot > 0 and keys[slot - 1] > key:
            keys[slot], choices[slot] = keys[slot - 1], choices[slot - 1]
            slot -= 1
        keys[slot], choices[slot] = key, spot
    frame["parent"], frame["at"], frame["n"] = parent, 0, n + 1
    frame["partner"] = partner_of(gen, agent, here, choices[0])
    if frame["partner"] != NOBODY:
        for k in range((n + 1) // 2):
            choices[k], choices[n - k] = choices[n - k], choices[k]
    elif steps_around and choices[0] != here and _rests(gen, choices[0]) and (word & 7) != 0:
        k = _way_around(gen, agent, here, n)
        while k > 0:
            choices[k - 1], choices[k] = choices[k], choices[k - 1]
            k -= 1


@inner
def _rests(gen, spot):
    """Whether an agent stands on its goal at `spot`."""
    return gen.now[spot] != NOBODY and gen.goals[gen.now[spot]] == spot


@inner
def _way_around(gen, agent, here, n):
    """Which of its choices leads `agent` around the agent that rests on the first of them; 0 if none does.

    It leads on to a spot that is as near to the goal as `here`, and no agent rests on either of the two.
    """
    spots, row, choices, around = gen.spots, gen.steps[agent], gen.choices[agent], gen.around[agent]
    for k in range(1, n + 1):
        spot = choices[k]
        if spot == here or _rests(gen, spot) or _guided(gen, agent, spot) == here:
            continue
        for j in range(spots.degree[spot]):
            beyond = spots.near[spot, j]
            if beyond != here and row[beyond] <= row[here] and not _rests(gen, beyond):
                around["spot"], around["next"] = spot, beyond
                return k
    return 0


@inner
def _guided(gen, agent, here):
    """The preferred next spot of `agent`, or NOWHERE."""
    first = gen.first[agent]
    size = gen.first[agent + 1] - first
    if size == 0:
        return NOWHERE
    at = (np.int64(here) * 40503) & (size - 1)
    while gen.guides[first + at]["spot"] != NOWHERE:
        if gen.guides[first + at]["spot"] == here:
            return gen.guides[first + at]["next"]
        at = (at + 1) & (size - 1)
    return NOWHERE


@inner
def _pull(gen, root, agent):
    """The chain from `root` to `agent` has its spots: an agent that steps back for a swap pulls its partner."""
    here, there, later = gen.here, gen.there, gen.later
    while True:
        frame = gen.frames[agent]
        other = frame["partner"]
        if other != NOBODY and frame["at"] == 1 and there[other] == NOWHERE and later[here[agent]] == NOBODY:
            if not (gen.spots.has_diagonals and _crosses(gen, here[other], here[agent])):
                there[other] = here[agent]
                later[here[agent]] = other
        if agent == root:
            return
        agent = frame["parent"]


@inner
def _crosses(gen, here, spot):
    """Whether the move from `here` to `spot` crosses one that is decided."""
    spots = gen.spots
    for k in range(spots.degree[here]):
        if spots.near[here, k] == spot:
            beside, across = spots.beside[here, k], spots.across[here, k]
            if beside == NOWHERE:
                return False
            one, other = gen.now[beside], gen.now[across]
            if one != NOBODY and gen.there[one] == across:
                return True
            return other != NOBODY and gen.there[other] == beside
    return False
