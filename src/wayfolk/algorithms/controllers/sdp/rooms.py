"""Agents in rooms: ways through space and time that are reserved, and stepping aside.

Each agent has a plan: cells for the coming ticks, after which it stands in the last of them, or goes on to a cell of
another area whose controller has accepted it. All plans of a room are reserved, so agents can always follow them. A new
plan replaces an old one only when all of it could be reserved.

An agent that stands, on its goal or anywhere else, steps aside for a way that leads through its cell: it goes to the
nearest cell in which it can stand for good, and plans its way back later.

Invariants  plans do not collide, swap or cross. A cell in which an agent stands for good is in nobody else's plan from then
            on.
"""

from wayfolk.algorithms.controllers.sdp.state import FULL
from wayfolk.kernels import space_time
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.evading import EFFORT, Timing, timed_path
from wayfolk.kernels.jit import inner, kernel
from wayfolk.kernels.jump_paths import EXPANDED as JUMPS
from wayfolk.kernels.jump_paths import jump_path
from wayfolk.kernels.reservations import holder, release, reserve
from wayfolk.kernels.space_time import NEVER

PUSHES = 8  # agents that one way may ask to step aside
TIRED = 3  # times that an agent is pushed off its goal before it looks for other ways
PATIENCE = 24  # ticks that an agent waits on its way at most
WINDOW = 48  # cells of a path by jumps that get times at once; the rest of a longer one is planned on the way
DETOUR = 24  # cells that an agent that goes around others tries to come further on its path
DETOUR_EFFORT = 150  # nodes that are expanded for that
SPARE = 16  # nodes that a path with times may have beyond its own, for the effort that is made
LEAST = 4  # cells by which it must come nearer
_LEAD = 3  # ticks before a cell is needed at which its agent begins to step aside


@inner
def hold(rooms, agent, row, first, n, stays):
    """Reserve the way in `ways[row]`: the k-th cell for the time first + k, and the last for good if the agent stays."""
    way, held = rooms.ways[row, agent], rooms.rules.held
    for k in range(n):
        reserve(rooms.table, way[k], first + k - 1, agent)
        held[way[k]] = max(held[way[k]], first + k)
    area = rooms.area[way[0]]
    rooms.last[area] = max(rooms.last[area], first + n)
    if stays:
        _park(rooms, way[n - 1], agent, first + n - 2)


@inner
def let_go(rooms, agent, row, first, n, stays, now):
    """Release the way in `ways[row]` from now on."""
    way, held = rooms.ways[row, agent], rooms.rules.held
    for k in range(n):
        release(rooms.table, way[k], first + k - 1, agent)
    for k in range(max(now - first, 0), n):
        cell = way[k]
        while held[cell] >= now and holder(rooms.table, cell, held[cell] - 1) == NOBODY:
            held[cell] -= 1
    if stays:
        _unpark(rooms, way[n - 1], agent)


@inner
def _park(rooms, cell, agent, slot):
    rooms.rules.parked[cell] = slot
    rooms.parked_by[cell] = agent
    if rooms.states[agent]["fixed"]:
        rooms.fixed[cell] = slot


@inner
def _unpark(rooms, cell, agent):
    if rooms.parked_by[cell] == agent:
        rooms.rules.parked[cell] = rooms.fixed[cell] = NEVER
        rooms.parked_by[cell] = NOBODY


@inner
def hold_plan(rooms, agent, stays):
    """Reserve the plan of `agent`, if it is in a room; its last cell for good if it `stays` there."""
    state = rooms.states[agent]
    if state["area"] < rooms.n_rooms:
        hold(rooms, agent, state["row"], state["first"], state["n"], stays and state["leaves"] == NOWHERE)


@inner
def drop_plan(rooms, agent, now):
    """Release the plan of `agent`."""
    state = rooms.states[agent]
    let_go(rooms, agent, state["row"], state["first"], state["n"], state["leaves"] == NOWHERE, now)


@inner
def take_plan(rooms, agent, row, first, n, leaves):
    """Let a way that is reserved be the plan of `agent`."""
    state = rooms.states[agent]
    state["row"], state["first"], state["n"], state["leaves"] = row, first, n, leaves


