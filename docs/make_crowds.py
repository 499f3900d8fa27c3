"""Draws the figures of docs/crowds.md: figures/crowds-*.svg, and images/street.png with a browser.

    python docs/make_crowds.py            draw all
    python docs/make_crowds.py doors      draw some: brains, diagram, lanes, doors, corridors, street

Needs the extra `lab`; the picture of the street needs playwright and Chromium.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from wayfolk.crowds.measures.flow import weidmann_speed
from wayfolk.crowds.brains.diagram import as_svg
from wayfolk.crowds.brains.lookup import brain_names, find_brain
from wayfolk.experiments.papers.jansen.two_rooms import patrol_two_rooms
from wayfolk.experiments.phenomena.diagrams import walk_round
from wayfolk.experiments.phenomena.doors import LEAST_FLOW, MOST_FLOW, empty_room
from wayfolk.experiments.phenomena.lanes import two_way_corridor
from wayfolk.experiments.papers.drawing import INK, LOOKS, panels, style, write
from wayfolk.replay import Track, write_replay
from wayfolk.simulation.scene.reader import read_scene
from wayfolk.simulation.scene.run import run_scene
from wayfolk.simulation.scene.street_scene import StreetScene

ROOT = Path(__file__).resolve().parent
FIGURES, IMAGES = ROOT / "figures", ROOT / "images"
MODELS = ("social_force", "orca")
SEEDS = range(3)
MOMENTS = {"street": (68.0, 560), "crossroads": (40.0, 780)}
"""Seconds of a street at which its picture is taken, and the height of the picture."""


def brains() -> None:
    """The diagrams of all brains."""
    for name in brain_names():
        (FIGURES / f"crowds-brain-{name}.svg").write_text(as_svg(find_brain(name)()), encoding="utf-8")


def diagram() -> None:
    """Speed by density, beside Weidmann's."""
    figure, axes = panels(1, 2, (7.4, 3.2))
    densities = (0.2, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
    for look, model in zip(LOOKS[1:], MODELS, strict=False):
        points = [walk_round(model, density=density) for density in densities]
        axes[0].plot([point.density for point in points], [point.speed for point in points], label=model, **look)
        axes[1].plot([point.density for point in points], [point.flow for point in points], label=model, **look)
    x = np.linspace(0.1, 5.4, 100)
    axes[0].plot(x, weidmann_speed(x), color=INK, linestyle=":", label="people (Weidmann 1993)")
    axes[1].plot(x, x * weidmann_speed(x), color=INK, linestyle=":")
    for ax, label in zip(axes, ("metres a second", "persons a second and metre"), strict=True):
        ax.set_xlabel("persons on a square metre")
        ax.set_ylabel(label)
        ax.set_ylim(bottom=0)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    write(figure, FIGURES / "crowds-diagram.svg", "Speed and flow by density")


def lanes() -> None:
    """The order of lanes over time, and that of random ways."""
    figure, axes = panels(1, 1, (5.4, 3.2))
    for look, model in zip(LOOKS[1:], MODELS, strict=False):
        runs = [two_way_corridor(model, seconds=60.0, seed=seed) for seed in SEEDS]
        axes[0].plot(runs[0].times, np.mean([run.order for run in runs], axis=0), label=model, **look | {"marker": ""})
        if model == MODELS[-1]:
            mixed = np.mean([run.random for run in runs], axis=0)
            axes[0].plot(runs[0].times, mixed, color=INK, linestyle=":", label="random ways")
    axes[0].set_xlabel("seconds")
    axes[0].set_ylabel("lane order")
    axes[0].set_ylim(0, 1)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    write(figure, FIGURES / "crowds-lanes.svg", "Order of lanes in a corridor with traffic both ways")


def doors() -> None:
    """Specific flow by the width of a door, and by the speed that people want."""
    figure, axes = panels(1, 2, (7.4, 3.2), sharey=True)
    widths, speeds = (0.8, 1.0, 1.2, 1.6, 2.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0)
    for look, model in zip(LOOKS[1:], MODELS, strict=False):
        by_width = [[empty_room(model, width=width, radius=0.3, seed=seed) for seed in SEEDS] for width in widths]
        axes[0].plot(widths, [np.mean([run.specific_flow for run in some]) for some in by_width], label=model, **look)
        for width, some in zip(widths, by_width, strict=True):
            told = ", ".join(f"{run.specific_flow:.2f}" for run in some)
            print(f"  {model}, door of {width} m: {told}; squeezed {np.mean([run.squeezed for run in some]):.2f}")
    for look, step in ((LOOKS[1], 0.002), (LOOKS[1] | {"alpha": 0.4, "marker": "o"}, 0.01)):
        crowds = {
            speed: [
                empty_room(agents=200, side=15.0, speed=speed, radius=0.3, seed=seed, step=step, limit=600.0)
                for seed in SEEDS
            ]
            for speed in speeds
        }
        flows = [np.mean([run.specific_flow for run in runs]) for runs in crowds.values()]
        axes[1].plot(speeds, flows, **look)
        axes[1].annotate(f"steps of {1000 * step:g} ms", (speeds[-1], flows[-1] - 0.16), ha="right", fontsize=8)
        for speed, runs in crowds.items():
            told = ", ".join(f"{run.specific_flow:.2f} ({run.n_left} left)" for run in runs)
            print(f"  wanted {speed} m/s, steps of {step} s: {told}", flush=True)
    for ax, label in zip(axes, ("width of the door, metres", "speed that people want, metres a second"), strict=True):
        ax.axhspan(LEAST_FLOW, MOST_FLOW, color=INK, alpha=0.12, label="measured with people")
        ax.set_xlabel(label)
        ax.set_ylim(bottom=0)
    axes[0].set_ylabel("persons a second and metre")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)
    write(figure, FIGURES / "crowds-doors.svg", "Flow through doors")


