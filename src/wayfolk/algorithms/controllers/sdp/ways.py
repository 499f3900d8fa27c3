"""Ways of agents through a room: a path by jumps, and times for the next part of it.

An agent keeps its path through the room. Times are given to WINDOW cells of it at once, by Cooperative JPS. A way that does
not lead to the goal must end where the agent can stand for good.
"""

from wayfolk.algorithms.controllers.sdp.rooms import can_stand, park_again, reserve_way, stop_parking
from wayfolk.compile.jit import inner
from wayfolk.kernels import space_time
from wayfolk.kernels.codes import FOUND
from wayfolk.kernels.evading import EFFORT, Timing, timed_path
from wayfolk.kernels.jumps.paths import EXPANDED as JUMPS
from wayfolk.kernels.jumps.paths import jump_path
from wayfolk.kernels.reservation_rules import NEVER, Rules

TIRED = 3  # times that an agent is pushed off its goal before it looks for other ways
PATIENCE = 24  # ticks that an agent waits on its way at most
WINDOW = 48  # cells of a path by jumps that get times at once; the rest of a longer one is planned on the way
REJOIN = 24  # moves that an agent may be away from its path, and still return to it
HASTE = 4  # instead of EFFORT, where a path does not get all its times at once
SPARE = 16  # nodes that a path with times may have beyond its own, for the effort that is made


@inner
def find_path(rooms, search, agent, start, n_goals):
    """The path of `agent` from `start` to the nearest goal, without times; its number of cells, or 0 if there is none.

    The first cells are written to `search.path`. The path is kept for the time when the agent has come further on it.
    """
    rules, state, kept = rooms.rules, rooms.states[agent], rooms.paths[agent]
    n = state["n_path"]
    for place in range(min(n, kept.size)):
        if kept[place] == start and place + min(n - place, WINDOW) <= kept.size:
            for k in range(min(n - place, WINDOW)):
                search.path[k] = kept[place + k]
            return n - place
    n = _rejoin(rules, kept, n, start, search.rra.stride, search.path)
    if n == 0:
        n = jump_path(search.jumps, rules.legal, rules.offsets, start, search.goals, n_goals, search.path)
        state["spent"] += search.jumps.counts[JUMPS]
        n = n if n <= search.path.size else 0
    for k in range(min(n, kept.size)):
        kept[k] = search.path[k]
    state["n_path"] = n
    return n


@inner
def _rejoin(rules, kept, n, start, stride, path):
    """A path from `start` straight to the nearest cell of the path of `n` cells in `kept`, and on; 0 if there is none.

    It is given up if not all of its path is kept, or if it is more than REJOIN moves away.
    """
    if n == 0 or n > kept.size:
        return 0
    nearest, place = REJOIN + 1, 0
    for k in range(n):
        distance = _between(stride, start, kept[k])
        if distance <= nearest:
            nearest, place = distance, k
    if nearest > REJOIN or nearest + n - place > path.size:
        return 0
    cell = start
    for k in range(nearest):
        path[k] = cell
        y, end_y = cell // stride, kept[place] // stride
        dx, dy = (kept[place] - end_y * stride) - (cell - y * stride), end_y - y
        there = cell + min(max(dx, -1), 1) + min(max(dy, -1), 1) * stride
        is_legal = False
        for way in range(8):
            is_legal = is_legal or (cell + rules.offsets[way] == there and (rules.legal[cell] >> way) & 1 != 0)
        if not is_legal:
            return 0
        cell = there
    for k in range(place, n):
        path[nearest + k - place] = kept[k]
    return nearest + n - place


@inner
def find_way(rooms, search, agent, start, time, n_path, n_goals, stays, is_open):
    """A way for `agent`, who is at `start` at `time`, to one of the goals, into `cells`; its number of cells, or 0.

    By Cooperative JPS, it is the path that was found last, with times for WINDOW of its `n_path` cells at most.
    `is_open`: cells in which agents stand that could step aside count as free.
    """
    settings, rules = search.settings, rooms.rules
    parked = rooms.fixed if is_open else rules.parked
    rules = Rules(rules.legal, rules.offsets, rules.lasts, parked, rules.held)
    n = 0
    stop_parking(rooms, agent)
    if settings.jumps and n_path > 0:
        n_timed = min(n_path, WINDOW)
        last = min(rooms.last[rooms.area[start]], time + n_timed + PATIENCE)
        most = (EFFORT if n_timed == n_path else HASTE) * (n_timed + SPARE)
        timing = Timing(agent, time, last, most, stays and n_timed == n_path, settings.sideways, False)
        n = timed_path(rules, rooms.table, search.evading, timing, search.path, n_timed, rooms.cells, search.slots)
    # an agent that was pushed off its goal again and again looks for a way around others before it pushes them in turn
    is_tired = rooms.states[agent]["pushes"] >= TIRED and not is_open
    if n == 0 and (settings.rescue or not settings.jumps or is_tired):
        nodes = search.nodes
        space_time.open_start(nodes, start, time, rooms.last[rooms.area[start]])
        query = space_time.Query(agent, search.goals, n_goals, NEVER, False, stays)
        code = space_time.advance(rules, rooms.table, nodes, search.rra, query, settings.effort)
        rooms.states[agent]["spent"] += nodes.counts[space_time.EXPANDED]
        if code == FOUND:
            n = space_time.trace(nodes, rooms.cells, search.slots)
            n = n if n <= rooms.cells.size else 0
    park_again(rooms, agent)
    return n


@inner
def plan_to_stand(rooms, search, agent, start, time, n_path, n_goals, is_final, is_open, now):
    """Reserve, in the spare row, a way to one of the goals or as far as the agent can stand; its number of cells, or 0.

    `is_final`: the agent must come to the goal, if that is not far away. `is_open`: others who stand on the way step aside.
    """
    n = find_way(rooms, search, agent, start, time, n_path=n_path, n_goals=n_goals, stays=is_final, is_open=is_open)
    if n == 0 or not (is_final and rooms.cells[n - 1] == search.goals[0]):
        n = cut_to_stand(rooms, n, time)
    return n if n > 0 and reserve_way(rooms, agent, n, time, True, now) else 0


@inner
def cut_to_stand(rooms, n, time):
    """The longest part of the way in `cells`, begun at `time`, after which an agent could stand for good; 0 if none."""
    while n > 0 and not can_stand(rooms, rooms.cells[n - 1], time + n - 1):
        n -= 1
    return n


@inner
def _between(stride, cell, other):
    """The number of moves between two cells on an empty map, where diagonals are moves."""
    y, other_y = cell // stride, other // stride
    return max(abs(y - other_y), abs((cell - y * stride) - (other - other_y * stride)))
