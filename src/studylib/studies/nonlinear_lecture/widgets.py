"""Pictures with controls: alive in Jupyter, static elsewhere."""

import io

import ipywidgets
import matplotlib.pyplot as plt


def live_picture(draw, controls):
    """A picture that ``draw`` draws anew when a control moves, below the controls in a row: a VBox."""
    picture = ipywidgets.Image(format="png")

    def redraw(_=None):
        figure, buffer = draw(), io.BytesIO()
        figure.savefig(buffer, format="png", dpi=90)
        plt.close(figure)
        picture.value = buffer.getvalue()

    for control in controls:
        control.observe(redraw, "value")
    redraw()
    return ipywidgets.VBox([ipywidgets.HBox(controls), picture])
