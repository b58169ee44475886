"""A picture with a slider: what Jupyter and a page get."""

import base64
import re

import IPython.display
import ipywidgets
import matplotlib.pyplot as plt
import pytest

from studylib import plots


def draw(value):
    figure, ax = plt.subplots(figsize=(2, 1))
    ax.plot([0, value])
    return figure


@pytest.fixture
def shown(monkeypatch):
    """Calls of ``display``, and the controls made meanwhile."""
    calls, controls, make = [], [], ipywidgets.SelectionSlider
    monkeypatch.setattr(IPython.display, "display", lambda data, raw: calls.append(data))

    def kept(**given):
        controls.append(make(**given))
        return controls[-1]

    monkeypatch.setattr(ipywidgets, "SelectionSlider", kept)
    return calls, controls


def test_a_page_gets_a_picture_for_each_value(shown):
    calls, _ = shown
    plots.slider(draw, "height < 3", [1, 2, 5], 'a "line"')
    (bundle,) = calls
    pictures = re.findall(r'data-value="(\d)"><img src="data:image/png;base64,([^"]+)"', bundle["text/html"])
    assert [value for value, _ in pictures] == ["1", "2", "5"]
    assert len({base64.b64decode(png)[:8] for _, png in pictures}) == 1
    assert len({png for _, png in pictures}) == 3
    assert 'data-name="height &lt; 3"' in bundle["text/html"]
    assert 'alt="a &quot;line&quot; Here height &lt; 3 = 1."' in bundle["text/html"]
    assert not plt.get_fignums()


def test_in_jupyter_the_slider_draws_again(shown):
    drawn = []

    def noted(value):
        drawn.append(value)
        return draw(value)

    plots.slider(noted, "x", [1, 2], "a line")
    calls, (control,) = shown
    assert "application/vnd.jupyter.widget-view+json" in calls[0]
    control.value = 2
    assert drawn == [1, 2, 2]


def test_one_value_is_refused(shown):
    with pytest.raises(ValueError, match="slider: values must have at least 2 entries, got \\[3\\]"):
        plots.slider(draw, "x", [3], "a line")
