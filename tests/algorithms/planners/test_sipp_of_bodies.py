"""SIPPS for all bodies in all worlds: it finds what Dijkstra in space and time finds, and whom paths meet the rule says."""

import heapq
import itertools

import numpy as np
import pytest

import body_reference as twin
from wayfolk.algorithms.planners._sipp import collisions
from wayfolk.algorithms.planners._sipp import fleet as fleets
from wayfolk.algorithms.planners._sipp.fleet import new_fleet
from wayfolk.algorithms.planners._sipp.search import begin_search, go_on_searching, write_path
from wayfolk.algorithms.planners._sipp.traffic import LAST, new_traffic, with_more_visits
from wayfolk.algorithms.planners.lns.improvement import Improvement
from wayfolk.compile.jit import kernel
from wayfolk.judge import metrics
from wayfolk.judge.plans import check
from wayfolk.kernels.codes import FOUND, RUNNING
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import one_shot
from wayfolk.simulation.solving import solve
from wayfolk.world.body import Body
from wayfolk.world.grid import Grid

pytestmark = pytest.mark.plain
N_PROBLEMS = 25  # of each kind
KINDS = pytest.mark.parametrize("kind", twin.WORLDS)


@kernel
def open_search(fleet, agent, start, goal):
    begin_search(fleet.tree, fleet.fields, fleet.visits, fleet.is_hard, agent, start, goal, fleet.random)


@kernel
def search(fleet, agent, most, budget):
    return go_on_searching(fleet.tree, fleet.fields, fleet.visits, fleet.is_hard, agent, most, fleet.random, budget)


@kernel
def read_path(fleet, row):
    fleet.sizes[row] = write_path(fleet.tree, fleet.paths[row])


@kernel
def put(fleet, agent):
    fleet.counts[fleets.ADDED] = 0
    return fleets.put(fleet, agent, agent)


@kernel
def go_on_putting(fleet, agent):
    return fleets.put(fleet, agent, agent)


@kernel
def take(fleet, agent):
    fleets.take(fleet, agent, agent)


@kernel
def meet(fleet, agent):
    return collisions.meet(fleet, agent, agent)


def walkers(kind, number, longest=10, most_agents=5):
    """A fleet with a random walk for each agent, and the walks, which are not in its visits yet."""
    problem = twin.drawn_problem(kind, number, most_agents)
    rng, graph = np.random.default_rng(number), problem.states.graph
    fleet, walks = new_fleet(problem, 2, number, counting=True, n_methods=3), []
    for agent, start in enumerate(problem.starts.tolist()):
        nodes = [start]
        stands = set(problem.states.stands(problem.states.kind_of(start)).tolist())
        n_steps = rng.integers(longest)
        while len(nodes) <= n_steps or nodes[-1] not in stands:
            following = graph.target[graph.first[nodes[-1]] : graph.first[nodes[-1] + 1]].tolist()
            nodes.append(int(rng.choice([nodes[-1], *following])))
        stops = [(node, step) for step, node in enumerate(nodes) if step == 0 or nodes[step - 1] != node]
        fleet.paths[agent, : len(stops)] = np.array(stops, np.int32).view(fleets.STOP).ravel()
        fleet.sizes[agent] = len(stops)
        walks.append(nodes)
    return problem, fleet, walks


def row_of(table, here, there):
    """The places of the move or wait from one node to another."""
    row = len(table.target) + here
    if here != there:
        first = int(table.first[here])
        row = first + table.target[first : table.first[here + 1]].tolist().index(there)
    return table.move_places[table.move_first[row] : table.move_first[row + 1]].tolist()


def places_of(table, node):
    """The places of a node."""
    return table.node_places[table.node_first[node] : table.node_first[node + 1]].tolist()


def visits_of(table, nodes):
    """The visits of a walk that rests at its end: sets of (place, start, end)."""
    begins = [step for step, node in enumerate(nodes) if step == 0 or nodes[step - 1] != node]
    visits = set()
    for start, after in itertools.pairwise([*begins, LAST + 1]):
        node, end = nodes[start], after - 1
        visits |= {(place, start, end) for place in places_of(table, node)}
        if end > start:
            visits |= {(place, start + 1, end) for place in row_of(table, node, node)}
        if start > 0:
            visits |= {(place, start, start) for place in row_of(table, nodes[start - 1], node)}
    return visits


