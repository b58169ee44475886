"""What the lessons' notebooks need: trees to touch, curves to guess, and checks of their exercises.

A page of the report has no Python to call.  :func:`ask`, :func:`grow`, :func:`split`, :func:`perturb`,
:func:`rounds`, :func:`intervals` and :func:`predict` display elements that scripts bring to life: those of
the page, or in JupyterLab those of a frame that holds the element.  On paper they are a picture.
"""

from studylib.lessons.elements import ask, draw_curves, grow, perturb, predict, split
from studylib.lessons.exercises import check
from studylib.lessons.intervals import intervals
from studylib.lessons.mushrooms import mushrooms
from studylib.lessons.rounds import rounds

__all__ = [
    "ask",
    "check",
    "draw_curves",
    "grow",
    "intervals",
    "mushrooms",
    "perturb",
    "predict",
    "rounds",
    "split",
]
