"""Named arrays that a file holds: each is compared with an array of the same type and shape, and has bounds.

Integers have bounds because kernels use them as indices and check nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import View
from wayfolk.errors import BadInput
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.world.grid import Grid

S = TypeVar("S", bound=np.generic)
MOST = 1 << 60  # kernels can add to such a counter for ever


class Bounds(NamedTuple):
    """Numbers from `least` to `most`, or the number `none`; with `inside`, only those whose place in it is True."""

    least: float
    most: float
    none: int | None = None
    inside: NDArray[np.bool_] | None = None

    def holds(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of the values are within these bounds; "not a number" never is."""
        fits: NDArray[np.bool_] = (values >= self.least) & (values <= self.most)
        if self.inside is not None:
            fits[fits] = self.inside[values[fits]]
        return fits if self.none is None else fits | (values == self.none)


Given = tuple[float, float] | tuple[float, float, int] | Bounds


class CheckedArrays:
    """The arrays of one controller of the world in `view`, noted to be saved, or held to be read (`is_read`).

    Bounds: `places` are the cells of the map or the nodes of a graph of states, `cells` these and 0, with which arrays are
    filled, `cells_or_none` these and NOWHERE; `agents` are the numbers of agents, `agents_or_none` these and NOBODY;
    `count` are counters and stamps, `small` those of 32 bits and slots of time, `ever` times and costs from 0 to infinity,
    `any` all finite numbers. `n_rows` is the length of the log. A controller that `begins_anew` remembers nothing, and
    plans from the world as it is.
    """

    count = Bounds(0, MOST)
    small = Bounds(0, (1 << 30) - 1)
    ever = Bounds(0.0, float("inf"))
    any = Bounds(-(2.0**64), 2.0**64)

    def __init__(self, view: View, n_rows: int, held: dict[str, NDArray[Any]] | None = None) -> None:
        self.view, self.states, self.n_rows = view, view.states, n_rows
        self.begins_anew = False
        self.is_read = held is not None
        self.arrays: dict[str, NDArray[Any]] = {} if held is None else held
        self._read: set[str] = set()
        self._prefix = ""
        n_cells, n_agents = view.states.n_cells, len(view.here)
        flat = np.ones(n_cells, np.bool_)
        if isinstance(view.states, Grid):
            inside = np.zeros((view.states.height + 2, view.states.stride), np.bool_)
            inside[1:-1, 1:-1] = True
            flat = inside.ravel()
        with_none = flat.copy()
        with_none[0] = True
        self.places = Bounds(0, n_cells - 1, None, flat)
        self.cells = Bounds(0, n_cells - 1, None, with_none)
        self.cells_or_none = Bounds(0, n_cells - 1, int(NOWHERE), with_none)
        self.agents = Bounds(0, n_agents - 1)
        self.agents_or_none = Bounds(0, n_agents - 1, int(NOBODY))

    def numbers(self, name: str, array: NDArray[S], bounds: Given) -> NDArray[S]:
        """Note `array`, or write what was noted to it."""
        held = self._held(name, array, array.shape)
        if held is None:
            return array
        self.check(name, held, bounds)
        array[...] = held
        return array

    def records(self, name: str, array: NDArray[np.void], **bounds: Given) -> NDArray[np.void]:
        """The same for an array of records, with bounds for each field; those of real numbers may be left out."""
        _complete(array.dtype, bounds)
        held = self._held(name, array, array.shape)
        if held is None:
            return array
        self._check_fields(name, held, bounds)
        array[...] = held
        return array

    def listed(self, name: str, array: NDArray[S], most: int, bounds: Given) -> NDArray[S]:
        """Note a list, or return what was noted: up to `most` rows of the same shape as those of `array`."""
        held = self._held(name, array, (None, *array.shape[1:]), most)
        if held is None:
            return array
        self.check(name, held, bounds)
        return held

    def records_listed(self, name: str, array: NDArray[np.void], most: int, **bounds: Given) -> NDArray[np.void]:
        """The same for a list of records."""
        _complete(array.dtype, bounds)
        held = self._held(name, array, (None, *array.shape[1:]), most)
        if held is None:
            return array
        self._check_fields(name, held, bounds)
        return held

    def number(self, name: str, value: float, bounds: Given) -> Any:
        """Note one number, or return the one that was noted: of the same type as `value`, int or float."""
        kind = np.int64 if isinstance(value, int | np.integer) else np.float64
        return self.numbers(name, np.array(value, kind), bounds).item()

    def luck(self, name: str, state: NDArray[np.uint64]) -> None:
        """The state of random numbers in kernels."""
        self.numbers(name, state, self.any)

    def generator(self, name: str, random: np.random.Generator) -> None:
        """The state of numpy's usual generator."""
        state: Any = random.bit_generator.state
        words = [state["state"]["state"], state["state"]["inc"]]
        halves = [word >> shift & (2**64 - 1) for word in words for shift in (64, 0)]
        held = np.array([*halves, state["has_uint32"], state["uinteger"]], np.uint64)
        *halves, has_half, half = self.numbers(name, held, self.any).tolist()
        if self.is_read:
            words = [halves[0] << 64 | halves[1], halves[2] << 64 | halves[3]]
            if has_half > 1 or half >= 2**32 or words[1] % 2 == 0:
                raise BadInput(f"the array {self._named(name)!r} is no state of a random generator")
            random.bit_generator.state = state | {
                "state": {"state": words[0], "inc": words[1]}, "has_uint32": has_half, "uinteger": half,
            }  # fmt: skip

    def permutation(self, name: str, array: NDArray[S]) -> None:
        """An order of the agents, each of them once."""
        self.numbers(name, array, self.agents)
        if len(np.unique(array)) < len(array):
            self.refuse(name, "names an agent twice")

    def moves(self, name: str, array: NDArray[np.uint8], legal: NDArray[np.uint8]) -> None:
        """Bits of moves, all of them `legal`."""
        self.numbers(name, array, (0, 255))
        if (array & ~legal).any():
            self.refuse(name, "holds moves into walls")

    def part(self, name: str) -> Self:
        """The memory of a part, whose names begin with that of the part."""
        part = object.__new__(type(self))
        part.__dict__.update(self.__dict__)
        part._prefix = self._named(name) + "."
        return part

    def check(self, name: str, values: NDArray[Any], bounds: Given) -> None:
        """Raise BadInput unless all of `values` are within `bounds`."""
        fits = Bounds(*bounds).holds(values)
        if not fits.all():
            self.refuse(name, f"holds {values[~fits][0]}, which does not fit the world")

    def refuse(self, name: str, why: str) -> None:
        """Raise BadInput about an array."""
        raise BadInput(f"the array {self._named(name)!r} {why}")

    def finish(self) -> None:
        """Raise BadInput if there are arrays that were not asked for."""
        left = sorted(self.arrays.keys() - self._read)
        if left:
            raise BadInput(f"the array {left[0]!r} is not part of the memory of this controller")

    def _named(self, name: str) -> str:
        return self._prefix + name

    def _check_fields(self, name: str, held: NDArray[np.void], bounds: dict[str, Given]) -> None:
        for field in held.dtype.names or ():
            if held.dtype[field].base != np.bool_:
                self.check(f"{name}.{field}", held[field], bounds.get(field, self.ever))

    def _held(
        self, name: str, array: NDArray[Any], shape: tuple[int | None, ...], most: int = 0
    ) -> NDArray[Any] | None:
        """What was noted as `name`, of the type of `array`; None if arrays are to be noted."""
        key = self._named(name)
        if not self.is_read:
            if key in self.arrays:
                raise ValueError(f"{key} is remembered twice")
            self.arrays[key] = np.array(array, order="C")
            return None
        held = self.arrays.get(key)
        if held is None:
            raise BadInput(f"the array {key!r} of the controller's memory is missing")
        self._read.add(key)
        fits = held.ndim == len(shape) and all(
            side <= most if wanted is None else side == wanted for side, wanted in zip(held.shape, shape, strict=False)
        )
        if held.dtype != array.dtype or not fits:
            self.refuse(name, f"of {held.dtype} {held.shape} does not fit the world")
        return held.astype(array.dtype, copy=False) if held.dtype.names is None else held.view(array.dtype)


def _complete(kind: np.dtype[np.void], bounds: dict[str, Given]) -> None:
    """Raise TypeError unless each integer field of records has bounds, and no other field is bounded."""
    fields = {name for name in kind.names or () if kind[name].base.kind in "iu"}
    reals = {name for name in kind.names or () if kind[name].base.kind == "f"}
    missing, unknown = fields - bounds.keys(), bounds.keys() - fields - reals
    if missing or unknown:
        raise TypeError(f"bounds are needed for {sorted(missing)}, there are no fields {sorted(unknown)}")
