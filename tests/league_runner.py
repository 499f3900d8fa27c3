"""A slow runner of the League of Robot Runners: robots wander, each with a task, and nobody comes near anybody else.

It shares nothing with the judge: a robot goes ahead only into a cell that nobody has or enters, in the order of numbers.
"""

import numpy as np

from wayfolk.problem.league import AHEAD, CLOCKWISE, COUNTER_CLOCKWISE, NO_TASK, SCHEDULED, WAIT, League, LeagueRun
from wayfolk.world.generate import random_map

STEPS = {0: (1, 0), 1: (0, 1), 2: (-1, 0), 3: (0, -1)}


def random_league(year, seed):
    """A small instance."""
    rng = np.random.default_rng(seed)
    grid = random_map(8, 7, 0.15, seed=seed, moves="four")
    part = grid.free_cells[grid.components[grid.free_cells] == np.bincount(grid.components[grid.free_cells]).argmax()]
    n_robots = int(rng.integers(1, 5))
    starts = rng.choice(part, n_robots, replace=False).astype(np.int32)
    tasks = [rng.choice(part, 1 if year == 2023 else rng.integers(1, 4)).astype(np.int32) for _ in range(12)]
    rules = [str(rng.choice(["greedy", "roundrobin", "roundrobin-fixed"]))]
    n_revealed = int(rng.integers(1, 3)) if year == 2023 else n_robots + int(rng.integers(0, 3))
    return League(
        grid, starts, tasks, n_revealed, year, ticks=int(rng.integers(1, 4)) if year == 2026 else 1, assignment=rules[0]
    )


def random_run(league, seed, n_steps):
    """What robots did in `n_steps`, and how many tasks they finished."""
    rng = np.random.default_rng(seed)
    grid, n = league.grid, league.n_robots
    places = [grid.place(int(cell)) for cell in league.starts]
    heading, begun, spent, goal = [0] * n, [None] * n, [0] * n, [None] * n
    book = Book2023(league) if league.year == 2023 else Book(league)
    actions, schedule = np.full((n_steps, n), WAIT, np.uint8), []
    book.note(0, places)
    for step in range(1, n_steps + 1):
        if league.year == 2026:
            schedule += book.give_out(step - 1)
        for robot in range(n):
            action = begun[robot] if rng.random() < 0.9 else WAIT
            if begun[robot] is None:
                action = towards(rng, grid, places[robot], heading[robot], book.target(robot))
                x, y = (a + b for a, b in zip(places[robot], STEPS[heading[robot]], strict=True))
                taken = [places[other] for other in range(n)] + [there for there in goal if there is not None]
                is_free = 0 <= x < grid.width and 0 <= y < grid.height and grid.is_free(grid.cell((x, y)))
                if action == AHEAD and ((x, y) in taken or not is_free):
                    action = WAIT
                if action != WAIT:
                    begun[robot], goal[robot] = action, (x, y) if action == AHEAD else None
            actions[step - 1, robot] = action
            spent[robot] += action != WAIT
        for robot in range(n):
            if begun[robot] is not None and spent[robot] == league.ticks:
                if begun[robot] == AHEAD:
                    places[robot] = goal[robot]
                else:
                    heading[robot] = (heading[robot] + (1 if begun[robot] == CLOCKWISE else 3)) % 4
                begun[robot], goal[robot], spent[robot] = None, None, 0
        if league.year == 2024:
            schedule += book.give_out(step)
        book.note(step, places)
    rows = np.array(schedule, SCHEDULED)
    run = LeagueRun(
        league.year, league.starts, np.zeros(n, np.int8), actions, rows, book.n_done, league.ticks,
        [np.zeros((0, 2), np.int32)] * n if league.year == 2026 else (),
    )  # fmt: skip
    return run, book.n_done


def towards(rng, grid, place, heading, target):
    """Mostly an action that leads straight to `target`, now and then any."""
    if target is None or rng.random() < 0.4:
        return int(rng.integers(4))
    x, y = grid.place(int(target))
    wanted = [k for k, (dx, dy) in STEPS.items() if dx * (x - place[0]) > 0 or dy * (y - place[1]) > 0]
    if not wanted:
        return WAIT
    if heading in wanted:
        return AHEAD
    return CLOCKWISE if (heading + 1) % 4 in wanted else COUNTER_CLOCKWISE


class Book:
    """Tasks as of 2024 and 2026: each robot without a task gets the oldest one that nobody has."""

    def __init__(self, league):
        self.league, self.open, self.n_revealed, self.n_done = league, {}, 0, 0
        self.task = [None] * league.n_robots

    def give_out(self, step):
        rows = []
        for robot, task in enumerate(self.task):
            free = [number for number in self.open if number not in self.task]
            if task is None and free:
                self.task[robot] = min(free)
                rows.append((step, robot, min(free)))
            elif task is None and step % 7 == 0:
                rows.append((step, robot, NO_TASK))
        return rows

    def target(self, robot):
        return None if self.task[robot] is None else self.open[self.task[robot]][0]

    def note(self, step, places):
        for robot, place in enumerate(places):
            if self.task[robot] is not None and self.league.grid.place(int(self.target(robot))) == place:
                self.open[self.task[robot]].pop(0)
                if not self.open[self.task[robot]]:
                    del self.open[self.task[robot]]
                    self.task[robot] = None
                    self.n_done += 1
        while len(self.open) < self.league.n_revealed:
            self.open[self.n_revealed] = self.league.errands(self.n_revealed).tolist()
            self.n_revealed += 1


class Book2023:
    """Tasks as of 2023: each robot has a list, which is filled up at once."""

    def __init__(self, league):
        self.league, self.n_done, self.next = league, 0, 0
        self.lists, self.counts = [[] for _ in range(league.n_robots)], [0] * league.n_robots
        self._fill()

    def target(self, robot):
        return self.lists[robot][0] if self.lists[robot] else None

    def note(self, step, places):
        for robot, place in enumerate(places):
            if step and self.lists[robot] and self.league.grid.place(self.lists[robot][0]) == place:
                self.lists[robot].pop(0)
                self.n_done += 1
        self._fill()

    def _fill(self):
        tasks = [int(task[0]) for task in self.league.tasks]
        for robot, own in enumerate(self.lists):
            while len(own) < self.league.n_revealed:
                number = self.counts[robot] * self.league.n_robots + robot
                if self.league.assignment == "greedy":
                    number = self.next
                if number >= len(tasks) and self.league.assignment != "roundrobin":
                    break
                own.append(tasks[number % len(tasks)])
                self.counts[robot] += 1
                self.next += 1
