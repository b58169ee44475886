"""Pictures with a slider: live in Jupyter, precomputed in a page."""

import base64
import html
import io

import matplotlib.pyplot as plt
from PIL import Image  # matplotlib itself depends on it


def slider(draw, name, values, alt):
    """Display a picture with a slider.

    In JupyterLab the slider calls ``draw``, so an edited function shows its effect.  A page of the report has
    no Python to call: it gets one precomputed picture per value.

    Parameters
    ----------
    draw : callable
        ``draw(value)`` returns a new matplotlib Figure.
    name : str
        What is varied, as the slider's label.
    values : sequence
        At least two; numbers or strings.
    alt : str
        What the pictures show, in a sentence, for those who do not see them.
    """
    import ipywidgets  # needed in notebooks only, as is the next
    from IPython.display import display

    values = list(values)
    if len(values) < 2:
        raise ValueError(f"slider: values must have at least 2 entries, got {values!r}.")
    pictures = {value: png(draw(value)) for value in values}
    control = ipywidgets.SelectionSlider(
        options=values, description=name, continuous_update=False, style={"description_width": "initial"}
    )
    picture = ipywidgets.Image(value=pictures[values[0]], format="png")
    control.observe(lambda change: setattr(picture, "value", png(draw(change["new"]))), "value")
    bundle = ipywidgets.VBox([control, picture])._repr_mimebundle_()
    display({**bundle, "text/html": _frames(pictures, name, alt)}, raw=True)


def png(figure):
    """A figure as the bytes of a small PNG; it is closed."""
    whole, small = io.BytesIO(), io.BytesIO()
    figure.savefig(whole, format="png", dpi=110, bbox_inches="tight", facecolor="white")
    plt.close(figure)
    # A notebook keeps all of them: 64 colours take a quarter of the room, and nobody sees the difference.
    Image.open(whole).convert("RGB").quantize(64).save(small, format="png", optimize=True)
    return small.getvalue()


def _frames(pictures, name, alt):
    """All pictures, one below the other; the page's script shows one at a time."""
    parts = []
    for value, png in pictures.items():
        caption = html.escape(f"{name} = {value}")
        source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
        parts.append(
            f'<figure data-value="{html.escape(str(value))}"><img src="{source}" '
            f'alt="{html.escape(alt)} Here {caption}."><figcaption>{caption}</figcaption></figure>'
        )
    return f'<div class="frames" data-name="{html.escape(name)}">{"".join(parts)}</div>'
