"""The same map, starts, goals and actions in pogema and here: the same observations, rewards and ends.

With the rule "soft", pogema 1.4 loses agents from its map of agents when one enters the cell that another leaves in the
same step; there the other two maps are compared, which depend on the place of the agent.

pogema needs older packages than ours: the variable POGEMA_PYTHON names a Python that has it.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import numpy as np
import pytest

from wayfolk.problem.problem import one_shot
from wayfolk.simulation.env import Arena
from wayfolk.world.generate import draw_pairs, random_map, without_islands

PEER = """
import json, sys, warnings
warnings.simplefilter("ignore")
from pogema import GridConfig
from pogema.envs import Pogema
told = json.loads(sys.argv[1])
env = Pogema(GridConfig(map=told["map"], agents_xy=told["starts"], targets_xy=told["goals"], num_agents=len(told["starts"]),
             obs_radius=told["vision"], collision_system=told["rule"], on_target="finish", max_episode_steps=10**6, seed=0))
observations, _ = env.reset()
out = [[[o.astype(int).tolist() for o in observations], None, None]]
for row in told["actions"]:
    observations, rewards, ended, _, _ = env.step(list(row))
    out.append([[o.astype(int).tolist() for o in observations], rewards, [bool(e) for e in ended]])
print(json.dumps(out))
"""


@pytest.mark.parametrize(("rule", "theirs"), [("priority", "priority"), ("block", "block_both"), ("soft", "soft")])
def test_an_episode_is_that_of_pogema(rule: Any, theirs: str) -> None:
    python = os.environ.get("POGEMA_PYTHON")
    if python is None:
        pytest.skip("POGEMA_PYTHON names no Python with pogema")
    grid = without_islands(random_map(12, 12, 0.25, seed=3, moves="four"))
    starts, goals = (grid.places(cells) for cells in draw_pairs(grid, 20, seed=3))
    actions = np.random.default_rng(3).integers(5, size=(80, 20))
    told = {
        "map": (~grid.free).astype(int).tolist(), "vision": 4, "rule": theirs, "actions": actions.tolist(),
        "starts": [[int(y), int(x)] for x, y in starts], "goals": [[int(y), int(x)] for x, y in goals],
    }  # fmt: skip
    done = subprocess.run(
        [*python.split(), "-c", PEER, json.dumps(told)], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    episode = json.loads(done.stdout)
    arena = Arena(one_shot(grid, starts, goals), vision=4, conflicts=rule)
    assert (arena.windows() == np.array(episode[0][0])).all()
    for step, row in enumerate(actions):
        was_active = arena.active.copy()
        turn = arena.step(row)
        windows, rewards, _ended = episode[step + 1]
        assert turn.rewards.tolist() == rewards, step
        maps = [0, 2] if rule == "soft" else [0, 1, 2]
        assert (turn.windows[was_active][:, maps] == np.array(windows)[was_active][:, maps]).all(), step