@inner
def replace_plan(rooms, agent, first, n, leaves, now):
    """Let the way that is reserved in the spare row be the plan of `agent`, who is in a room."""
    spare = 1 - rooms.states[agent]["row"]
    drop_plan(rooms, agent, now)
    hold(rooms, agent, spare, first, n, leaves == NOWHERE)
    take_plan(rooms, agent, spare, first, n, leaves)


@inner
def stop_parking(rooms, agent):
    """Let the cell in which `agent` will stand count as free while it plans."""
    state = rooms.states[agent]
    if state["area"] < rooms.n_rooms and state["leaves"] == NOWHERE:
        _unpark(rooms, rooms.ways[state["row"], agent, state["n"] - 1], agent)


@inner
def park_again(rooms, agent):
    """Let `agent` stand where its plan ends, if it ends in the room."""
    state = rooms.states[agent]
    if state["area"] < rooms.n_rooms and state["leaves"] == NOWHERE:
        _park(rooms, rooms.ways[state["row"], agent, state["n"] - 1], agent, state["first"] + state["n"] - 2)


@inner
def _fits(rooms, n):
    """Whether a way of `n` cells fits into the arrays; if not, they are enlarged before the next tick."""
    if n <= rooms.ways.shape[2]:
        return True
    rooms.counts[FULL] = 1
    return False


@kernel
def is_crowded(table):
    """Whether more than half of the table of reservations is used: it must grow before an agent plans."""
    return 2 * table.counts[0] > table.entries.size