class Others:
    """The visits of all agents but the first, soft and hard ones.

    Visits of the places of a wait by those who are on the node themselves do not count, as they are met there.
    """

    def __init__(self, problem, walks, is_hard):
        self.table, self.visits = problem.states.occupancy, ([], [])
        for agent in range(1, len(walks)):
            visits = visits_of(self.table, walks[agent])
            ends = {(place, end) for place, _, end in visits}
            self.visits[int(is_hard[agent])].extend((*visit, ends) for visit in visits)

    def _met(self, node, counts):
        nodes, waits = places_of(self.table, node), row_of(self.table, node, node)
        return [
            sum(
                counts(place in nodes, place in waits and (nodes[0], end) not in ends, start, end)
                for place, start, end, ends in visits
            )
            for visits in self.visits
        ]

    def met(self, here, there, time):
        """How many soft and how many hard visits an agent meets that goes from `here` to `there`, where it is at `time`."""
        if here == there:
            return self._met(there, lambda n, w, start, end: (n and start == time) or (w and start <= time <= end))
        places = {*places_of(self.table, there), *row_of(self.table, here, there)}
        return [
            sum(place in places and start <= time <= end for place, start, end, _ in visits) for visits in self.visits
        ]

    def met_at_start(self, node):
        return self._met(node, lambda n, w, start, end: n and start == 0)

    def met_at_end(self, node, time):
        """Those that it meets if it stays there after `time`."""
        return self._met(node, lambda n, w, start, end: (n and start > time) or (w and end > time))


def slow_search(problem, others, most, longest):
    """The fewest soft visits that the path of agent 0 meets, and its earliest arrival, by Dijkstra, or None."""
    graph, stand_of, start = problem.states.graph, problem.states.stand_of, int(problem.starts[0])
    horizon = min(most, longest + problem.states.n_cells)
    queue, done = [(others.met_at_start(start)[0], 0, start, False)], set()
    while queue:
        cost, time, node, ends = heapq.heappop(queue)
        if ends:
            return cost, time
        if (time, node) in done:
            continue
        done.add((time, node))
        if stand_of[node] == problem.goals[0]:
            n_soft, n_hard = others.met_at_end(node, time)
            if not n_hard:
                heapq.heappush(queue, (cost + n_soft, time, node, True))
        if time == horizon:
            continue
        for there in [node, *graph.target[graph.first[node] : graph.first[node + 1]].tolist()]:
            n_soft, n_hard = others.met(node, there, time + 1)
            if not n_hard:
                heapq.heappush(queue, (cost + n_soft, time + 1, there, False))
    return None


def path_cost(others, nodes, longest):
    """What a path that is found meets, by the definition; it must not meet hard visits."""
    met = [others.met_at_start(nodes[0]), others.met_at_end(nodes[-1], len(nodes) - 1)]
    met += [others.met(here, there, time) for time, (here, there) in enumerate(itertools.pairwise(nodes), 1)]
    soft, hard = np.sum(met, axis=0)
    assert hard == 0
    return soft


@KINDS
def test_sipps_equals_a_search_in_space_and_time(kind):
    n_found = n_none = 0
    for number in range(N_PROBLEMS):
        problem, fleet, walks = walkers(kind, number)
        rng = np.random.default_rng([number, 1])
        fleet.is_hard[:] = rng.integers(0, 2, problem.n_agents)
        most = LAST if rng.random() < 0.5 else int(rng.integers(2, 30))
        for agent in range(1, problem.n_agents):
            assert put(fleet, agent)
        others = Others(problem, walks, fleet.is_hard)
        open_search(fleet, 0, int(problem.starts[0]), int(problem.goals[0]))
        while (code := search(fleet, 0, most, 3)) == RUNNING:
            pass
        longest = max(map(len, walks))
        expected = slow_search(problem, others, most, longest)
        assert (code == FOUND) == (expected is not None), number
        if expected is None:
            n_none += 1
            continue
        read_path(fleet, 0)
        nodes = nodes_of(fleet, 0)
        assert nodes[0] == problem.starts[0]
        assert problem.states.stand_of[nodes[-1]] == problem.goals[0]
        assert (path_cost(others, nodes, longest), len(nodes) - 1) == expected, number
        n_found += 1
    assert n_found > 3
    assert n_none > 0


