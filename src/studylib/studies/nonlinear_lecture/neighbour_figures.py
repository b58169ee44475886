"""The pictures of distances, nearest neighbours and their regions, and the exercise."""

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from studylib import neighbors
from studylib.neighbors import KNeighborsClassifier
from studylib.plots import PALETTE
from studylib.statistics import resampled_interval
from studylib.studies.forest_lecture.figures import MOONS, legend_of_classes, pale_surface
from studylib.studies.nonlinear_lecture.widgets import live_picture

#: The metrics of the exercise, by what its menu calls them.
MENU = {
    "Euclidean": "euclidean",
    "Manhattan": "manhattan",
    "maximum": "maximum",
    "Mahalanobis": "mahalanobis",
}


def distances(seed=1):
    """Points at distance 1 by three metrics; at 2 standard deviations by Mahalanobis; two similarities."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.3), layout="constrained")
    grid = np.linspace(-1.3, 1.3, 400)
    places = np.stack(np.meshgrid(grid, grid), axis=-1)
    unit = {"Euclidean": neighbors.euclidean, "Manhattan": neighbors.manhattan, "maximum": neighbors.maximum}
    for (name, metric), color, line in zip(unit.items(), PALETTE, ("-", "--", ":"), strict=False):
        axes[0].contour(grid, grid, metric(places, [0, 0]), [1], colors=color, linestyles=line)
        axes[0].plot([], [], color=color, ls=line, label=name)
    axes[0].set(title="At distance 1 from the centre", aspect="equal")
    axes[0].legend(fontsize=8, loc="center")
    _clouds_of_mahalanobis(axes[1], seed)
    d = np.linspace(0, 5, 200)
    axes[2].plot(d, neighbors.similarity(d), label="1/(1 + d)")
    axes[2].plot(d, neighbors.exponential_similarity(d), "--", label="e^(−d)")
    axes[2].set(xlabel="distance d", title="Similarity", ylim=(0, 1.03))
    axes[2].legend(fontsize=8)
    return figure


def _clouds_of_mahalanobis(ax, seed):
    covariance = np.array([[4.0, 1.5], [1.5, 1.0]])
    points = np.random.default_rng(seed).multivariate_normal([0, 0], covariance, 250)
    ax.plot(*points.T, ".", color="0.7", ms=4)
    xs, ys = np.linspace(-7, 7, 300), np.linspace(-4.2, 4.2, 300)
    places = np.stack(np.meshgrid(xs, ys), axis=-1)
    printed = neighbors.mahalanobis(places, [0, 0], np.sqrt(np.diag(covariance)))
    full = neighbors.full_mahalanobis(places, [0, 0], covariance)
    drawn = (("as printed", printed, PALETTE[0], "-"), ("with correlation", full, PALETTE[1], "--"))
    for name, values, color, line in drawn:
        ax.contour(xs, ys, values, [2], colors=color, linestyles=line)
        ax.plot([], [], color=color, ls=line, label=name)
    ax.set(title="Mahalanobis: at distance 2")
    ax.legend(fontsize=8, loc="upper left")


def votes(X, y, query):
    """Five neighbours of a new point, with the weights of their votes, and who wins with equal votes."""
    figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    _points(ax, X, y, s=60, legend=True)
    ax.legend(title="class", fontsize=8, title_fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    ax.plot(*query, "*", color="black", ms=15)
    distances, rows = (answer[0] for answer in KNeighborsClassifier(5).fit(X, y).kneighbors([query]))
    for d, row in zip(distances, rows, strict=True):
        ax.plot(*zip(query, X[row], strict=True), color="0.5", lw=1, zorder=0)
        ax.annotate(
            "w = 1" if d == 1 else f"w = 1/{d**2:.0f}",
            X[row],
            (9, -3),
            textcoords="offset points",
            fontsize=9,
        )
    ax.add_patch(plt.Circle(query, distances[-1], fill=False, ls=":", color="0.4"))
    says = []
    for weights, name in (("inverse_square", "votes of 1/d²"), ("uniform", "equal votes")):
        model = KNeighborsClassifier(5, weights=weights).fit(X, y)
        shares = model.predict_proba([query])[0]
        says.append(f"{name}: {model.classes_[shares.argmax()]}, {shares.max():.0%}")
    ax.set(title="; ".join(says), aspect="equal")
    ax.margins(x=0.12)
    return figure


def cells(seed=2, n_points=5):
    """Cells of one neighbour around the same points, by three metrics.

    A cell is where its point's distance, less the least of the others, is negative: a contour, with no steps.
    """
    points = np.random.default_rng(seed).random((n_points, 2))
    grid = np.linspace(0, 1, 401)
    places = np.stack(np.meshgrid(grid, grid), axis=-1)
    figure, axes = plt.subplots(1, 3, figsize=(8.2, 2.9), layout="constrained")
    for ax, name in zip(axes, ("Euclidean", "Manhattan", "maximum"), strict=True):
        metric = getattr(neighbors, MENU[name])
        distances = np.stack([metric(places, point) for point in points])
        for k, color in zip(range(n_points), PALETTE, strict=False):
            lead = distances[k] - np.delete(distances, k, axis=0).min(axis=0)
            ax.contourf(grid, grid, lead, [-np.inf, 0], colors=color, alpha=0.35)
            ax.contour(grid, grid, lead, [0], colors="white", linewidths=1)
            ax.plot(*points[k], "o", color=color, ms=7, mec="white")
        ax.set(title=name, xticks=[], yticks=[], aspect="equal")
    return figure


def bayes(ratios):
    """Error of one neighbour relative to the Bayes error, by the number of training samples."""
    figure, ax = plt.subplots(figsize=(7.2, 3.7), layout="constrained")
    shown = ratios.assign(data=ratios["data"].str.replace(" %", "%"))
    sns.lineplot(
        shown, x="n", y="ratio", hue="data", style="data", markers=True, errorbar=("se", 1.96),
        err_style="bars", legend=False, ax=ax,
    )  # fmt: skip
    n = np.sort(ratios["n"].unique())
    last = shown[shown["n"] == n[-1]].groupby("data", sort=False)["ratio"].mean()
    for (name, _), color, height in zip(last.items(), PALETTE, _apart(last, 0.1), strict=False):
        ax.text(1.01, height, name, va="center", fontsize=9, color=color, transform=ax.get_yaxis_transform())
    for value, text in ((2, "twice the Bayes error"), (1, "the Bayes error")):
        ax.axhline(value, color="0.4", lw=1)
        ax.text(n[-1], value, text, va="bottom", ha="right", fontsize=9, color="0.3")
    ax.set(xscale="log", xlabel="training samples", ylabel="error ÷ Bayes error", ylim=(0.8, None))
    ax.minorticks_off()
    ax.set_xticks(n, [f"{size:,}" for size in n])
    return figure


def _apart(values, gap):
    """Heights for labels near these values, in their order, with at least a gap between any two."""
    order = np.argsort(values)
    rising = np.asarray(values)[order]
    steps = gap * np.arange(len(rising))
    heights = np.maximum.accumulate(rising - steps) + steps
    heights -= (heights - rising).mean()
    return heights[np.argsort(order)]


def irrelevant(steps, curves):
    """Error of five neighbours, and the contrast of distances, by the number of irrelevant features."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
    labels = {"error": "test error", "contrast": "nearest ÷ mean distance"}
    limits = {"error": (0.10, "Bayes error"), "contrast": (1, "all equally far")}
    for ax, (name, text) in zip(axes, labels.items(), strict=True):
        for of, line in (("", "o-"), (", equal votes", "s--")):
            if name + of in curves:
                half = 1.96 * curves[name + of].sem()
                ax.errorbar(
                    range(len(steps)), curves[name + of].mean(), half, fmt=line, ms=4, label=of[2:] or "1/d²"
                )
        value, words = limits[name]
        ax.axhline(value, color="0.4", lw=1, ls="--")
        ax.text(len(steps) - 1, value, words, ha="right", va="bottom", fontsize=8, color="0.3")
        ax.set_xticks(range(len(steps)), steps)
        ax.set(xlabel="irrelevant features beside two relevant ones", ylabel=text, ylim=(0, None))
    axes[0].legend(fontsize=8, loc="lower right")
    return figure


