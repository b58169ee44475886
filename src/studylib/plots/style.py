"""One look for all figures, with colours that colour-blind readers can tell apart."""

import functools
import io

import matplotlib as mpl
import matplotlib.pyplot as plt
import PIL.Image
import seaborn as sns

from studylib.plots.captions import caption

#: Okabe and Ito's palette, in the order in which series are drawn.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555")

#: Dots per inch at which a figure has its size on a page; it is drawn with twice as many.
_DPI = 110

#: Width in inches of a figure that is read in a column of text, and not much smaller on a phone.
WIDTH = 5.8
_POINTS = 9
_TEXT = dict.fromkeys(
    (
        "font.size", "axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize",
        "legend.fontsize", "legend.title_fontsize", "figure.titlesize", "figure.labelsize",
    ),
    _POINTS,
)  # fmt: skip
_LINES = {"lines.linewidth": 1.5, "lines.markersize": 4, "axes.linewidth": 0.8, "grid.linewidth": 0.8}


def use_style():
    """Set the look of all figures of a notebook, whatever the user's ``matplotlibrc`` says."""
    mpl.rcdefaults()  # keeps the backend
    sns.set_theme(
        context="notebook",
        style="whitegrid",
        palette=PALETTE,
        rc={
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": "medium",
            "figure.dpi": _DPI,
            "grid.color": "#e5e5e5",
            "legend.frameon": False,
        },
    )


def nine_points(draw):
    """Decorate a function that draws a figure: all its text has nine points, at the size that is shown."""

    @functools.wraps(draw)
    def drawn(*args, **kwargs):
        with plt.rc_context(_TEXT | _LINES):
            figure = draw(*args, **kwargs)
        for ax in figure.axes:
            ax.tick_params(which="both", labelsize=_POINTS)  # ticks are made later
        return figure

    return drawn


def show(figure, alt):
    """Display a figure, sharp on any screen, with its number and a text below it, which is its alt text, too.

    The page of the notebook writes number and caption by itself.

    Parameters
    ----------
    figure : matplotlib Figure
    alt : str
        What the figure shows, in a sentence.
    """
    from IPython.display import Image, display  # needed in notebooks only

    drawn, kept = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=2 * _DPI, bbox_inches="tight", facecolor="white")
    plt.close(figure)
    # 256 colours take a third of the bytes: sharper, and yet no larger than at half the resolution.
    picture = PIL.Image.open(drawn).convert("RGB").quantize(256)
    picture.save(kept, "PNG", optimize=True)
    size = {"width": picture.width // 2, "height": picture.height // 2}
    display(Image(kept.getvalue(), alt=alt, **size), metadata={"image/png": {"alt": alt, **size}})
    display(caption(alt), metadata={"caption": True})
