"""A worker: one process that runs one algorithm for one panel, by small portions, and listens between them.

The server sends orders (`messages.Order`). The worker sends bytes, of which the first tells what follows:

    ANSWER            the number of an answer's type, and the answer as JSON (see `messages.py`)
    SCENE             the scene in a file that was read, as JSON
    another number    a binary frame of that kind (see `frames.py`)

While it works it says something at least after every portion, so that the server knows that it is not stuck.
"""

from __future__ import annotations

import json
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

from wayfolk.errors import NotSupported, TooLarge, WayfolkError
from wayfolk.playground.messages import (
    ANSWERS,
    MAX_SENTENCE,
    AdvanceTo,
    Answer,
    Begin,
    Edited,
    EditPanel,
    Failed,
    Idle,
    Loading,
    LookAt,
    Looked,
    OpenPanel,
    OpenWorld,
    Order,
    Over,
    Overlay,
    ReadFile,
    Refused,
    SearchTrack,
    Thinking,
    Waits,
    answer_text,
)
from wayfolk.world.grid import Grid

ANSWER, SCENE = 0, 255
PORTION = 0.03  # seconds of steps in one frame
MOST_STEPS = 32
SHOW_EVERY = 0.1  # seconds between two looks at what an algorithm shows of itself, at least
REST = 5.0  # times as long as such a look takes, or finding out who waits, nothing of the kind is done


