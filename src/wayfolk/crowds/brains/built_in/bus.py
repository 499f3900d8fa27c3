"""A bus: a car that also stops at its stops, for as long as people need to get on."""

from typing import Any

from wayfolk.crowds.brains import Brain, State


class Bus(Brain):
    """Drives, stops at crossings like a car, and waits `boarding_seconds` at each bus stop."""

    senses = ("signal", "at_crossing", "can_stop", "way_clear", "at_stop")
    first = "driving"
    boarding_seconds = 6.0
    driving = State(pace=1.0)
    stopping = State(pace=0.0)
    boarding = State(pace=0.0)
    leaving = State(pace=1.0)

    @driving.to("stopping")
    def must_not_cross(self, see: Any) -> bool:
        """The crossing is ahead, the way is not clear, and there is room to brake."""
        return bool(see.at_crossing and see.can_stop and (see.signal != "green" or not see.way_clear))

    @stopping.to("driving")
    def may_cross(self, see: Any) -> bool:
        """The signal is green and the way is clear, or the crossing is behind."""
        return bool(not see.at_crossing or (see.signal == "green" and see.way_clear))

    @driving.to("boarding")
    def reaches_a_stop(self, see: Any) -> bool:
        """It is at a bus stop."""
        return bool(see.at_stop)

    boarding.to("leaving", after="boarding_seconds")

    @leaving.to("driving")
    def has_left_the_stop(self, see: Any) -> bool:
        """The stop is behind."""
        return bool(not see.at_stop)
