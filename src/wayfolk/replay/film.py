"""Films and pictures of a replay: GIF and PNG by Pillow, MP4 by ffmpeg if it is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from wayfolk.errors import BadInput, NotSupported
from wayfolk.kernels.codes import NOWHERE
from wayfolk.replay import colours
from wayfolk.replay.body_moments import BodyMoments
from wayfolk.replay.colours import between
from wayfolk.replay.moments import Moments
from wayfolk.replay.node_film import draw_nodes
from wayfolk.replay.node_moments import NodeMoments, moments_of

if TYPE_CHECKING:
    from wayfolk.replay import Track

Panel = Moments | BodyMoments
FILMS = (".gif", ".mp4", ".png")
ENDINGS = ("", ".html", ".htm", ".svg", *FILMS)
SIDE = 480  # pixels of the longer side of a panel, about
MARGIN = 12
FRAMES = 160  # of a film, at most
PER_SECOND = 16
FINE = 2  # pictures are drawn so many times larger, and made smaller: edges look smooth


def check_name(file: str | Path) -> None:
    """Raise unless a replay can be written to a file of this name: by its ending, and by what is installed."""
    suffix = Path(file).suffix.lower()
    if suffix not in ENDINGS:
        raise BadInput(f"{file}: a replay is a file that ends in .html, .gif, .mp4, .svg or .png")
    if suffix in FILMS:
        _pillow()
    if suffix == ".mp4":
        _ffmpeg()


def film(tracks: Sequence[Track], suffix: str, *, frames: int = FRAMES, per_second: int = PER_SECOND) -> bytes:
    """Return `tracks` side by side as a film (`.gif`, `.mp4`) or, with `.png`, as the picture of their end."""
    panels = [moments_of(track) for track in tracks]
    end = max(panel.end for panel in panels)
    if suffix == ".png":
        return _encoded(_frame(panels, end), "PNG")
    if frames < 1 or per_second < 1:
        raise BadInput("a film needs 1 or more frames, and 1 or more of them a second")
    if any(isinstance(panel, BodyMoments) for panel in panels):
        per_unit = per_second  # bodies move all the time: at their own pace, or faster if that takes too many frames
    else:
        per_unit = 4 if end < frames / 4 else 1
    n_frames = int(min(frames, max(2, np.ceil(end * per_unit) + 1)))
    pictures = (_frame(panels, t) for t in np.linspace(0.0, end, n_frames))
    return _gif(list(pictures), per_second) if suffix == ".gif" else _mp4(pictures, per_second)


def _frame(panels: Sequence[Panel], t: float) -> Any:
    """Draw the panels at `t` side by side."""
    pillow = _pillow()
    pictures = [_panel(panel, min(t, panel.end)) for panel in panels]
    wide = sum(picture.width for picture in pictures) + MARGIN * (len(pictures) + 1)
    high = max(picture.height for picture in pictures) + 2 * MARGIN
    whole = pillow.Image.new("RGB", (wide + wide % 2, high + high % 2), colours.PAGE)  # ffmpeg wants even numbers
    x = MARGIN
    for picture in pictures:
        whole.paste(picture, (x, MARGIN))
        x += picture.width + MARGIN
    return whole


def _panel(panel: Panel, t: float) -> Any:
    pillow = _pillow()
    floor = panel.floor(t)
    side = SIDE if isinstance(panel, Moments) else 2 * SIDE  # a body is small in its cell
    scale = max(1, side // max(panel.grid.width, panel.grid.height))
    size = scale * FINE
    picture = pillow.Image.fromarray(np.repeat(np.repeat(floor, size, 0), size, 1))
    brush = pillow.ImageDraw.Draw(picture)
    if isinstance(panel, BodyMoments):
        _draw_bodies(brush, panel, t, size)
    elif isinstance(panel, NodeMoments):
        draw_nodes(brush, panel, t, size)
    else:
        _draw_route(brush, panel, t, size)
        _draw_goals(brush, panel, t, size)
        _draw_agents(brush, panel, t, size)
    picture = picture.resize((picture.width // FINE, picture.height // FINE), pillow.Image.Resampling.BOX)
    if max(picture.size) > 2 * SIDE:  # a large map: a pixel for several cells
        picture.thumbnail((2 * SIDE, 2 * SIDE))
    title = panel.track.title
    if not title:
        return picture
    whole = pillow.Image.new("RGB", (picture.width, picture.height + 20), colours.PAGE)
    font = pillow.ImageFont.load_default(14)
    text = _fitting(title, font, picture.width - 70)
    words = pillow.ImageDraw.Draw(whole)
    words.text((0, 0), text, fill=colours.INK, font=font)
    clock = f"{t:,.0f}"
    words.text((picture.width - font.getlength(clock), 0), clock, fill=colours.QUIET, font=font)
    whole.paste(picture, (0, 20))
    return whole


def _draw_bodies(brush: Any, panel: BodyMoments, t: float, size: int) -> None:
    """Discs with their headings, walls between cells, and signals, as on the page."""
    for x, y, last_x, last_y in ((panel.walls + 0.5) * size).tolist():
        brush.line([(x, y), (last_x, last_y)], fill=colours.QUIET, width=2 * FINE)
    places, here = panel.agents(t)
    hues, headings = panel.hues(t), panel.headings(t)
    for body in np.flatnonzero(here).tolist():
        x, y = (places[body] + 0.5) * size
        radius = max(panel.radii[body] * size, 1.7 * FINE)
        _disc(brush, x, y, radius, hues[body], colours.INK if panel.is_vehicle[body] else None)
        if radius >= 3 * FINE:
            ahead = np.array([np.cos(headings[body]), np.sin(headings[body])]) * radius
            ends = [(x + part * ahead[0], y + part * ahead[1]) for part in (0.25, 0.9)]
            brush.line(ends, fill=colours.FLOOR, width=max(1, round(0.28 * radius)))
    for (x, y), hue in zip(((panel.lamps + 0.5) * size).tolist(), panel.lamp_hues(t), strict=True):
        _disc(brush, x, y, max(0.1 * size, 4.0 * FINE), hue, colours.INK)


def _draw_agents(brush: Any, panel: Moments, t: float, size: int) -> None:
    places, here = panel.agents(t)
    radius = 0.43 * size
    for agent in np.flatnonzero(here).tolist():
        x, y = (places[agent] + 0.5) * size
        _disc(brush, x, y, radius, colours.AGENTS[agent % len(colours.AGENTS)])


def _draw_goals(brush: Any, panel: Moments, t: float, size: int) -> None:
    goals = panel.goals(t)
    if panel.trace is not None:
        _disc(brush, *_middle(panel, panel.trace.start, size), max(0.36 * size, 4.0 * FINE), colours.START)
        _diamond(brush, *_middle(panel, panel.trace.goal, size), max(0.45 * size, 5.0 * FINE), colours.PATH, True)
        return
    for agent in np.flatnonzero(goals != NOWHERE).tolist():
        hue = colours.AGENTS[agent % len(colours.AGENTS)]
        _diamond(brush, *_middle(panel, int(goals[agent]), size), 0.3 * size, hue, False)


def _draw_route(brush: Any, panel: Moments, t: float, size: int) -> None:
    points = [((x + 0.5) * size, (y + 0.5) * size) for x, y in panel.route(t)]
    if len(points) > 1:
        brush.line(points, fill=colours.PATH, width=max(round(0.26 * size), 3 * FINE), joint="curve")


def _middle(panel: Moments, cell: int, size: int) -> tuple[float, float]:
    x, y = panel.grid.place(cell)
    return (x + 0.5) * size, (y + 0.5) * size


def _disc(
    brush: Any, x: float, y: float, radius: float, colour: colours.Colour, edge: colours.Colour | None = None
) -> None:
    box = (x - radius, y - radius, x + radius, y + radius)
    brush.ellipse(box, fill=colour, outline=edge, width=max(1, round(0.12 * radius)))


def _diamond(brush: Any, x: float, y: float, half: float, colour: colours.Colour, is_full: bool) -> None:
    corners = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)]
    brush.polygon(corners, fill=colour if is_full else None, outline=colour, width=max(1, round(half / 4)))


def _fitting(text: str, font: Any, room: float) -> str:
    """`text`, cut where it would not fit."""
    while text and font.getlength(text) > room:
        text = text[:-1]
    return text


def _gif(pictures: list[Any], per_second: int) -> bytes:
    palette = _palette()
    pictures = [picture.quantize(palette=palette, dither=0) for picture in pictures]
    pause = [round(1000 / per_second)] * (len(pictures) - 1) + [1500]
    out = BytesIO()
    pictures[0].save(out, "GIF", save_all=True, append_images=pictures[1:], duration=pause, loop=0, disposal=1)
    return out.getvalue()


def _palette() -> Any:
    """One palette for all frames, of the colours that they are made of."""
    blends = [
        between(ends, k / (n - 1))
        for ends, n in (
            ((colours.PAGE, colours.INK), 12),
            ((colours.FLOOR, colours.PATH), 6),
            ((colours.FLOOR, colours.WALL), 4),
            (colours.CLOSED, 48),
            (colours.CLOSED_BACK, 32),
            (colours.LEARNED, 32),
            *(((colours.FLOOR, hue), 5) for hue in (*colours.AGENTS, *colours.LAMPS.values())),
            *(((colours.FLOOR, hue), 8) for hue in (colours.TONES["grey"], colours.TONES["orange"])),
        )
        for k in range(n)
    ]
    fixed = [colours.OPEN, colours.OPEN_BACK, colours.SCANNED, colours.START, colours.QUIET, colours.EDGE]
    listed = [part for colour in [*fixed, *blends][:256] for part in colour]
    palette = _pillow().Image.new("P", (1, 1))
    palette.putpalette(listed + listed[:3] * (256 - len(listed) // 3))
    return palette


def _mp4(pictures: Iterator[Any], per_second: int) -> bytes:
    ffmpeg = _ffmpeg()
    first = next(pictures)
    with TemporaryDirectory() as folder:
        target, said = Path(folder) / "film.mp4", Path(folder) / "said"
        size = f"{first.width}x{first.height}"
        command = [ffmpeg, "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size]
        command += ["-r", str(per_second), "-i", "-", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(target)]
        with said.open("wb") as log, subprocess.Popen(command, stdin=subprocess.PIPE, stderr=log) as program:
            assert program.stdin is not None
            with suppress(BrokenPipeError):  # it says why
                for picture in chain([first], pictures):
                    program.stdin.write(picture.tobytes())
                program.stdin.close()
            program.wait()
        if program.returncode or not target.exists():
            raise BadInput(f"ffmpeg could not make the film: {said.read_text(errors='replace').strip()[:200]}")
        return target.read_bytes()


def _ffmpeg() -> str:
    """The program."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise NotSupported("an .mp4 film needs the program ffmpeg, which is not installed: choose .gif or .svg")
    return program


def _encoded(picture: Any, kind: str) -> bytes:
    out = BytesIO()
    picture.quantize(palette=_palette(), dither=0).save(out, kind, optimize=True)
    return out.getvalue()


def _pillow() -> Any:
    try:
        import PIL.Image
        import PIL.ImageDraw
        import PIL.ImageFont
    except ImportError:
        raise NotSupported("films and pictures need Pillow: pip install 'wayfolk[images]'") from None
    return PIL