def equal_features(runs):
    """Test error without and with irrelevant features, and with weights for the features."""
    names = {
        "without": "relevant features only",
        "with": "and irrelevant ones",
        "weighted": "weighted features",
    }
    shown = runs[list(names)].rename(columns=names).melt(var_name="features", value_name="error")
    figure, ax = plt.subplots(figsize=(6, 2.2), layout="constrained")
    sns.pointplot(shown, x="error", y="features", linestyle="none", errorbar=("se", 1.96), ax=ax)
    ax.set(xlabel="test error of five neighbours", ylabel="", xlim=(0, None))
    return figure


def gains(runs):
    """Error of equal − of 1/d² votes on each set, in points: every split, mean and interval."""
    figure, ax = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
    for k, (_, part) in enumerate(runs.groupby("data", sort=False)):
        differences = 100 * (part["uniform"] - part["inverse_square"]).to_numpy()
        _, low, high = resampled_interval(differences, 0.3)
        ax.plot(differences, np.full(len(part), k), "|", color="0.6", ms=8)
        ax.plot([low, high], [k, k], color=PALETTE[0])
        ax.plot(differences.mean(), k, "o", color=PALETTE[0])
    ax.set_yticks(range(k + 1), runs["data"].unique())
    ax.axvline(0, color="0.4", lw=1)
    ax.set(xlabel="error of equal − of 1/d² votes, percentage points\n(ticks: single splits)")
    return figure


