"""A hurried pedestrian that errs: it loses patience, and then crosses though it must not."""

from typing import Any

from wayfolk.crowds.brains import Brain, State


class Hurried(Brain):
    """Walks fast, waits only for a while, then runs across if it sees no car near; some do not even look.

    `errs` is the share of agents that lose patience after `patience` seconds, and `careless` the share that does not look.
    """

    senses = ("signal", "at_crossing", "on_crossing", "car_near", "luck")
    first = "walking"
    patience = 4.0
    errs = 0.5
    careless = 0.1
    walking = State(pace=1.2)
    waiting = State(pace=0.0)
    running = State(pace=1.8)

    @walking.to("waiting")
    def cars_may_drive(self, see: Any) -> bool:
        """The crossing is ahead, and the cars do not have red."""
        return bool(see.at_crossing and see.signal != "red")

    @waiting.to("walking")
    def cars_have_red(self, see: Any) -> bool:
        """The cars have to stop, or the crossing is no longer ahead."""
        return bool(see.signal == "red" or not see.at_crossing)

    @waiting.to("running", after="patience")
    def loses_patience(self, see: Any) -> bool:
        """It is one of those who err, and sees no car near, or does not look."""
        return bool(see.luck < self.errs and (see.luck < self.careless or not see.car_near))

    @running.to("walking")
    def is_across(self, see: Any) -> bool:
        """The crossing is behind."""
        return bool(not see.at_crossing and not see.on_crossing)
