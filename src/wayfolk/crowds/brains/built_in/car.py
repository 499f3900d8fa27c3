"""The car of Arun: drives, and stops at a crossing when its signal is red.

Arun, "Pathfinding algorithms in multi-agent systems", section 3.0.1. The printed rule says green; the text before it says
red, which is what is meant.
"""

from typing import Any

from wayfolk.crowds.brains import Brain, State


class Car(Brain):
    """Drives, and stops before a crossing unless the signal is green and the way is clear.

    At orange it stops if it can: a car that is too near to brake drives on.
    """

    senses = ("signal", "at_crossing", "can_stop", "way_clear")
    first = "driving"
    driving = State(pace=1.0)
    stopping = State(pace=0.0)

    @driving.to("stopping")
    def must_not_cross(self, see: Any) -> bool:
        """The crossing is ahead, the way is not clear, and there is room to brake."""
        return bool(see.at_crossing and see.can_stop and (see.signal != "green" or not see.way_clear))

    @stopping.to("driving")
    def may_cross(self, see: Any) -> bool:
        """The signal is green and the way is clear, or the crossing is behind."""
        return bool(not see.at_crossing or (see.signal == "green" and see.way_clear))
