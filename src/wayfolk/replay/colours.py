"""The colours of films and pictures: those of the page on a light background."""

Colour = tuple[int, int, int]

PAGE: Colour = (255, 255, 255)
INK: Colour = (29, 32, 38)
QUIET: Colour = (106, 111, 121)
FLOOR: Colour = (250, 249, 247)
WALL: Colour = (180, 184, 192)
NEW_WALL: Colour = (200, 155, 106)
EDGE: Colour = (213, 211, 205)
AGENTS: tuple[Colour, ...] = (
    (0, 114, 178), (230, 159, 0), (0, 158, 115), (86, 180, 233), (204, 121, 167), (184, 168, 0), (60, 66, 80),
)  # fmt: skip
OPEN: Colour = (240, 162, 2)
OPEN_BACK: Colour = (208, 99, 156)
CLOSED: tuple[Colour, Colour] = ((207, 230, 245), (47, 111, 179))
CLOSED_BACK: tuple[Colour, Colour] = ((223, 241, 227), (43, 138, 87))
SCANNED: Colour = (218, 229, 239)
LEARNED: tuple[Colour, Colour] = ((253, 226, 184), (163, 18, 31))
PATH: Colour = (209, 36, 47)
START: Colour = (10, 143, 91)
LAMPS: dict[str, Colour] = {
    "green": (26, 152, 80), "orange": (243, 156, 18), "yellow": (243, 156, 18), "red": (209, 36, 47),
}  # fmt: skip
TONES: dict[str, Colour] = {
    "blue": (10, 106, 176), "orange": (221, 107, 0), "green": (10, 143, 91), "red": (209, 36, 47), "grey": (106, 111, 121),
}  # fmt: skip


def hexed(colour: Colour) -> str:
    """The colour as `#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def between(ends: tuple[Colour, Colour], part: float) -> Colour:
    """The colour at `part` of the way from the first of `ends` to the second."""
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(*ends, strict=True))
    return red, green, blue