def nodes_of(fleet, row):
    """The path in `row`, step by step."""
    stops = fleet.paths[row, : fleet.sizes[row]]
    return np.repeat(stops["cell"], np.diff(stops["start"], append=stops["start"][-1] + 1)).tolist()


def table_of(fleet):
    """The visits of all places: (place, start, end, agent)."""
    found = set()
    for place, span in enumerate(fleet.visits.spans):
        visits = fleet.visits.visits[span["first"] : span["first"] + span["n"]]
        assert (np.diff(visits["start"]) >= 0).all()
        assert (visits["reach"] == np.maximum.accumulate(visits["end"])).all()
        rows = {(place, *visit) for visit in visits[["start", "end", "agent"]].tolist()}
        assert len(rows) == len(visits)
        found |= rows
    return found


@KINDS
def test_paths_come_and_go_with_all_their_visits(kind):
    """Also where the array is full in the middle of a stop."""
    for number in range(N_PROBLEMS // 3):
        problem, fleet, walks = walkers(kind, number)
        table = problem.states.occupancy
        fleet = fleet._replace(visits=fleet.visits._replace(visits=new_traffic(1, 4).visits))
        rng, present = np.random.default_rng(number), set()
        for agent in rng.integers(0, problem.n_agents, 12).tolist():
            if agent in present:
                take(fleet, agent)
            elif not put(fleet, agent):
                while True:
                    fleet = fleet._replace(visits=with_more_visits(fleet.visits))
                    if go_on_putting(fleet, agent):
                        break
            present ^= {agent}
            expected = {(*visit, k) for k in present for visit in visits_of(table, walks[k])}
            assert table_of(fleet) == expected


@KINDS
def test_agents_that_collide_are_those_that_the_rule_names(kind):
    n_met = 0
    for number in range(N_PROBLEMS):
        problem, fleet, walks = walkers(kind, number)
        n_steps = max(map(len, walks))
        states = [[twin.state_of(problem, node) for node in walk] for walk in walks]
        states = [walk + [walk[-1]] * (n_steps - len(walk)) for walk in states]
        bodies = [problem.body(agent) for agent in range(problem.n_agents)]
        for agent in range(problem.n_agents):
            put(fleet, agent)
        pairs = set()
        for one, other in itertools.combinations(range(problem.n_agents), 2):
            moves = itertools.pairwise(zip(states[one], states[other], strict=True))
            if twin.overlap(problem.world, bodies[one], states[one][0], bodies[other], states[other][0]) or any(
                twin.clash(problem.world, bodies[one], (a, c), bodies[other], (b, d)) for (a, b), (c, d) in moves
            ):
                pairs |= {(one, other), (other, one)}
        for agent in range(problem.n_agents):
            met = fleet.met[: meet(fleet, agent)].tolist()
            assert sorted(met) == sorted(other for one, other in pairs if one == agent), number
        n_met += len(pairs)
    assert n_met > 0


def test_turns_at_the_goal_cost_nothing_when_a_plan_is_read():
    """The plan ends with a turn, and a body that turns has arrived in every heading."""
    problem = one_shot(Grid([[1] * 4] * 2, "four"), [(0, 0)], [(3, 0)], bodies=Body(turns=True))
    best = solve(problem, "lns2").plan
    turned = problem.states.node((3, 0, "S"))
    plan = Plan(problem.states, np.concatenate([best.cells, [[turned]]]))
    task = Improvement(problem, plan)
    assert task.cost == metrics.sum_of_costs(plan, problem.goals) == 3
    task.advance(1000)
    assert task.cost == 3
    assert check(task.result().plan, problem) == []


@KINDS
def test_the_sum_of_costs_is_kept_and_never_rises(kind):
    for number in range(N_PROBLEMS // 3):
        problem = twin.drawn_problem(kind, number)
        first = solve(problem, "lns2", patience=5).plan
        if first is None:
            continue
        task, costs = Improvement(problem, first, seed=number, neighbourhood=3), []
        for _ in range(6):
            plan = task.result().plan
            assert check(plan, problem) == []
            costs.append(metrics.sum_of_costs(plan, problem.goals))
            assert task.cost == costs[-1]
            task.advance(30)
        assert costs == sorted(costs, reverse=True)
