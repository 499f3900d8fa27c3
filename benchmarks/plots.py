"""The figures of the benchmarks: curves over the size of the map or the number of agents."""

from pathlib import Path

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
# Okabe and Ito's colours, which people with colour blindness can tell apart
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")


def over_map_size(times, file, label, *, both_logarithmic):
    """`times[name][side]` as a curve for each name over the number of cells, written to docs/figures."""
    over_cells = {name: {side**2: value for side, value in values.items()} for name, values in times.items()}
    _draw(over_cells, file, ("cells of the map", label), both_logarithmic)


def over_agents(times, file, label):
    """`times[name][agents]` as a curve for each name over the number of agents, both logarithmic."""
    _draw(times, file, ("agents", label), both_logarithmic=True)


def _draw(curves, file, labels, both_logarithmic):
    plt = _pyplot()
    figure, axes = plt.subplots(figsize=(6.4, 4.0))
    for (name, values), mark in zip(curves.items(), "osD^vP", strict=False):
        axes.plot(list(values), list(values.values()), marker=mark, label=name)
    axes.set_xscale("log")
    measured = sorted({number for values in curves.values() for number in values})
    axes.set_xticks(measured, [f"{number:,}" for number in measured])
    axes.set_xticks([], minor=True)
    if both_logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.grid(alpha=0.3)
    axes.legend()
    _save(figure, file)


def success_over_agents(rates, file):
    """`rates[map][planner][agents]` as a panel for each map: a row of cells for each planner, dark where all succeed."""
    plt = _pyplot()
    figure, panels = plt.subplots(2, 3, figsize=(11.5, 8.4), sharey=True, layout="constrained")
    for axes, (name, by_planner) in zip(panels.flat, rates.items(), strict=True):
        counts = list(next(iter(by_planner.values())))
        shades = [list(by_agents.values()) for by_agents in by_planner.values()]
        axes.pcolormesh(shades, cmap="Blues", vmin=0, vmax=1.25, edgecolors="white", linewidth=1.5)
        for row, by_agents in enumerate(by_planner.values()):
            for column, rate in enumerate(by_agents.values()):
                if 0 < rate < 1:
                    axes.text(column + 0.5, row + 0.5, f"{rate:.0%}", ha="center", va="center", fontsize=7)
        axes.set_xticks([k + 0.5 for k in range(len(counts))], [f"{count:,}" for count in counts])
        axes.set_yticks([k + 0.5 for k in range(len(by_planner))], list(by_planner))
        axes.tick_params(length=0, labelsize=9)
        axes.set_title(name, fontsize=10)
        for spine in axes.spines.values():
            spine.set_visible(False)
    panels[0, 0].invert_yaxis()  # shared by all
    figure.supxlabel("agents", fontsize=10)
    _save(figure, file)


def time_over_agents(seconds, names, kinds, file):
    """`seconds[map][planner][agents]`: a column of panels for each of the maps `names`, a row for each of `kinds`."""
    plt = _pyplot()
    longest = max(value for curves in seconds.values() for values in curves.values() for value in values.values())
    figure, panels = plt.subplots(
        len(kinds), len(names), figsize=(2.9 * len(names), 9.6), sharex=True, sharey=True, layout="constrained"
    )
    for row, (kind, planners) in enumerate(kinds.items()):
        for axes, name in zip(panels[row], names, strict=True):
            curves = {planner: seconds[name][planner] for planner in planners if seconds[name].get(planner)}
            axes.set(xscale="log", yscale="log", xlim=(8, 60_000), ylim=(2e-4, 3 * longest))
            axes.set_xticks([10, 100, 1000], ["10", "100", "1,000"])
            axes.minorticks_off()
            axes.grid(alpha=0.3)
            for planner, values in curves.items():
                colour = COLOURS[planners.index(planner)]
                axes.plot(list(values), list(values.values()), color=colour, linewidth=1.4, marker="o", markersize=2.5)
            _label_ends(axes, curves, [COLOURS[planners.index(planner)] for planner in curves])
            if row == 0:
                axes.set_title(name, fontsize=10)
        panels[row, 0].set_ylabel(f"{kind}\nseconds of processor time", fontsize=9)
    figure.supxlabel("agents", fontsize=10)
    _save(figure, file)


def _label_ends(axes, curves, colours):
    """Write the names right of the curves, in the order of their last points, with a line from point to name."""
    ends = [list(values.items())[-1] for values in curves.values()]
    lowest = 0.0
    for (agents, seconds), name, colour in sorted(zip(ends, curves, colours, strict=True), key=lambda one: one[0][1]):
        height = max(seconds, lowest)
        axes.plot([agents, 1500], [seconds, height], color=colour, linewidth=0.6, linestyle=":")
        axes.text(1600, height, name, color=colour, fontsize=8, va="center")
        lowest = height * 1.55


def _pyplot():
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    plt.rcParams["svg.hashsalt"] = "wayfolk"
    return plt


def _save(figure, file):
    from matplotlib import pyplot as plt

    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / file, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
