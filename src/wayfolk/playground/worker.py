"""A worker: one process that runs one algorithm for one panel, by small portions, and listens between them.

The server sends tuples: (OPEN, panel, scene, grid), (UNTIL, step), (EDIT, edit), (EXPORT, format). The worker sends bytes:
a frame of `frames.py`, or TEXT and a JSON object. While it works it says something at least after every portion, so that
the server knows that it is not stuck.
"""

from __future__ import annotations

import json
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

from wayfolk.errors import WayfolkError
from wayfolk.kernels.codes import DX, DY
from wayfolk.problem.record import KINDS

OPEN, UNTIL, EDIT, EXPORT = "open", "until", "edit", "export"
TEXT = b"\x00"
PORTION = 0.03  # seconds of steps in one frame
MOST_STEPS = 32


def run(pipe: Connection) -> None:
    """Serve one panel until the server closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends its workers
    worker = Worker(pipe)
    try:
        while True:
            if worker.has_work() and not pipe.poll():
                worker.guarded(worker.work)
            else:
                worker.guarded(worker.hear, pipe.recv())
    except (EOFError, OSError, KeyboardInterrupt):
        sys.exit(0)


class Worker:
    """The world of a panel, and how far the page wants it to go."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe, self.panel, self.until = pipe, 0, 0
        self.world: Any = None
        self.is_whole = self.has_said_over = False
        self.spoke = 0.0

    def tell(self, message: dict[str, Any]) -> None:
        """Send a JSON object."""
        self.spoke = perf_counter()
        self.pipe.send_bytes(TEXT + json.dumps({"panel": self.panel, **message}).encode())

    def guarded(self, call: Any, *arguments: Any) -> None:
        """Call something; what a caller did wrong becomes a sentence on the page, and so does what we did wrong."""
        try:
            call(*arguments)
        except WayfolkError as error:
            self.tell({"type": "refused", "why": str(error)})
        except (EOFError, OSError):
            raise
        except MemoryError:
            traceback.print_exc()
            self.world = None
            self.tell({"type": "failed", "why": "this does not fit into the memory of the machine"})
        except Exception as error:
            traceback.print_exc()
            self.world = None
            self.tell({"type": "failed", "why": f"the algorithm ended with an error: {type(error).__name__}: {error}"})

    def has_work(self) -> bool:
        """Whether there is something to do without being asked."""
        if self.world is None:
            return False
        if self.is_whole:
            return self.world.track is None
        return self.world.step < self.until and not self.has_said_over

    def hear(self, message: tuple[Any, ...]) -> None:
        """Do what the server asks for."""
        do, *rest = message
        if do == OPEN:
            self.open(*rest)
        elif do == UNTIL:
            self.until = rest[0]
            if not self.has_work():
                self.tell({"type": "idle"})
        elif self.world is None:
            self.tell({"type": "refused", "why": "nothing runs here: start a scene first"})
        elif do == EDIT:
            self.edit(rest[0])
        elif do == EXPORT:
            self.export(rest[0])

    def open(self, panel: int, scene: Any, grid: Any) -> None:
        """Begin a scene."""
        self.panel, self.world, self.until, self.has_said_over = panel, None, 0, False
        entry = scene.entry()
        self.tell({"type": "loading", "algorithm": entry.label})
        if scene.kind == "agents":
            from wayfolk.playground.moving import Controlled, Planned

            kind = Planned if entry.family == "planners" else Controlled
            world = kind(scene, grid, entry, self.tell)
            self.begin(world, entry)
        else:
            from wayfolk.playground.watched import Searched, Walked

            self.is_whole = True
            self.world = Searched(scene, grid, entry) if scene.kind == "search" else Walked(scene, grid, entry)

    def begin(self, world: Any, entry: Any) -> None:
        """Tell the page everything about a world that goes step by step."""
        self.is_whole, self.world = False, world
        grid = world.grid
        self.tell(
            {
                "type": "begin", "width": grid.width, "height": grid.height, "title": entry.label, "step": world.step,
                "agents": len(world.cells), "diagonal": grid.diagonal, "diagonals": grid.moves.value != "four",
                "family": entry.family, "layers": world.layers(), "kinds": list(KINDS),
                "directions": [list(step) for step in zip(DX, DY, strict=True)],
            }
        )  # fmt: skip
        self.pipe.send_bytes(world.frame(self.panel))

    def work(self) -> None:
        """Work for a portion, and send what has come of it."""
        if self.is_whole:
            if self.world.work():
                self.tell({"type": "track", "head": self.world.panel()})
            elif perf_counter() - self.spoke > 0.4:
                self.tell({"type": "thinking"})
            return
        from wayfolk.playground.frames import steps_frame

        steps: list[Any] = []
        began = perf_counter()
        while self.world.step < self.until and len(steps) < MOST_STEPS and perf_counter() - began < PORTION:
            step = self.world.advance()
            if step is not None:
                steps.append(step)
            if self.world.is_over:
                break
        if steps:
            self.pipe.send_bytes(steps_frame(self.panel, steps))
        if self.world.is_over and not self.has_said_over:
            self.has_said_over = True
            self.tell({"type": "over", "step": self.world.step})

    def edit(self, edit: Any) -> None:
        """Change the world. With other options, agents get new numbers: the page begins anew with them."""
        self.world.edit(edit)
        self.has_said_over = False
        if edit.do == "options" and not self.is_whole:
            self.pipe.send_bytes(self.world.frame(self.panel))
        self.tell({"type": "edited", "do": edit.do})

    def export(self, kind: str) -> None:
        """Send a file of what has happened."""
        from wayfolk.playground.exports import export
        from wayfolk.playground.frames import file_frame

        name, data = export(self.world, kind)
        self.pipe.send_bytes(file_frame(self.panel, name, data))
