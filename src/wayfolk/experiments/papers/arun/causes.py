"""Why claims of Arun fail here, what we chose where the document is silent, and what was found."""

from __future__ import annotations

from wayfolk.experiments.papers.claims import Cause, Choice, Measured

FINDINGS = [
    "The document names neither map nor unit nor the number of runs, so that only orders can be compared. Its table of"
    " features gives Theta* a queue, where the text has a priority queue. **With a plain queue Theta* expands as many"
    " nodes as Dijkstra, as printed**; with a priority queue it expands about as many as A*. The queue is the option"
    ' `order="fifo"` of `theta`.',
]
CHOICES = [
    Choice("map", "grids of 20 x 20 cells, none, a tenth or a fifth blocked", "it counts per 400 nodes"),
    Choice("moves", "8 neighbours, no cutting of corners", "it names the diagonal distance among its heuristics"),
    Choice("map for times", "100 x 100 cells", "on 20 x 20 cells a call takes longer than the search in it"),
    Choice("time", "seconds, the least of ten takes", "its unit is unknown; whatever disturbs a clock only adds to it"),
    Choice(
        "open list of Theta*", "in the order of f, and a plain queue beside it", "text and table of features differ"
    ),
    Choice("lookahead of RTA*", "3 moves", "with another depth it expands far fewer nodes or far more"),
    Choice("limited view", "cells at most 3 away", "as far as RTA* looks ahead"),
    Choice("cost of a move of RTA* (A11)", "expansions", "a clock also times the call around them"),
]


def _nodes(measured: Measured) -> str:
    theta, queue, dijkstra = (
        measured.value(table, "mean_nodes_expanded_per_400", algorithm=name)
        for table, name in (("nodes", "Theta*"), ("nodes-fifo", "Theta*"), ("nodes", "Dijkstra"))
    )
    if theta is None or queue is None or dijkstra is None:
        return ""
    return (
        f"Theta* over Dijkstra: {theta / dijkstra:.3f} with a priority queue, {queue / dijkstra:.3f} with a plain queue,"
        " 0.997 printed."
    )


def _times(measured: Measured) -> str:
    parts = []
    for table, what in (("times", "a priority queue"), ("times-fifo", "a plain queue")):
        theta, dijkstra = (measured.value(table, "execution_time", algorithm=name) for name in ("Theta*", "Dijkstra"))
        if theta is None or dijkstra is None:
            return ""
        parts.append(f"{theta / dijkstra:.2f} with {what}")
    return (
        f"Time of Theta* over Dijkstra: {', '.join(parts)}; printed are 1.00 to 1.13. A line of sight is checked for every"
        " cell that is reached."
    )


CAUSES = {
    "A2": Cause(
        "slip",
        "sA15, the table of features gives Theta* a queue",
        "A Theta* with a consistent heuristic expands about as many nodes as A*; with a plain queue it is a breadth-first"
        " search with straight lines.",
        _nodes,
    ),
    "A3": Cause(
        "slip",
        "sA15, the table of features gives Theta* a queue",
        "Theta* with a priority queue expands far fewer nodes than Dijkstra, and is faster.",
        _times,
    ),
    "A10": Cause(
        "setup",
        "the depth of lookahead, which the document does not give",
        "The spread of RTA* depends on how far it looks ahead.",
    ),
    "A13": Cause("difference", "", "See the parts in the table of claims."),
}