def corridors() -> None:
    """The share of those in each of two corridors who go to the right, without and with a direction map."""
    figure, axes = panels(1, 2, (7.4, 2.8), sharey=True)
    for ax, guided in zip(axes, (False, True), strict=True):
        traffic = patrol_two_rooms(guided)
        for k, name in enumerate(("upper corridor", "lower corridor")):
            share = traffic.shares[:, k]
            known = np.flatnonzero(~np.isnan(share))
            window = np.ones(15) / 15
            mean = np.convolve(share[known], window, "valid")
            ax.plot(known[: len(mean)], mean, label=name, **LOOKS[k + 1] | {"marker": ""})
        ax.set_title("with a direction map" if guided else "flocking alone")
        ax.set_xlabel("seconds")
        told = f"{traffic.crossings} crossings, {100 * traffic.jammed:.0f} % of the time in jams"
        ax.text(0.5, 0.04, told, transform=ax.transAxes, ha="center", fontsize=8)
    axes[0].set_ylabel("share that goes right")
    axes[0].set_ylim(0, 1)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    write(figure, FIGURES / "crowds-corridors.svg", "Use of two corridors by a flock")


def street() -> None:
    """Pictures of the replays of the built-in scenes street and crossroads."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (moment, height) in MOMENTS.items():
            scene = read_scene(name)
            assert isinstance(scene, StreetScene), name
            done = run_scene(scene)
            page_file = Path(folder) / f"{name}.html"
            write_replay([Track(scene.model, done.trajectory, layers=(scene.street_map.layer(),))], page_file, scene.name)
            page = browser.new_page(viewport={"width": 1180, "height": height}, bypass_csp=True)
            page.goto(page_file.as_uri())
            page.wait_for_function("'wayfolk' in window")
            page.evaluate(f"wayfolk.seek({moment})")
            page.wait_for_timeout(500)
            page.screenshot(path=IMAGES / f"{name}.png")
        browser.close()


PARTS = {part.__name__: part for part in (brains, diagram, lanes, doors, corridors, street)}


def main(names: list[str]) -> None:
    """Draw the parts called `names`, or all."""
    with style():
        for name in names or PARTS:
            if name not in PARTS:
                sys.exit(f"there is no part {name!r}: choose {', '.join(PARTS)}")
            PARTS[name]()
            print(f"{name} done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
