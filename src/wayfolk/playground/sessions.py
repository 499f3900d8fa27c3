"""Sessions: what runs in the panels of one page, each algorithm in a process of its own.

A worker gets as much to do as the page asks for, and is never more than MOST_AHEAD steps ahead of what the page has got.
A worker that is silent for too long is ended by the watchdog; the others, also those of the same page, do not notice.
"""

from __future__ import annotations

from wayfolk.errors import WayfolkError
from wayfolk.playground.algorithms import checked_options
from wayfolk.playground.frames import AHEAD, BEGIN, BODIES, STEPS
from wayfolk.playground.limits import MOST_AHEAD
from wayfolk.playground.maps import YOURS, check_map
from wayfolk.playground.messages import (
    AdvanceTo,
    Answer,
    EditPanel,
    ExportFile,
    LookAt,
    OpenPanel,
    OpenWorld,
    SearchTrack,
    Stopped,
    Thinking,
    Waits,
    answer_text,
)
from wayfolk.playground.outbox import Letter, Outbox
from wayfolk.playground.process import Process, kind_of, last_step, text_of
from wayfolk.playground.workers import Workers

MOMENTS: tuple[int | type[Answer], ...] = (AHEAD, Waits, Thinking, SearchTrack)
"""What describes a moment as a whole: a newer one replaces it."""


class Session:
    """One panel of `page`: its worker, and what it owes to the page."""

    def __init__(self, panel: int, page: object, workers: Workers, outbox: Outbox) -> None:
        self.panel, self.page, self.workers, self.outbox = panel, page, workers, outbox
        self.process: Process | None = None
        self.received = self.wanted = 0

    def open(self, request: OpenPanel) -> None:
        """Begin a scene, in place of what runs here."""
        scene = request.scene
        checked_options(scene.entry(), dict(scene.options))
        check_map(scene.map)
        self.close()
        process = self.process = self.workers.take(self.page)
        self.received = self.wanted = 0
        process.listen(lambda data: self._heard(process, data))
        process.tell(OpenWorld(request, None if scene.map.walls else YOURS.get(scene.map.name)))

    def until(self, step: int) -> None:
        """Let time pass until `step`, as far as the page keeps up."""
        self.wanted = step
        self._ask()

    def pass_on(self, request: EditPanel | LookAt | ExportFile) -> None:
        """Give a request to the worker."""
        if self.process is None:
            raise WayfolkError("nothing runs here: start a scene first")
        self.process.tell(request)

    def close(self) -> None:
        """End the worker."""
        if self.process is not None:
            self.workers.give_back(self.process)
        self.process = None

    def _ask(self) -> None:
        step = min(self.wanted, self.received + MOST_AHEAD)
        if self.process is not None and step > self.process.asked_for:
            self.process.until(AdvanceTo(panel=self.panel, step=step))

    def _heard(self, process: Process, data: bytes | None) -> None:
        """Pass on what a worker has sent."""
        if process is not self.process:
            return  # what it has sent is not wanted any more
        if data is None:
            self.close()
            why = process.why or "the algorithm's process has ended"
            self.outbox.put(Letter(answer_text(Stopped(panel=self.panel, why=why))))
            return
        kind = kind_of(data)
        self.outbox.put(
            Letter(
                data if isinstance(kind, int) else text_of(data),
                (self.panel, kind) if kind in MOMENTS else None,
                lambda: self._sent(process, kind, data),
                lambda: process.sent(data),
            )
        )

    def _sent(self, process: Process, kind: int | type[Answer], data: bytes) -> None:
        """The page has got it: it may get more."""
        process.sent(data)
        if process is self.process and kind in (BEGIN, STEPS, BODIES):
            self.received = max(self.received, last_step(data))
            self._ask()
