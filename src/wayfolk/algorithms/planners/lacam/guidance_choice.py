"""Which guidance a dive gets: that of the best plan, or new paths from where the dive begins."""

REACTION = 0.2  # how fast averages follow new values
PERIOD = 6  # one dive in so many is of the kind that has gained less


class GuidanceChoice:
    """What the two kinds of dives, with old and new guidance, have gained and cost lately; new is believed in at first."""

    def __init__(self) -> None:
        self.gains, self.works = [0.0, 1.0], [1.0, 1.0]
        self.n = 0

    def draw(self) -> bool:
        """Whether the next dive gets new guidance."""
        self.n += 1
        better = self.gains[1] * self.works[0] >= self.gains[0] * self.works[1]
        return better != (self.n % PERIOD == 0)

    def learn(self, is_new: bool, gain: int, work: int) -> None:
        """Let the averages follow a dive."""
        for values, value in ((self.gains, gain), (self.works, work)):
            values[is_new] += REACTION * (value - values[is_new])
