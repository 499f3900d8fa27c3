"""A worker without a process: what it says and sends is kept."""

from __future__ import annotations

import json
from typing import Any

from wayfolk.playground.messages import EditPanel, OpenPanel
from wayfolk.playground.panel_scene import Edit, read_panel_scene
from wayfolk.playground.worker import ANSWER, Worker


class Kept:
    """A pipe that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def send_bytes(self, data: bytes) -> None:
        self.sent.append(data)


class Tried(Worker):
    """A worker that is called directly."""

    def __init__(self, **scene: Any) -> None:
        self.kept = Kept()
        super().__init__(self.kept)  # type: ignore[arg-type]
        checked = read_panel_scene(scene)
        self.guarded(self.open, OpenPanel(panel=0, scene=checked), None)

    def go(self, steps: int) -> Tried:
        """Let some steps pass."""
        self.until = self.world.step + steps if not self.is_whole else 0
        while self.has_work():
            self.guarded(self.work)
        return self

    def do(self, do: str, **rest: Any) -> str:
        """Make a change; why it was refused, or nothing."""
        n = len(self.kept.sent)
        self.guarded(self.hear, EditPanel(panel=0, edit=Edit(do=do, **rest)))  # type: ignore[arg-type]
        return " ".join(said["why"] for said in self.said("refused", "failed", since=n))

    def said(self, *types: str, since: int = 0) -> list[dict[str, Any]]:
        """What it has said, of these types."""
        texts = [json.loads(data[2:]) for data in self.kept.sent[since:] if data[0] == ANSWER]
        return [text for text in texts if text["type"] in types]

    def frames(self, kind: int) -> list[bytes]:
        """The frames of one kind."""
        return [data for data in self.kept.sent if data[0] == kind]
