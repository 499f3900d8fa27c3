"""The figures of the benchmarks: curves over the size of the map."""

from pathlib import Path

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"


def over_map_size(times, file, label, *, both_logarithmic):
    """`times[name][side]` as a curve for each name over the number of cells, written to docs/figures."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    plt.rcParams["svg.hashsalt"] = "wayfolk"
    figure, axes = plt.subplots(figsize=(6.4, 4.0))
    for (name, values), mark in zip(times.items(), "osD^v", strict=False):
        axes.plot([side**2 for side in values], list(values.values()), marker=mark, label=name)
    axes.set_xscale("log")
    if both_logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel("cells of the map")
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    axes.legend()
    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / file, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
