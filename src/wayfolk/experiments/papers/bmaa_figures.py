"""Figure 2 of the slides on BMAA*: completion rates over the number of agents. The slides print curves without numbers."""

from __future__ import annotations

from typing import Any

from wayfolk.experiments.papers import Figure, Measured
from wayfolk.experiments.papers._drawing import LOOKS, MORE_LOOKS, logarithmic, panels
from wayfolk.experiments.papers.bmaa_claims import ALGORITHMS


def _rates(measured: Measured) -> Any:
    figure, (ax,) = panels(1, 1, (6.4, 3.4))
    for look, name in zip((*LOOKS, *MORE_LOOKS), ALGORITHMS, strict=True):
        curve = measured.values("fig2", "completion_rate_pct", "agents", algorithm=name)
        if len(curve) < 2:
            return f"{name} was not measured"
        ax.plot(list(curve), list(curve.values()), label=name, markerfacecolor="none", **look)
    logarithmic(ax.xaxis)
    ax.set_xlabel("agents")
    ax.set_ylabel("completion rate, percent")
    ax.set_ylim(0, 102)
    figure.legend(*ax.get_legend_handles_labels(), loc="outside right upper")
    return figure


FIGURES = [Figure("2", "Completion rate over the number of agents", ("fig2",), _rates)]
