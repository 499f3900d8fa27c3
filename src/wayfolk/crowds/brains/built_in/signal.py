"""The traffic signal of Arun: green, orange and red for the cars, by intervals.

Arun, "Pathfinding algorithms in multi-agent systems", section 3.0.1: it changes every 5 to 10 seconds.
"""

from wayfolk.crowds.brains import Brain, State


class Signal(Brain):
    """Green, then orange, then red for the cars, each for some seconds."""

    first = "green"
    green_seconds = 10.0
    orange_seconds = 3.0
    red_seconds = 10.0
    green = State()
    orange = State()
    red = State()

    green.to("orange", after="green_seconds")
    orange.to("red", after="orange_seconds")
    red.to("green", after="red_seconds")
