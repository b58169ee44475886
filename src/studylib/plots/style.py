"""One look for all figures, with colours that colour-blind readers can tell apart."""

import io

import matplotlib.pyplot as plt
import seaborn as sns

#: Okabe and Ito's palette, in the order in which series are drawn.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555")


def use_style():
    """Set the look of all figures of a notebook."""
    sns.set_theme(
        context="notebook",
        style="whitegrid",
        palette=PALETTE,
        rc={
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": "medium",
            "figure.dpi": 110,
            "grid.color": "#e5e5e5",
            "legend.frameon": False,
        },
    )


def show(figure, alt):
    """Display a figure once, with a text for those who do not see it.

    Parameters
    ----------
    figure : matplotlib Figure
    alt : str
        What the figure shows, in a sentence.
    """
    from IPython.display import Image, display  # needed in notebooks only

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight", facecolor="white")
    plt.close(figure)
    display(Image(buffer.getvalue(), alt=alt), metadata={"image/png": {"alt": alt}})