# The exercise


def surface(ax, X, y, k, metric, weights, legend=False):
    """Regions of k neighbours on two features, with the points."""
    model = KNeighborsClassifier(k, metric=metric, weights=weights).fit(X, y)
    pale_surface(model, MOONS, ax, resolution=120)
    _points(ax, X, y, s=14, legend=legend)
    return model


def exercise(X, y, ks=(1, 15, 75), metrics=("Euclidean", "Manhattan")):
    """What the sliders show: regions for some k and two metrics, with equal votes."""
    figure, axes = plt.subplots(
        len(metrics), len(ks), figsize=(8.2, 5), layout="constrained", sharex=True, sharey=True
    )
    for row, metric in zip(axes, metrics, strict=True):
        for ax, k in zip(row, ks, strict=True):
            surface(ax, X, y, k, MENU[metric], "uniform", legend="full")
            ax.set(title=f"{metric}, k = {k}")
    legend_of_classes(figure)
    return figure


def sliders(X, y):
    """The regions with a slider for k and menus for metric and votes, a VBox; alive in Jupyter only."""
    k = ipywidgets.IntSlider(5, 1, len(X), description="k", continuous_update=False)
    metric = ipywidgets.Dropdown(options=MENU, description="metric")
    weights = ipywidgets.Dropdown(options={"equal": "uniform", "1/d²": "inverse_square"}, description="votes")

    def draw():
        figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
        model = surface(ax, X, y, k.value, metric.value, weights.value)
        ax.set(title=f"k = {k.value}: {np.mean(model.predict(X) != y):.1%} of the points on the wrong side")
        return figure

    return live_picture(draw, [k, metric, weights])


def _points(ax, X, y, s, legend=False):
    look = {"s": s, "palette": list(PALETTE[:2]), "legend": legend}
    sns.scatterplot(x=X[:, 0], y=X[:, 1], hue=y, style=y, ax=ax, **look)
