"""SIPPS: safe interval path planning with soft constraints, for one agent among the paths of others.

Li, Chen, Harabor, Stuckey and Koenig, "MAPF-LNS2: Fast repairing for multi-agent path finding via large neighborhood
search", 2022. SIPP: Phillips and Likhachev, "SIPP: Safe interval path planning for dynamic environments", 2011.

Visits of some agents are hard: the path does not collide with them. Visits of all others are soft: the path has as few
collisions with them as possible and, among such paths, arrives as early as possible. A collision is another agent's visit
that the path meets in a cell (once, however long both stay), an agent that it swaps cells with, or one whose diagonal it
crosses; where cells are not all (`node_visits`), another agent's visit of a place that the path has a visit of. The agent
rests on its goal for ever, so visits of the goal after its arrival count too.

The times of a node are divided into intervals in which the same agents are there. A label is a node, an interval, the time
of arrival in it and the number of collisions until then. Within an interval waiting is free, so a label is of no use if
another one of the same interval is neither later nor has more collisions. Open labels are ordered by collisions, then by
level (time of arrival plus distance to the goal), then by distance, then at random. A label has many that follow it, as
the agent can wait for each interval of the next node: those up to AHEAD levels beyond its own are made at once, and then it
is opened again. From a label elsewhere, a path without further collisions does not end before the last visit of its goal is
over (FLOOR), so that no key but those at the goal is less: without this, a search would visit all that can be reached until
then. At the goal, the collision with that visit may be counted already. With GREED, sixteenths of the
distance are added to each key: the search goes ahead where traffic is dense, and the path may be later than necessary.

Invariants  the labels of one interval are such that a later one has fewer collisions.
            Without GREED, each path found has the fewest soft collisions, then the earliest arrival; a test compares it
            with A* in space and time.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._sipp.moves import meetings, slots, target
from wayfolk.algorithms.planners._sipp.traffic import LAST, NEVER, arrivals, last_left, later_arrivals, occupation
from wayfolk.compile.jit import inner
from wayfolk.kernels import heap
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.distances import UNREACHED, steps_between
from wayfolk.kernels.random import next_word

STAMP, N_LABELS, N_OPEN, END, EXPANDED, FLOOR, HARD_FLOOR, GREED = range(8)  # places in `counts`
NONE = np.int32(2**31 - 1)
LABEL = np.dtype(
    [
        ("cell", np.int32),  # or node
        ("time", np.int32),  # of arrival
        ("until", np.int32),  # the first time after the interval; 0 for the end of a path
        ("cost", np.int32),  # collisions
        ("parent", np.int32),
        ("next", np.int32),  # label of the same cell
        ("is_dead", np.int32),
        ("level", np.int32),  # the least of the labels that follow and are not made yet
        ("made", np.int32),  # the level up to which they were made; 0 for none
    ],
    align=True,
)
AHEAD = 10  # how far beyond its own level the labels that follow a label are made at once
SHIFT = 32  # keys of open labels are collisions, shifted, plus a level
HEAD = np.dtype([("stamp", np.int32), ("first", np.int32)], align=True)


class SippTree(NamedTuple):
    """One search: its labels, the open ones as a heap, and the labels of each cell as a list."""

    labels: NDArray[np.void]
    open: NDArray[np.void]
    heads: NDArray[np.void]
    counts: NDArray[np.int64]


def new_labels(n_cells: int, room: int) -> SippTree:
    """Room for the searches of one agent after another."""
    return SippTree(np.zeros(room, LABEL), np.zeros(room, heap.ROW), np.zeros(n_cells, HEAD), np.zeros(8, np.int64))


def with_more_labels(tree: SippTree) -> SippTree:
    """The same search, with twice the room."""
    room = len(tree.labels)
    labels, rows = np.zeros(2 * room, LABEL), np.zeros(2 * room, heap.ROW)
    labels[:room], rows[:room] = tree.labels, tree.open
    return tree._replace(labels=labels, open=rows)


@inner
def begin_search(tree, fields, traffic, is_hard, agent, start, goal, random):
    """Open the label of `start`."""
    counts = tree.counts
    counts[FLOOR], counts[HARD_FLOOR] = last_left(traffic, is_hard, goal)
    counts[STAMP] += 1
    counts[N_LABELS], counts[N_OPEN] = 0, 0
    n_soft, _, until = occupation(traffic, is_hard, start, 0)
    _reach(tree, random, start, 0, until, n_soft, NONE, steps_between(fields, agent, start))


@inner
def go_on_searching(tree, fields, traffic, is_hard, agent, most, random, budget):
    """Expand up to `budget` labels: RUNNING, FOUND, EXHAUSTED, or FULL if there is no room for more labels.

    Paths that arrive later than `most` are not looked for. After FOUND, END is the last label of the path.
    """
    counts, rows = tree.counts, tree.open
    if counts[HARD_FLOOR] > most:
        return EXHAUSTED
    stop = counts[EXPANDED] + budget
    while counts[N_OPEN] > 0:
        if counts[EXPANDED] >= stop:
            return RUNNING
        f, tie, item = rows[0]["f"], rows[0]["tie"], rows[0]["item"]
        counts[N_OPEN] = heap.pop(rows, counts[N_OPEN])
        label = tree.labels[item]
        if label["is_dead"]:
            continue
        if label["until"] == 0:
            counts[END] = label["parent"]
            return FOUND
        code = _expand(tree, fields, traffic=traffic, is_hard=is_hard, agent=agent, most=most, random=random, item=item)
        if code == FULL:  # labels that are there already are not made again
            counts[N_OPEN] = heap.push(rows, counts[N_OPEN], f, tie, item)
            return FULL
        counts[EXPANDED] += 1
        if code == FOUND:
            counts[END] = item
            return FOUND
    return EXHAUSTED


@inner
def _expand(tree, fields, traffic, is_hard, agent, most, random, item):
    """Make the labels that follow `item` up to AHEAD levels beyond its own, and open it again for later ones.

    FULL, FOUND if it is at the goal and the path ends, or RUNNING.
    """
    label, counts = tree.labels[item], tree.counts
    cell, time, until, cost = label["cell"], label["time"], label["until"], label["cost"]
    made, level = label["made"], label["level"] + AHEAD
    left_here = steps_between(fields, agent, cell)
    if made == 0:
        if left_here == 0:
            n_soft, is_blocked = later_arrivals(traffic, is_hard, cell, time)
            if not is_blocked:
                if n_soft == 0:
                    return FOUND
                if not _end(tree, time, cost + n_soft, item):
                    return FULL
        if until < NEVER:  # wait into the next interval
            n_soft, is_blocked = arrivals(traffic, is_hard, cell, until)
            if not is_blocked and until + left_here <= most:
                _, _, after = occupation(traffic, is_hard, cell, until)
                if not _reach(tree, random, cell, until, after, cost + n_soft, item, left_here):
                    return FULL
    following = np.int64(NEVER)
    for k in range(slots(traffic, cell)):
        there = target(traffic, fields.cells, fields.offsets, cell, k)
        if there == NOWHERE:
            continue
        left = steps_between(fields, agent, there)
        if left == UNREACHED:
            continue
        latest = min(until, most - left, LAST)
        arrive = np.int64(time + 1)
        if made >= arrive + left:
            _, _, arrive = occupation(traffic, is_hard, there, made - left)
        while arrive <= latest and arrive + left <= level:
            n_soft, is_blocked, after = occupation(traffic, is_hard, there, arrive)
            if not is_blocked and not _move(
                tree,
                fields.offsets,
                traffic=traffic,
                is_hard=is_hard,
                random=random,
                item=item,
                k=k,
                there=there,
                left=left,
                cost=cost + n_soft,
                arrive=arrive,
                after=after,
                latest=latest,
            ):
                return FULL
            arrive = after
        if arrive <= latest:
            following = min(following, arrive + left)
    if following < NEVER:
        label["made"], label["level"] = level, following
        tie = (np.int64(left_here) << 16) + 0xFFFF
        key = _key(counts, cost, following, left_here)
        counts[N_OPEN] = heap.push(tree.open, counts[N_OPEN], key, tie, np.int32(item))
    return RUNNING


@inner
def _move(tree, offsets, traffic, is_hard, random, item, k, there, left, cost, arrive, after, latest):
    """Make the labels of move `k` into the interval of `there` that lasts to `after`; False if there is no room.

    A later label is made for fewer meetings on the way.
    """
    cell, until = tree.labels[item]["cell"], tree.labels[item]["until"]
    fewest, time = np.int64(NEVER), np.int64(arrive)
    while fewest > 0 and time < after and time <= latest:
        n_soft, is_blocked, following = meetings(traffic, is_hard, offsets, cell, k, time, until)
        if not is_blocked and n_soft < fewest:
            fewest = np.int64(n_soft)
            if not _reach(tree, random, there, time, after, cost + n_soft, item, left):
                return False
        time = np.int64(following)
    return True


@inner
def _reach(tree, random, cell, time, until, cost, parent, left):
    """Open a label unless there is one that is as good; False if there is no room."""
    labels, counts, head = tree.labels, tree.counts, tree.heads[cell]
    if head["stamp"] != counts[STAMP]:
        head["stamp"], head["first"] = counts[STAMP], NONE
    k = head["first"]
    while k != NONE:
        other = labels[k]
        if other["until"] == until:
            if other["time"] <= time and other["cost"] <= cost:
                return True
            if other["time"] >= time and other["cost"] >= cost:
                other["is_dead"] = 1
        k = other["next"]
    item = counts[N_LABELS]
    if item == labels.size:
        return False
    counts[N_LABELS] += 1
    label = labels[item]
    label["cell"], label["time"], label["until"], label["cost"] = cell, time, until, cost
    label["parent"], label["next"], label["is_dead"], label["made"] = parent, head["first"], 0, 0
    label["level"] = time + left
    head["first"] = item
    tie = (np.int64(left) << 16) + np.int64(next_word(random) >> np.uint64(48))
    key = _key(counts, cost, time + left, left)
    counts[N_OPEN] = heap.push(tree.open, counts[N_OPEN], key, tie, np.int32(item))
    return True


@inner
def _key(counts, cost, level, left):
    """The key of an open label: collisions first, then the level, plus the share of the distance that GREED adds."""
    least = counts[FLOOR] if left > 0 else 0
    return (np.int64(cost) << SHIFT) + max(np.int64(level), least) + ((np.int64(left) * counts[GREED]) >> 4)


@inner
def _end(tree, time, cost, parent):
    """Open the end of a path that rests at the cell of `parent`; False if there is no room."""
    labels, counts = tree.labels, tree.counts
    item = counts[N_LABELS]
    if item == labels.size:
        return False
    counts[N_LABELS] += 1
    label = labels[item]
    label["until"], label["parent"], label["is_dead"] = 0, parent, 0
    counts[N_OPEN] = heap.push(tree.open, counts[N_OPEN], (np.int64(cost) << SHIFT) + time, np.int64(0), np.int32(item))
    return True


@inner
def write_path(tree, path):
    """Write the stops of the path to `path`; how many there are, also if there is no room for them."""
    labels = tree.labels
    n, item = 1, tree.counts[END]
    while labels[item]["parent"] != NONE:
        parent = np.int64(labels[item]["parent"])
        if labels[parent]["cell"] != labels[item]["cell"]:
            n += 1
        item = parent
    if n > path.size:
        return n
    k, item = n - 1, tree.counts[END]
    while True:
        path[k]["cell"], path[k]["start"] = labels[item]["cell"], labels[item]["time"]
        parent = labels[item]["parent"]
        if parent == NONE:
            return n
        if labels[parent]["cell"] != labels[item]["cell"]:
            k -= 1
        item = np.int64(parent)
