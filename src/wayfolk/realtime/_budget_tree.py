"""A small decision tree: from how an agent is getting on to how far it should look ahead. Learned beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.region_pairs import N_QUESTIONS

ENOUGH = 0.8  # the budget of a leaf is enough for this share of its samples
MOST_LIMITS = 32  # tried for each question


def learn_tree(samples: NDArray[Any], classes: NDArray[Any], budgets: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The arrays of a `BudgetTree`. `classes[k]` is the number of the least budget that is enough for `samples[k]`.

    Each question is the one after which the classes on either side differ least, by the sum of squares.
    """
    fact, limit = np.zeros(N_QUESTIONS, np.int64), np.full(N_QUESTIONS, np.inf)
    chosen = np.zeros(2 * N_QUESTIONS + 1, np.int64)  # the class for those who come to each node
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
    """The fact and the limit that tell the classes apart best; all are below the limit if nothing does."""
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
    """The sum of the squares of what is between each class and the mean."""
    return float(((classes - classes.mean()) ** 2).sum()) if len(classes) else 0.0
