"""A brain is checked when it is written: each mistake is one sentence that names it."""

import pytest

from wayfolk.crowds.brains import Brain, State
from wayfolk.crowds.brains.built_in.signal import Signal
from wayfolk.errors import BadInput

pytestmark = pytest.mark.plain


def no_states():
    class Empty(Brain):
        first = "walking"


def wrong_first():
    class Lost(Brain):
        first = "wlking"
        walking = State()


def wrong_target():
    class Typo(Brain):
        first = "walking"
        walking = State()
        waiting = State()

        @walking.to("wating")
        def red(self, see):
            return True


def no_way_out():
    class Stuck(Brain):
        first = "walking"
        walking = State()
        waiting = State(0.0)

        @walking.to("waiting")
        def red(self, see):
            return True


def no_way_in():
    class Apart(Brain):
        first = "walking"
        walking = State()
        waiting = State(0.0)

        @waiting.to("walking")
        def green(self, see):
            return True

        @walking.to("walking")
        def on(self, see):
            return True


def no_condition():
    class Bare(Brain):
        first = "a"
        a = State()
        a.to("a")


def unknown_setting():
    class Timed(Brain):
        first = "a"
        pause = 2.0
        a = State()
        a.to("a", after="pose")


def no_time():
    class Timed(Brain):
        first = "a"
        a = State()
        a.to("a", after=0)


def bad_sense():
    class Odd(Brain):
        senses = ("at crossing",)
        first = "a"
        a = State()


@pytest.mark.parametrize(
    ("write", "sentence"),
    [
        (no_states, "the brain empty has no states"),
        (wrong_first, "the brain lost begins with 'wlking', which is no state: did you mean 'walking'?"),
        (wrong_target, "from walking to 'wating', which is no state: did you mean 'waiting'?"),
        (no_way_out, "the brain stuck can never leave 'waiting': a transition is missing"),
        (no_way_in, "the brain apart can never enter 'waiting'"),
        (no_condition, "from a to a has no function and no `after`"),
        (unknown_setting, "waits for 'pose', which is no setting of it: did you mean 'pause'?"),
        (no_time, "waits for 0: write seconds above 0"),
        (bad_sense, "the senses of the brain odd must be a tuple of names"),
    ],
)
def test_a_mistake_is_one_sentence(write, sentence):
    with pytest.raises(BadInput) as caught:
        write()
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_pace_is_a_number_from_0_to_10():
    for pace in (-1, 11, float("nan"), "fast", True):
        with pytest.raises(BadInput, match="pace"):
            State(pace)


def test_settings_change_one_brain_and_no_other():
    quick = Signal(green_seconds=2)
    assert (quick.green_seconds, Signal().green_seconds) == (2.0, 10.0)
    with pytest.raises(BadInput, match="did you mean 'red_seconds'"):
        Signal(red_second=2)
    with pytest.raises(BadInput, match="must be a number"):
        Signal(red_seconds="long")
    with pytest.raises(BadInput, match="must last more than 0 seconds"):
        Signal(red_seconds=-1)
