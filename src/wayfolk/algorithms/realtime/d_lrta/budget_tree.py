"""A small decision tree, trained beforehand: from facts about an agent to the budget of its next plan."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.realtime.d_lrta.region_pairs import N_QUESTIONS

ENOUGH = 0.8  # the budget of a leaf is enough for this share of its samples
MOST_LIMITS = 32  # thresholds that are tried for each fact


def learn_tree(samples: NDArray[Any], classes: NDArray[Any], budgets: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The arrays of a `BudgetTree`. `classes[k]` is the index of the least budget that is enough for `samples[k]`.

    Each question is the one with the least variance of the classes on either side.
    """
    fact, limit = np.zeros(N_QUESTIONS, np.int64), np.full(N_QUESTIONS, np.inf)
    chosen = np.zeros(2 * N_QUESTIONS + 1, np.int64)  # the class of the samples at each node
    rows = {0: np.arange(len(classes))}
    for node in range(2 * N_QUESTIONS + 1):
        here = rows[node]
        if len(here):
            chosen[node] = int(np.quantile(classes[here], ENOUGH, method="higher"))
        elif node:
            chosen[node] = chosen[(node - 1) // 2]
        if node < N_QUESTIONS:
            fact[node], limit[node] = _question(samples[here], classes[here])
            is_left = samples[here, fact[node]] <= limit[node]
            rows[2 * node + 1], rows[2 * node + 2] = here[is_left], here[~is_left]
    return {"fact": fact, "limit": limit, "budgets": budgets[chosen[N_QUESTIONS:]]}


def _question(samples: NDArray[Any], classes: NDArray[Any]) -> tuple[int, float]:
    """The fact and the limit that separate the classes best; all are below the limit if nothing does."""
    best, chosen = _unlike(classes) - 1e-9, (0, np.inf)
    for fact in range(samples.shape[1]):
        values = np.unique(samples[:, fact])
        middles = (values[1:] + values[:-1]) / 2
        for limit in middles[:: max(1, len(middles) // MOST_LIMITS)].tolist():
            is_left = samples[:, fact] <= limit
            unlike = _unlike(classes[is_left]) + _unlike(classes[~is_left])
            if unlike < best:
                best, chosen = unlike, (fact, limit)
    return chosen


def _unlike(classes: NDArray[Any]) -> float:
    """The sum of the squared differences of the classes from their mean."""
    return float(((classes - classes.mean()) ** 2).sum()) if len(classes) else 0.0
