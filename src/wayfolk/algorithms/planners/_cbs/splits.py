"""The constraints of the two children of a node, as they are collected."""

from wayfolk.algorithms.planners._cbs.tables import N_SPLIT
from wayfolk.compile.jit import inner


@inner
def put(s, child, agent, kind, a, b, begin, end):
    """Give the first (0) or the second child (1) a constraint."""
    row = s.split[child, s.counts[N_SPLIT + child]]
    s.counts[N_SPLIT + child] += 1
    row["agent"], row["kind"], row["a"], row["b"], row["begin"], row["end"] = agent, kind, a, b, begin, end
