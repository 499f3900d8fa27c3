"""Real-time search: one agent that must move now, with a bounded amount of planning before each move.

Each file is an algorithm; see `wayfolk.algorithms.catalogue` for what a file holds. The contract of the family:

    begin(world: Grid | Graph, start: int, goal: int, *, ...options, watch: bool = False) -> RealtimeAgent

begin       `start` and `goal` are free cells; the caller has checked them. `world` is not written to. Options are checked
            against their ranges before; `begin` checks only how they fit together, or fit the world. What an algorithm
            precomputes about a map is made here and kept with the map: that counts towards a deadline.
advance     `advance(moves)` plans and moves up to so many times, and returns the status: RUNNING; SOLVED at the goal;
            IMPOSSIBLE if no way leads there; GAVE_UP if the agent has walked into a trap of one-way edges. One unit of
            budget is one move; a move may be a wait. The walk does not depend on how it is divided into calls.
bound       The most expansions for one move. `result().counters.expanded_most` never exceeds it.
pauses      Planning can stop within a move. A kernel returns after `Limits.work` expansions or soon after, with all of
            its state in arrays, and the next call resumes it. So `advance` returns a fraction of a second after the time
            `until` (then `unspent` moves are left), and Ctrl-C works as soon. A kernel that cannot stop within a move
            needs options whose bounds keep a move short (`unbroken` is the most expansions it makes at once).
result      The walk so far, at any time: `path` is every cell from the start on, `cost` is what the moves cost, infinite
            until the goal is reached. `counters` count moves, waits, expansions. With `watch`, `events` are the expanded
            cells in order.
here        The cell of the agent now.
aim         `aim(place)` gives it another goal, also after it has arrived.
change      `change(world)` replaces the map by a changed version of the same size and moves.
again       `again()` begins another trial from the start with all that was learned (only if LEARNS).
h           `h(cell)` is the heuristic of a cell with what was learned (only if LEARNS).

Facts, which the contract tests hold every file to: COMPLETE (it reaches the goal if it can be reached), LEARNS (later
trials use what earlier ones learned; learned heuristics never overestimate), CONVERGES (repeated trials end with a cheapest
path, see `wayfolk.trials`), CONSISTENT (learned heuristics obey |h(a) - h(b)| <= cost(a, b)), ADAPTS (`aim` and `change`
work), WORLDS = "grid", MOVES, TERRAIN = False (what it refuses).

`RealtimeAgent` in `_agent.py` does all of this but one call of a kernel, `_move(limits)`; `Learner` in `_learner.py` adds
learning. The shortest algorithm to start from is `lrta.py` with `_one_ply/agent.py`.
"""
