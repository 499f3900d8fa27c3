"""The messages between a page, the server and a worker: one table of their types, each with its fields and their bounds.

    page -> server -> worker   `Request`: what the user does. The page sends JSON; the server checks it, and passes it on
    server -> worker           `OpenWorld` and `ReadFile`, which have what only the server knows
    worker -> server -> page   `Answer`: what has happened. Made and checked in the worker, and passed on as it is

The page has the same table as `web/playground/messages.js`, which `message_table.py` writes, and checks what it gets and
sends. Numbers of many agents go in binary frames (`frames.py`).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NamedTuple, get_args

from pydantic import Field, TypeAdapter, ValidationError

from wayfolk.errors import BadInput
from wayfolk.playground.limits import MAX_AGENTS, MAX_CELLS, MAX_PANELS
from wayfolk.playground.panel_scene import Edit, Number, PanelScene, Side, Strict, sentence
from wayfolk.world.grid import Grid

Panel = Annotated[int, Field(ge=0, lt=MAX_PANELS)]
Format = Literal["html", "gif", "svg", "json"]
MAX_SENTENCE = 2000
Sentence = Annotated[str, Field(max_length=MAX_SENTENCE)]
Label = Annotated[str, Field(max_length=200)]
Base64 = Annotated[str, Field(max_length=64 * MAX_CELLS)]
Seconds = Annotated[float, Field(ge=0)]
AgentNumber = Annotated[int, Field(ge=0)]


class Message(Strict):
    """A message about one panel."""

    panel: Panel


# --- from the page


class OpenPanel(Message):
    """Begin a scene in a panel, in place of what is there."""

    type: Literal["open"] = "open"
    scene: PanelScene


class AdvanceTo(Message):
    """Let time pass until `step`: the page asks for as much as it can show."""

    type: Literal["until"] = "until"
    step: Number


class EditPanel(Message):
    """Change the scene that runs in a panel."""

    type: Literal["edit"] = "edit"
    edit: Edit


class LookAt(Message):
    """Say what else the page shows of agents: what they have reserved ahead of them, and who waits for whom."""

    type: Literal["look"] = "look"
    ahead: bool = False
    waits: bool = False


class ExportFile(Message):
    """Make a file of what has happened in a panel."""

    type: Literal["export"] = "export"
    format: Format


class ClosePanel(Message):
    """End what runs in a panel."""

    type: Literal["close"] = "close"


Request = OpenPanel | AdvanceTo | EditPanel | LookAt | ExportFile | ClosePanel


# --- from the server to a worker


class OpenWorld(NamedTuple):
    """Begin the scene of a request. `grid` is the map of that name which the caller of `wayfolk play` has given."""

    request: OpenPanel
    grid: Grid | None = None


class ReadFile(NamedTuple):
    """Read a file that was dropped on the page."""

    name: str
    data: bytes


Order = OpenWorld | ReadFile | AdvanceTo | EditPanel | LookAt | ExportFile


# --- to the page


class Answer(Message):
    """A message of a worker. `is_last`: it completes a request; after others, more follows."""

    is_last: ClassVar[bool] = False


class Loading(Answer):
    """An algorithm is being loaded, and compiled if this is its first use."""

    type: Literal["loading"] = "loading"
    algorithm: Label


class BodiesHead(Strict):
    """How places of bodies are written in frames, and the names of their states and kinds."""

    seconds: Annotated[float, Field(gt=0)]
    cell: Annotated[float, Field(gt=0)]
    steps: Annotated[int, Field(ge=1)]
    states: tuple[Label, ...]
    kinds: tuple[Label, ...]
    lamps: tuple[tuple[float, float], ...]
    walls: tuple[tuple[float, float, float, float], ...] = ()
    frames: Number
    rows: Number


class Begin(Answer):
    """A world that goes step by step begins; a frame with its agents follows."""

    type: Literal["begin"] = "begin"
    title: Label
    family: Label
    width: Side
    height: Side
    step: Number
    agents: Annotated[int, Field(ge=0, le=10 * MAX_AGENTS)]
    diagonal: Annotated[float, Field(ge=1, le=2)]
    diagonals: bool
    kinds: tuple[Label, ...]
    directions: Annotated[tuple[tuple[int, int], ...], Field(min_length=8, max_length=8)]
    terrain: Base64 | None = None
    walls: Base64 | None = None
    bodies: BodiesHead | None = None
    nodes: dict[str, Any] | None = None


class SearchTrack(Answer):
    """A search is done; `head` is the panel of a replay with it."""

    type: Literal["track"] = "track"
    head: dict[str, Any]


class Thinking(Answer):
    """A planner or a search is at work, for so many seconds by now."""

    type: Literal["thinking"] = "thinking"
    seconds: Seconds | None = None


class Planned(Answer):
    """A planner has found a plan."""

    type: Literal["planned"] = "planned"
    seconds: Seconds
    steps: Number


class Waits(Answer):
    """Who waits for whom: pairs of agents, and the cycles among them."""

    type: Literal["waits"] = "waits"
    step: Number
    pairs: tuple[tuple[AgentNumber, AgentNumber], ...]
    cycles: tuple[tuple[AgentNumber, ...], ...]


class Overlay(Answer):
    """What an algorithm shows of itself: layers as a replay has them, and the moves that one-way maps leave."""

    type: Literal["overlay"] = "overlay"
    step: Number
    layers: dict[str, Any] | None = None
    moves: Base64 | None = None


class Edited(Answer):
    """A change was made."""

    type: Literal["edited"] = "edited"
    is_last = True
    do: Label


class Looked(Answer):
    """The page gets from now on what it wants to show."""

    type: Literal["looked"] = "looked"
    is_last = True


class Idle(Answer):
    """The world has reached the requested step."""

    type: Literal["idle"] = "idle"
    is_last = True


class Over(Answer):
    """Nothing will happen any more unless something is changed."""

    type: Literal["over"] = "over"
    is_last = True
    step: Number


class Refused(Answer):
    """A request was refused, and why."""

    type: Literal["refused"] = "refused"
    is_last = True
    why: Sentence


class Failed(Answer):
    """The algorithm has ended with an error, and its world is gone."""

    type: Literal["failed"] = "failed"
    is_last = True
    why: Sentence


class Stopped(Answer):
    """The worker's process has ended."""

    type: Literal["stopped"] = "stopped"
    is_last = True
    why: Sentence


REQUESTS: tuple[type[Message], ...] = get_args(Request)
ANSWERS: tuple[type[Answer], ...] = (
    Loading, Begin, SearchTrack, Thinking, Planned, Waits, Overlay, Edited, Looked, Idle, Over, Refused, Failed, Stopped,
)  # fmt: skip
"""All types of answers. The number of a type, which stands before an answer in a worker's pipe, is its place here."""
_REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])


def read_request(text: str) -> Request:
    """The request that `text` writes; a BadInput says in one sentence what is wrong with it."""
    try:
        return _REQUEST.validate_json(text)
    except ValidationError as error:
        raise BadInput(sentence(error)) from None


def answer_text(answer: Answer) -> str:
    """An answer as JSON; fields without a value are left out."""
    return answer.model_dump_json(exclude_none=True)
