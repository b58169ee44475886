"""Elements of a page that its scripts bring to life; JupyterLab gets each with its scripts."""

import base64
import html
import json
import os

import matplotlib.pyplot as plt
import numpy as np

from studylib.core.data import RUN_VARIABLE
from studylib.core.random import draw_states, spawn_states
from studylib.plots.frames import png

#: How each kind of tree derives its random state from ``random_state``; one that draws nothing has none.
_STATES = {"axis": None, "guided": draw_states, "partial": spawn_states}
_POINTS = ("moons", "circle", "regions")
_N_STATES = 50
_SCRIPTED = "This picture moves: in JupyterLab run its cell (Shift + Enter), in a page allow scripts."


def grow(kind, points, **settings):
    """Display a tree that grows in the page, on points that its reader drags and flips.

    The page grows what the library grows: it gets the library's random states for ``random_state`` 0 to 49.

    Parameters
    ----------
    kind : {"axis", "guided", "partial"}
        A ``TreePredictor``, one tree of a ``GuidedRandomForestClassifier``, a ``PartialClassificationTree``.
    points : {"moons", "circle", "regions"}
        Where the page draws its points from.
    **settings
        What it starts with: ``n`` points, ``noise``, largest ``depth``, ``least`` points in a node or an
        answer, ``hyperplane``, and ``step``, the number of splits that are shown.
    """
    if kind not in _STATES or points not in _POINTS:
        raise ValueError(f"grow: no {kind!r} tree on {points!r}; there are {list(_STATES)} and {_POINTS}.")
    given = {"kind": kind, "points": points, **settings}
    if _STATES[kind]:
        given["states"] = _short([str(_STATES[kind](seed, 1)[0, 0]) for seed in range(_N_STATES)])
    _touch(given, f'<p class="still">{_SCRIPTED} The pictures below need neither.</p>')


def ask(X, y, labels, features, classes, figure, alt):
    """Display given points, for a guess which feature a tree asks about first; then it grows step by step.

    Parameters
    ----------
    X, y : float array (n_points, 2); int array (n_points,), of 0 and 1
    labels, features, classes : sequence of str
        What the points, both features and both classes are called.
    figure, alt : matplotlib Figure, str
        The tree, for paper and pages without scripts (it is closed), and what it shows.
    """
    points = {"x": np.asarray(X).tolist(), "y": np.asarray(y).tolist(), "labels": list(labels)}
    points |= {"names": list(features), "classes": list(classes)}
    _touch({"kind": "axis", "points": json.dumps(points, ensure_ascii=False)}, _picture(figure, alt))


def split(X, y, figure, alt):
    """Display points with a threshold to drag, and what each threshold gains once it was guessed.

    Parameters
    ----------
    X, y : float array (n_points, 2), in [0, 1]; int array (n_points,), of 0 and 1
    figure, alt : matplotlib Figure, str
        Points and gains, for paper and pages without scripts (it is closed), and what it shows.
    """
    points = {"x": np.asarray(X).tolist(), "y": np.asarray(y).tolist()}
    _touch({"kind": "split", "points": _short(points)}, _picture(figure, alt))


def perturb(points, n, noise, left, shares, figure, alt):
    """Display a tree and a vote of trees whose training rows a reader leaves out or draws again.

    Parameters
    ----------
    points : {"moons", "circle", "regions"}
    n, left, noise : int, int, float
        How many points there are, how many of them are left out at once, and their noise.
    shares : sequence of float
        Shares of nodes that changed in draws computed beforehand, which a reader guesses.
    figure, alt : matplotlib Figure, str
        The shares, for paper and pages without scripts (it is closed), and what it shows, in a sentence.
    """
    if points not in _POINTS:
        raise ValueError(f"perturb: there are no points {points!r}, only {_POINTS}.")
    rounded = np.round(np.asarray(shares, dtype=float), 3).tolist()
    given = {
        "kind": "perturb",
        "points": points,
        "n": n,
        "noise": noise,
        "left": left,
        "shares": _short(rounded),
    }
    _touch(given, _picture(figure, alt))


def predict(name, values, given, hidden, answer, said, alt):
    """Display two curves of which a reader sees one, and makes a guess about the other before seeing it.

    Parameters
    ----------
    name : str
        What is varied along the curves, such as "depth".
    values : sequence of int
    given, hidden : tuple of str and float array (n_splits, n_values)
        What the curve is called, and shares between 0 and 1; the other axis has room for both.
    answer : callable
        From a curve of hidden values to the place of the value that is asked for; ``len(values)`` if there is
        none.  The mean curve has one.
    said : str
        What the answer is, a sentence in which "{}" stands for it.
    alt : str
        What the picture shows that stands there on paper and without scripts, in a sentence.
    """
    figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    draw_curves(ax, name, values, given, hidden)
    shown, seen = given[0], np.asarray(given[1], dtype=float)
    asked, unseen = hidden[0], np.asarray(hidden[1], dtype=float)
    low, high = np.quantile(unseen, [0.1, 0.9], axis=0)
    mean = unseen.mean(axis=0)
    words = {"given": shown, "hidden": asked, "said": said, "answer": int(answer(mean))}
    counts = np.bincount([answer(one) for one in unseen], minlength=len(values) + 1)
    curves = {
        "training": seen.mean(axis=0),
        "mean": mean,
        "low": low,
        "high": high,
        "single": unseen[0],
        "counts": counts,
    }
    rounded = words | {key: np.round(curve, 5).tolist() for key, curve in curves.items()}
    data = html.escape(json.dumps({"name": name, "values": list(values), **rounded}))
    _display(f'<div class="predict" data-curves="{data}">{_picture(figure, alt)}</div>')


def _touch(given, content):
    attributes = " ".join(f'data-{name}="{html.escape(str(value))}"' for name, value in given.items())
    _display(f'<div class="touch" {attributes}>{content}</div>')


def _picture(figure, alt):
    source, alt = base64.b64encode(png(figure)).decode(), html.escape(alt)
    image = f'<img alt="{alt}" src="data:image/png;base64,{source}">'
    # Folded, so that nobody sees the answer before the guess; a page opens it on paper.
    return (
        f'<p class="still">{_SCRIPTED}</p><details class="still" data-print="open"><summary>The answer, as a '
        f"picture</summary><figure>{image}<figcaption>{alt}</figcaption></figure></details>"
    )


def _short(values):
    return json.dumps(values, separators=(",", ":"))


def draw_curves(ax, name, values, given, hidden):
    """Draw what :func:`predict` shows; the values are equally far apart.

    Parameters
    ----------
    ax : matplotlib Axes
    name, values, given, hidden : as there
    """
    places = range(len(values))
    (shown, seen), (asked, unseen) = given, hidden
    ax.fill_between(places, *np.quantile(unseen, [0.1, 0.9], axis=0), color="C1", alpha=0.2, lw=0)
    ax.plot(places, unseen[0], color="C1", lw=0.8)
    ax.plot(places, np.mean(seen, axis=0), "o-", label=shown)
    ax.plot(places, np.mean(unseen, axis=0), "s--", label=asked)
    ax.set(xlabel=name, ylim=(0, None))
    ax.set_xticks(places, values)
    ax.legend(loc="best")


def _display(text):
    from IPython.display import HTML, display  # needed in notebooks only

    from studylib.study.site.embed import framed  # needs what pages need

    # A run of the study keeps the element alone, for its page; a person gets it with its scripts.
    display(HTML(text if RUN_VARIABLE in os.environ else framed(text)))
