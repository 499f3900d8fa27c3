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
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.reservation_rules import NEVER, is_open
from wayfolk.kernels.reservations import holder, release, reserve

PUSHES = 8  # agents that one way may ask to step aside
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
def stand(rooms, agent, cell, time):
    """Let the plan of `agent` be to stand in `cell` from `time` on; nothing is reserved."""
    rooms.ways[0, agent, 0] = cell
    take_plan(rooms, agent, 0, time, 1, NOWHERE)


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


@inner
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


@inner
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


@inner
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
            if not is_open(rules, rooms.table, agent, cell, there, k, time):
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
    return free and not rooms.spots[cell]["is_mouth"]


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
def is_way_open(rooms, agent, way, n, time):
    """Whether `agent` could go this way of `n` cells, beginning at `time`, with nobody stepping aside."""
    rules = rooms.rules
    for k in range(n - 1):
        move = 8
        for direction in range(8):
            if way[k] + rules.offsets[direction] == way[k + 1]:
                move = direction
        if not is_open(rules, rooms.table, agent, way[k], way[k + 1], move, time + k):
            return False
    return True
