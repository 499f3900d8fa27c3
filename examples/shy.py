"""A brain of one's own: a shy pedestrian. `wayfolk brain show examples/shy.py` draws it; shy.toml puts it on a street."""

from wayfolk.crowds.brains import Brain, State


class Shy(Brain):
    """Waits at red like others, and then one more second, to see whether the cars have really stopped."""

    senses = ("signal", "at_crossing", "car_near")
    first = "walking"
    hesitation = 1.0  # a number is a setting, which a scene may change
    walking = State(pace=0.9)
    waiting = State(pace=0.0)
    watching = State(pace=0.0)

    @walking.to("waiting")
    def sees_a_crossing(self, see):
        return see.at_crossing

    @waiting.to("watching")
    def cars_have_red(self, see):
        return see.signal == "red"

    @watching.to("waiting")
    def too_late(self, see):
        return see.signal != "red"

    @watching.to("crossing", after="hesitation")
    def no_car_moves(self, see):
        return not see.car_near

    crossing = State(pace=1.3)

    @crossing.to("walking")
    def is_across(self, see):
        return not see.at_crossing
