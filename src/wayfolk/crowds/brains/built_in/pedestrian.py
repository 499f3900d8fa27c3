"""The pedestrian of Arun: walks, and waits at a crossing while the cars have green.

Arun, "Pathfinding algorithms in multi-agent systems", section 3.0.1.
"""

from typing import Any

from wayfolk.crowds.brains import Brain, State


class Pedestrian(Brain):
    """Walks, and waits at a crossing until the cars have red.

    The signal is the one of the cars. At orange it waits too: there may not be time to reach the other side.
    """

    senses = ("signal", "at_crossing")
    first = "walking"
    walking = State(pace=1.0)
    waiting = State(pace=0.0)

    @walking.to("waiting")
    def cars_may_drive(self, see: Any) -> bool:
        """The crossing is ahead, and the cars do not have red."""
        return bool(see.at_crossing and see.signal != "red")

    @waiting.to("walking")
    def cars_have_red(self, see: Any) -> bool:
        """The cars have to stop, or the crossing is no longer ahead."""
        return bool(see.signal == "red" or not see.at_crossing)