def run(pipe: Connection) -> None:
    """Serve one panel until the server closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends its workers
    from wayfolk.playground import uploads  # noqa: F401 - a spare process has imported much when it is needed

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
        self.looks_ahead = self.looks_at_waits = False
        self.spoke = self.next_show = self.next_waits = 0.0

    def tell(self, kind: type[Answer], **fields: Any) -> None:
        """Send an answer with these fields, which are checked."""
        self.spoke = perf_counter()
        answer = kind(panel=self.panel, **fields)
        self.pipe.send_bytes(bytes([ANSWER, ANSWERS.index(kind)]) + answer_text(answer).encode())

    def guarded(self, call: Any, *arguments: Any) -> None:
        """Call something; what a caller did wrong becomes a sentence on the page, and so does what we did wrong."""
        try:
            call(*arguments)
        except WayfolkError as error:
            self.tell(Refused, why=str(error)[:MAX_SENTENCE])
        except (EOFError, OSError):
            raise
        except MemoryError:
            traceback.print_exc()
            self.world = None
            self.tell(Failed, why="this does not fit into the memory of the machine")
        except Exception as error:
            traceback.print_exc()
            self.world = None
            why = f"the algorithm ended with an error: {type(error).__name__}: {error}"
            self.tell(Failed, why=why[:MAX_SENTENCE])

    def has_work(self) -> bool:
        """Whether there is something to do without being asked."""
        if self.world is None:
            return False
        if self.is_whole:
            return self.world.track is None
        return self.world.step < self.until and not self.has_said_over

    def hear(self, order: Order) -> None:
        """Do what the server asks for."""
        if isinstance(order, OpenWorld):
            self.open(order.request, order.grid)
        elif isinstance(order, ReadFile):
            self.read(order.name, order.data)
        elif isinstance(order, AdvanceTo):
            self.until = order.step
            if not self.has_work():
                self.tell(Idle)
        elif self.world is None:
            self.tell(Refused, why="nothing runs here: start a scene first")
        elif isinstance(order, EditPanel):
            self.edit(order.edit)
        elif isinstance(order, LookAt):
            self.look(order.ahead, order.waits)
        else:
            self.export(order.format)

    def read(self, name: str, data: bytes) -> None:
        """Read a file that was dropped on the page, within bounded memory."""
        from wayfolk.machine import limit_memory
        from wayfolk.playground.limits import READ_BYTES
        from wayfolk.playground.uploads import read_upload

        limit_memory(READ_BYTES)
        try:
            scene = read_upload(name, data)
        except MemoryError:
            raise TooLarge(f"reading the file takes more than {READ_BYTES / 1e9:.1f} GB of memory") from None
        self.pipe.send_bytes(bytes([SCENE]) + json.dumps(scene, separators=(",", ":")).encode())

    def open(self, request: OpenPanel, yours: Grid | None) -> None:
        """Begin a scene; `yours` is the map that the caller of `wayfolk play` has given, if the scene is on it."""
        from wayfolk.playground.maps import grid_of

        scene = request.scene
        self.panel, self.world, self.until, self.has_said_over = request.panel, None, 0, False
        entry = scene.entry()
        grid = grid_of(scene.map, scene.moves, yours)
        self.tell(Loading, algorithm=entry.label)
        self.is_whole = scene.kind == "search"
        if scene.kind == "search":
            from wayfolk.playground.worlds.search import SearchWorld

            self.world = SearchWorld(scene, grid, entry)
            return
        self.begin(_world(scene, grid, entry, self.tell), entry)

    def begin(self, world: Any, entry: Any) -> None:
        """Tell the page everything about a world that goes step by step."""
        self.world = world
        self.tell(Begin, title=entry.label, family=entry.family, **world.head())
        self.pipe.send_bytes(world.frame(self.panel))
        self.show()

    def look(self, ahead: bool, waits: bool) -> None:
        """Show what agents have reserved, or who waits for whom, from now on."""
        has_agents = hasattr(self.world, "ahead")
        self.looks_ahead, self.looks_at_waits, self.next_waits = ahead and has_agents, waits and has_agents, 0.0
        self.tell_ahead()
        self.tell_waits()
        self.tell(Looked)

    def tell_ahead(self) -> None:
        """Send what agents have reserved, if the page looks at it."""
        from wayfolk.playground.frames import ahead_frame

        if self.looks_ahead:
            self.pipe.send_bytes(ahead_frame(self.panel, self.world.step, self.world.ahead()))

    def tell_waits(self) -> None:
        """Send who waits for whom, if the page looks at it; seldom where that takes long."""
        began = perf_counter()
        if not self.looks_at_waits or began < self.next_waits:
            return
        try:
            self.tell(Waits, step=self.world.step, **self.world.waits())
        except WayfolkError:
            self.looks_at_waits = False
            raise
        self.next_waits = perf_counter() + REST * (perf_counter() - began)

    def show(self) -> None:
        """Send what the algorithm shows of itself, if that has changed."""
        began = perf_counter()
        overlay = self.world.overlay()
        if overlay is not None:
            self.tell(Overlay, step=self.world.step, **overlay)
        self.next_show = perf_counter() + max(SHOW_EVERY, REST * (perf_counter() - began))

    def work(self) -> None:
        """Work for a portion, and send what has come of it."""
        if self.is_whole:
            if self.world.work():
                self.tell(SearchTrack, head=self.world.panel())
            elif perf_counter() - self.spoke > 0.4:
                self.tell(Thinking)
            return
        from wayfolk.playground.frames import steps_frame

        steps: list[Any] = []
        began = perf_counter()
        while self.world.step < self.until and len(steps) < MOST_STEPS and perf_counter() - began < PORTION:
            step = self.world.advance()
            if step is not None:
                steps.append(step)
                self.tell_ahead()
            if self.world.is_over:
                break
        if steps:
            self.pipe.send_bytes(steps_frame(self.panel, steps))
            self.tell_waits()
            if perf_counter() >= self.next_show:
                self.show()
        if self.world.is_over and not self.has_said_over:
            self.has_said_over = True
            self.show()
            self.tell(Over, step=self.world.step)

    def edit(self, edit: Any) -> None:
        """Change the world; where agents get new numbers, the page begins anew with them."""
        is_new = self.world.edit(edit)
        self.has_said_over = False
        if is_new and not self.is_whole:
            self.begin(self.world, self.world.entry)
        self.tell(Edited, do=edit.do)

    def export(self, kind: str) -> None:
        """Send a file of what has happened."""
        from wayfolk.playground.exports import export
        from wayfolk.playground.frames import file_frames

        name, data = export(self.world, kind)
        for part in file_frames(self.panel, name, data):
            self.pipe.send_bytes(part)


def _world(scene: Any, grid: Any, entry: Any, tell: Any) -> Any:
    """The world of a scene that goes step by step."""
    if scene.world:
        from wayfolk.playground.worlds.nodes import NodeWorld

        if scene.kind != "agents" or entry.family != "controllers":
            raise NotSupported(f"{entry.label} does not work in this world: choose a controller")
        return NodeWorld(scene, grid, entry, tell)
    if scene.kind == "agents" and entry.family == "planners":
        from wayfolk.playground.worlds.plan import PlanWorld

        return PlanWorld(scene, grid, entry, tell)
    if scene.kind == "agents":
        from wayfolk.playground.worlds.controller import ControllerWorld

        return ControllerWorld(scene, grid, entry, tell)
    if scene.street is not None:
        from wayfolk.playground.worlds.street import StreetWorld

        return StreetWorld(scene, grid, entry)
    from wayfolk.playground.worlds.crowd import CrowdWorld

    return CrowdWorld(scene, grid, entry)
