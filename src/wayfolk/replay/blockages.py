"""The layer of a replay that shows, at the end, which agents did not arrive and whom they wait for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wayfolk.judge.blockage import KINDS_OF_BLOCKAGE, Blockage
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.layers import LayerKind, MarkLayer, Tone
from wayfolk.problem.plan import Plan

TITLE = "Not arrived"
_TONES: dict[str, Tone] = {"cycle": "red", "parked": "orange", "released": "orange", "late": "green"}


def blocked_layers(blockages: Sequence[Blockage], plan: Plan) -> tuple[MarkLayer, ...]:
    """Return a layer with a mark for each agent that did not arrive, or no layer if there is none.

    A mark is a line to the agent for which this one waits. An agent that waits for nobody has a ring around it, and the
    list beside the map names it twice.
    """
    kinds = tuple(LayerKind(kind, _TONES.get(kind, "blue")) for kind in KINDS_OF_BLOCKAGE)
    rows = []
    for blockage in blockages:
        whom = dict(blockage.waits)
        number = KINDS_OF_BLOCKAGE.index(blockage.kind)
        for agent in blockage.missing:
            other = whom.get(agent, agent)
            rows.append((agent, number, NOWHERE if other == agent else plan.cells[-1, other], other))
    if not rows:
        return ()
    agents, numbers, cells, others = (np.array(column, np.int32) for column in zip(*rows, strict=True))
    times = np.full(len(rows), float(plan.n_steps))
    layer = MarkLayer(
        title=TITLE,
        time=times,
        agent=agents,
        kind=numbers.astype(np.uint8),
        cell=cells,
        kinds=kinds,
        sender=agents,
        receiver=others,
        groups=(("agent", 0),),
    )
    return (layer,)