@kernel
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

    It is given up if not all of its path is kept, or if it is more than DETOUR moves away.
    """
    if n == 0 or n > kept.size:
        return 0
    nearest, place = DETOUR + 1, 0
    for k in range(n):
        distance = _between(stride, start, kept[k])
        if distance <= nearest:
            nearest, place = distance, k
    if nearest > DETOUR or nearest + n - place > path.size:
        return 0
    cell = start
    for k in range(nearest):
        path[k] = cell
        y, end_y = cell // stride, kept[place] // stride
        dx, dy = (kept[place] - end_y * stride) - (cell - y * stride), end_y - y
        there = cell + (dx > 0) - (dx < 0) + ((dy > 0) - (dy < 0)) * stride
        is_legal = False
        for way in range(8):
            is_legal = is_legal or (cell + rules.offsets[way] == there and (rules.legal[cell] >> way) & 1 != 0)
        if not is_legal:
            return 0
        cell = there
    for k in range(place, n):
        path[nearest + k - place] = kept[k]
    return nearest + n - place


@kernel
def find_way(rooms, search, agent, start, time, n_path, n_goals, stays, is_open):
    """A way for `agent`, who is at `start` at `time`, to one of the goals, into `cells`; its number of cells, or 0.

    By Cooperative JPS, it is the path that was found last, with times for WINDOW of its `n_path` cells at most.
    `is_open`: cells in which agents stand that could step aside count as free.
    """
    settings, rules = search.settings, rooms.rules
    parked = rooms.fixed if is_open else rules.parked
    rules = space_time.Rules(rules.legal, rules.offsets, rules.lasts, parked, rules.held)
    n = 0
    stop_parking(rooms, agent)
    if settings.jumps and n_path > 0:
        n_timed = min(n_path, WINDOW)
        last = min(rooms.last[rooms.area[start]], time + n_timed + PATIENCE)
        most = EFFORT * (n_timed + SPARE)
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
        if code == space_time.FOUND:
            n = space_time.trace(nodes, rooms.cells, search.slots)
            n = n if n <= rooms.cells.size else 0
    park_again(rooms, agent)
    return n


@kernel
def reserve_way(rooms, agent, n, time, stays, now):
    """Reserve the way of `n` cells in `cells`, begun at `time`, in the spare row of `agent`; False if that fails.

    Agents that stand on the way step aside.
    """
    spare = 1 - rooms.states[agent]["row"]
    if not _fits(rooms, n):
        return False
    way = rooms.ways[spare, agent]
    for k in range(n):
        way[k] = rooms.cells[k]
    end = way[n - 1]
    before, slot = rooms.parked_by[end], rooms.rules.parked[end]
    hold(rooms, agent, spare, time, n, stays)
    is_parked = stays and before != NOBODY
    if is_parked:  # nobody steps aside through a cell in which an agent still stands
        rooms.rules.parked[end] = min(slot, time + n - 2)
    if _clear(rooms, agent, way, n, time, now):
        if is_parked:
            rooms.rules.parked[end] = time + n - 2
        if not is_parked or before == agent or step_aside(rooms, before, time + n - 1, now):
            return True
    let_go(rooms, agent, spare, time, n, stays, now)
    if is_parked:
        _park(rooms, end, before, slot)
    hold_plan(rooms, agent, False)
    return False


@inner
def _clear(rooms, agent, way, n, time, now):
    """Let those who stand on the way of `agent` step aside; False if somebody cannot."""
    pushed = 0
    for k in range(n):
        standing = rooms.parked_by[way[k]]
        is_there = standing != NOBODY and rooms.rules.parked[way[k]] < time + k
        if is_there and standing != agent:
            pushed += 1
            if pushed > PUSHES or not step_aside(rooms, standing, time + k, now):
                return False
    return True


@kernel
def step_aside(rooms, agent, needed, now):
    """Let `agent`, who stands in a cell that is needed at the time `needed`, go elsewhere; False if it cannot."""
    state = rooms.states[agent]
    if state["fixed"] or state["asked"]:
        return False
    stands = state["first"] + state["n"] - 1  # from this time on
    begin = max(now, stands, needed - _LEAD)
    first = max(now, state["first"])
    spare = 1 - state["row"]
    old, way = rooms.ways[state["row"], agent], rooms.ways[spare, agent]
    cell = old[state["n"] - 1]
    is_owner = rooms.parked_by[cell] == agent  # else it is the one who needs the cell
    _unpark(rooms, cell, agent)
    n = find_shelter(rooms, agent, cell, begin)
    total = begin - first + n
    if n == 0 or not _fits(rooms, total):
        if is_owner:
            _park(rooms, cell, agent, stands - 1)
        return False
    for time in range(first, begin):
        way[time - first] = old[min(time - state["first"], state["n"] - 1)]
    for k in range(n):
        way[begin - first + k] = rooms.cells[k]
    let_go(rooms, agent, state["row"], state["first"], state["n"], False, now)
    hold(rooms, agent, spare, first, total, True)
    take_plan(rooms, agent, spare, first, total, NOWHERE)
    state["retry"] = min(state["retry"], now + 1)
    state["pushes"] += cell == state["goal"]
    return True


@kernel
def find_shelter(rooms, agent, start, begin):
    """A way, into `cells`, from `start` at the time `begin` to a cell to stand in for good; its number of cells, or 0.

    Breadth-first in space and time, so the way is one of the quickest.
    """
    rules, tree = rooms.rules, rooms.tree
    tree[0]["cell"], tree[0]["parent"], tree[0]["time"] = start, 0, begin
    n, at = 1, 0
    while at < n:
        cell, time = tree[at]["cell"], tree[at]["time"]
        if can_stand(rooms, cell, time):
            return _trace(rooms, at)
        for k in range(9):
            if n == tree.size:
                return 0
            if k < 8 and not (rules.legal[cell] >> k) & 1:
                continue
            there = cell if k == 8 else cell + rules.offsets[k]
            if not space_time.is_open(rules, rooms.table, agent, cell, there, k, time):
                continue
            if not _is_known(tree, n, there, time + 1):
                tree[n]["cell"], tree[n]["parent"], tree[n]["time"] = there, at, time + 1
                n += 1
        at += 1
    return 0


@inner
def can_stand(rooms, cell, time):
    """Whether an agent can stand in `cell` for good from `time` on, without being in the way of those who come and go."""
    free = time >= rooms.rules.held[cell] and rooms.rules.parked[cell] == NEVER
    return free and not rooms.is_mouth[cell]


@inner
def _is_known(tree, n, cell, time):
    at = n - 1
    while tree[at]["time"] == time:
        if tree[at]["cell"] == cell:
            return True
        at -= 1
    return False


@inner
def _trace(rooms, at):
    n = 1
    node = at
    while node != 0:
        node = rooms.tree[node]["parent"]
        n += 1
    node = at
    for k in range(n - 1, -1, -1):
        rooms.cells[k] = rooms.tree[node]["cell"]
        node = rooms.tree[node]["parent"]
    return n


@inner
def cut_to_stand(rooms, n, time):
    """The longest part of the way in `cells`, begun at `time`, after which an agent could stand for good; 0 if none."""
    while n > 0 and not can_stand(rooms, rooms.cells[n - 1], time + n - 1):
        n -= 1
    return n


@kernel
def stop_short(rooms, search, agent, start, time, n, n_path, is_open):
    """Let the way of `n` cells in `cells`, if there is one, end where `agent` can stand for good; its number of cells, or 0.

    If there is no such cell on it, the agent goes around others (`detours`), unless they are to step aside (`is_open`).
    Near its goal it does not: there it would stand in the way of those whose goals are beside its own.
    """
    n = cut_to_stand(rooms, n, time)
    if n <= 1 and n_path > DETOUR and search.settings.detours and not is_open:
        n = _go_around(rooms, search, agent, start, time)
    return n


@inner
def _go_around(rooms, search, agent, start, time):
    """A way for `agent` around others, to a cell nearer to one further on its path, into `cells`; its number of cells, or 0."""
    nodes, tree, stride = search.nodes, search.nodes.tree, search.rra.stride
    search.aim[0] = aim = search.path[DETOUR]
    stop_parking(rooms, agent)
    space_time.open_start(nodes, start, time, rooms.last[rooms.area[start]])
    query = space_time.Query(agent, search.aim, 1, NEVER, False, False)
    space_time.advance(rooms.rules, rooms.table, nodes, search.rra, query, DETOUR_EFFORT)
    rooms.states[agent]["spent"] += nodes.counts[space_time.EXPANDED]
    nearest, best = max(_between(stride, start, aim) - LEAST, 0) + 1, 0
    for node in range(1, nodes.counts[space_time.N_NODES]):
        distance = _between(stride, tree[node]["cell"], aim)
        if distance < nearest and can_stand(rooms, tree[node]["cell"], tree[node]["slot"]):
            nearest, best = distance, node
    park_again(rooms, agent)
    if best == 0:
        return 0
    nodes.open[0]["item"] = best
    n = space_time.trace(nodes, rooms.cells, search.slots)
    return n if n <= rooms.cells.size else 0


@inner
def _between(stride, cell, other):
    """The number of moves between two cells on an empty map, where diagonals are moves."""
    y, other_y = cell // stride, other // stride
    return max(abs(y - other_y), abs((cell - y * stride) - (other - other_y * stride)))


@kernel
def plan_to_stand(rooms, search, agent, start, time, n_path, n_goals, is_final, is_open, now):
    """Reserve, in the spare row, a way to one of the goals or as far as the agent can stand; its number of cells, or 0.

    `is_final`: the agent must come to the goal, if that is not far away. `is_open`: others who stand on the way step aside.
    """
    n = find_way(rooms, search, agent, start, time, n_path, n_goals, is_final, is_open)
    if n == 0 or not (is_final and rooms.cells[n - 1] == search.goals[0]):
        n = stop_short(rooms, search, agent, start, time, n, n_path, is_open)
    return n if n > 0 and reserve_way(rooms, agent, n, time, True, now) else 0


@inner
def is_way_open(rooms, agent, way, n, time):
    """Whether `agent` could go this way of `n` cells, beginning at `time`, with nobody stepping aside."""
    rules = rooms.rules
    for k in range(n - 1):
        move = 8
        for direction in range(8):
            if way[k] + rules.offsets[direction] == way[k + 1]:
                move = direction
        if not space_time.is_open(rules, rooms.table, agent, way[k], way[k + 1], move, time + k):
            return False
    return True
