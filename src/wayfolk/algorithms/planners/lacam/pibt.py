"""PIBT as LaCAM's configuration generator: one step of all agents from one configuration, some of whose moves are given.

Okumura, "Improving LaCAM for scalable eventually optimal multi-agent pathfinding", 2023: priority inheritance with
backtracking, and the swap of two agents that cannot pass each other.

In other worlds and for other bodies than points on a square grid, spots are nodes of a graph of states, and the occupant of
a place takes that of a spot (see `state_pushes`). Points swap there too.

Invariants  after `choose_all` has returned True, no two agents have the same next spot, none swap, and none cross; on
            states no two hold the same place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners.lacam.moves import (
    RESTING,
    SpotMoves,
    crowding,
    is_lost,
    may_swap,
    put,
    spot_moves,
    tie,
)
from wayfolk.algorithms.position_swap import partner_of, pull, swaps
from wayfolk.algorithms.priority_inheritance import (
    BODY,
    choice,
    choose,
    has_decided,
    is_clear,
    move_to,
    pushes,
    settle,
    slots,
    sort_in,
    stander,
    stay,
    take,
    target,
)
from wayfolk.algorithms.state_pushes import StateMoves, new_bodies, state_moves
from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.random import next_word
from wayfolk.world.spots import DistanceTable, StateSpots

PARTNER = ("partner", np.int32)
AGENT = np.dtype([*BODY, PARTNER], align=True)
GUIDE = np.dtype([("spot", np.int32), ("next", np.int32)], align=True)  # an entry of a hash table of one agent
CROWDED = 0.4  # with more agents for each spot than this, ways around others are blocked too often


class Generator(NamedTuple):
    """A party whose nodes are spots: where agents are, where they have decided to go, and where they prefer to go.

    `guides[first[agent] : first[agent + 1]]` is a hash table of the spots at which the agent has a preferred next spot;
    an agent without guidance has an empty one. `around[agent]` is the next spot of an agent on its way around another; in a
    crowd nobody steps around others, and it is empty. `far` is the distance where there is no way. `keys` is scratch.
    """

    nodes: SpotMoves | StateMoves
    steps: NDArray[Any]
    goals: NDArray[np.int32]
    bodies: NDArray[np.void]
    occupant: NDArray[np.int32]
    claims: NDArray[np.int64]
    step: NDArray[np.int64]
    is_strict: bool
    keys: NDArray[np.int64]
    guides: NDArray[np.void]
    first: NDArray[np.int64]
    around: NDArray[np.void]
    luck: NDArray[np.uint64]
    far: int


def new_generator(fields: DistanceTable, luck: NDArray[np.uint64]) -> Generator:
    """A generator without guidance."""
    n, n_spots, spot_map = len(fields.goals), fields.steps.shape[1], fields.spot_map
    n_places, nodes, bodies = n_spots, None, np.zeros(n, AGENT)
    if isinstance(spot_map, StateSpots):
        nodes, bodies = state_moves(spot_map.states, n), new_bodies(n, [PARTNER])
        n_places, n_spots = spot_map.states.occupancy.n_places, len(spot_map.states.world.free_cells)
    return Generator(
        nodes=spot_moves(spot_map) if nodes is None else nodes,
        steps=fields.steps,
        goals=fields.goals,
        bodies=bodies,
        occupant=np.full(n_places, NOBODY, np.int32),
        claims=np.zeros(n_places, np.int64),
        step=np.ones(1, np.int64),
        is_strict=False,
        keys=np.zeros(9 if nodes is None else max(9, nodes.choices.shape[1]), np.int64),
        guides=np.zeros(0, GUIDE),
        first=np.zeros(n + 1, np.int64),
        around=np.full(n if n <= CROWDED * n_spots and (nodes is None or nodes.are_points) else 0, NOWHERE, np.int32)
        .repeat(2)
        .view(GUIDE),
        luck=luck,
        far=fields.far,
    )


def n_moves_of(gen: Generator) -> int:
    """How many moves a spot has at most, with that to stay."""
    return len(gen.keys)


@inner
def stand(gen, config):
    """Put all agents where `config` says."""
    for agent in range(config.size):
        gen.bodies[agent]["here"] = config[agent]
        put(gen.nodes, gen, agent, config[agent])


@inner
def vanish(gen):
    """Take all agents off the map."""
    for agent in range(gen.bodies.size):
        put(gen.nodes, gen, NOBODY, gen.bodies[agent]["here"])


@inner
def forget(gen):
    """Forget all decisions."""
    gen.step[0] += 1


@inner
def impose(gen, agent, spot):
    """Let `agent` go to `spot` if that does not collide with what is decided; whether it does not."""
    here = gen.bodies[agent]["here"]
    other = stander(gen.nodes, gen, spot)
    if is_lost(gen.nodes, gen, agent, spot) or not is_clear(
        gen.nodes, gen, here, move_to(gen, here, spot), spot, other
    ):
        return False
    take(gen, agent, spot)
    return True


@inner
def choose_all(gen, order):
    """Decide for all agents that are undecided, in `order`; False if one of them finds no spot."""
    for agent in order:
        if has_decided(gen, agent):
            continue
        last = settle(gen, agent)
        if last == NOBODY:
            return False
        pull(gen, agent, last)
    return True


def _prefer(gen, agent):
    """Sort the choices of `agent`: the guided spot first, then the nearest to its goal.

    Among equally near ones, empty spots come first, and spots of agents on their goals last; other ties are random. If an
    agent rests on the first choice, a way around it comes first, but for one time in eight: ways around can be circles.
    """
    body, keys, spots = gen.bodies[agent], gen.keys, gen.nodes
    here, row = body["here"], gen.steps[agent]
    guided = _guided(gen, agent, here)
    steps_around = gen.around.size > 0
    if steps_around and gen.around[agent]["spot"] == here:
        guided = gen.around[agent]["next"]
        gen.around[agent]["spot"] = NOWHERE
    word = np.int64(next_word(gen.luck) >> np.uint64(1))
    n, n_moves = 0, slots(spots, here)
    for move in range(n_moves + 1):
        k = stay(spots, here) if move == n_moves else move
        spot = target(spots, here, k)
        if is_lost(spots, gen, agent, spot):
            continue
        key = (np.int64(row[spot]) << 9) + tie(spots, gen, word, move) + crowding(spots, gen, agent, spot)
        if spot == guided:
            key = np.int64(0)
        sort_in(keys, n, (key << 16) + k)
        n += 1
    choose(spots, body, keys, n)
    body["partner"] = NOBODY
    if n == 0:  # it has lost its goal: this can be in a file that says what a controller remembers
        return
    best = target(spots, here, choice(spots, body, 0))
    if best != here and may_swap(spots):
        body["partner"] = partner_of(gen, agent, here, best, True)
    if body["partner"] != NOBODY:
        for rank in range(n):
            keys[rank] = choice(spots, body, n - 1 - rank)
        choose(spots, body, keys, n)
    elif steps_around and best != here and _rests(gen, agent, best) and (word & 7) != 0:
        rank = _way_around(gen, agent, here, n)
        for k in range(rank):
            keys[k + 1] = choice(spots, body, k)
        keys[0] = choice(spots, body, rank)
        for k in range(rank + 1, n):
            keys[k] = choice(spots, body, k)
        choose(spots, body, keys, n)


def _may_move(gen, root, agent, k, there, other):
    return True


pushes(Generator, _prefer, _may_move)


@inlined
def _rests(gen, agent, spot):
    """Whether an agent that is on its goal is in the way of `agent` on `spot`."""
    return crowding(gen.nodes, gen, agent, spot) == RESTING


@inner
def _way_around(gen, agent, here, n):
    """Which of its choices leads `agent` around the agent that rests on the first of them; 0 if none does.

    It leads on to a spot that is as near to the goal as `here`, and no agent rests on either of the two.
    """
    spots, row, around = gen.nodes, gen.steps[agent], gen.around[agent]
    for rank in range(1, n):
        spot = target(spots, here, choice(spots, gen.bodies[agent], rank))
        if spot == here or _rests(gen, agent, spot) or _guided(gen, agent, spot) == here:
            continue
        for j in range(slots(spots, spot)):
            beyond = target(spots, spot, j)
            if beyond != here and row[beyond] <= row[here] and not _rests(gen, agent, beyond):
                around["spot"], around["next"] = spot, beyond
                return rank
    return 0


@inner
def _guided(gen, agent, here):
    """The preferred next spot of `agent`, or NOWHERE."""
    first, end = gen.first[agent], gen.first[agent + 1]
    if first == end:
        return NOWHERE
    at = place_of_guide(gen.guides, first, end, here)
    return gen.guides[at]["next"] if gen.guides[at]["spot"] == here else NOWHERE


@inner
def place_of_guide(guides, first, end, spot):
    """The place of an agent's guide for `spot` in its part of `guides`, or the empty place where it belongs.

    The parts of all agents are tables with a mix of their own: a product with an odd number sends neighbouring spots, as
    they are on a path, to different places. With that of `kernels.table` LaCAM takes about 5 % longer.
    """
    size = end - first
    at = (np.int64(spot) * 40503) & (size - 1)
    while guides[first + at]["spot"] != NOWHERE and guides[first + at]["spot"] != spot:
        at = (at + 1) & (size - 1)
    return first + at


def _is_nearer(gen, agent, one, other):
    return gen.steps[agent, one] < gen.steps[agent, other]


def _follow(gen, agent, spot):
    if not has_decided(gen, agent):
        impose(gen, agent, spot)


swaps(Generator, _is_nearer, _follow)
