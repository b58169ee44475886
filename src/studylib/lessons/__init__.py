"""What the lessons' notebooks need: trees to touch, curves to guess, and checks of their exercises.

A page of the report has no Python to call.  :func:`grow`, :func:`split`, :func:`perturb`, :func:`rounds`,
:func:`intervals` and :func:`predict` display elements that its scripts bring to life; elsewhere, as in
JupyterLab or on paper, they are a sentence or a picture.
"""

from studylib.lessons.elements import draw_curves, grow, perturb, predict, split
from studylib.lessons.exercises import check
from studylib.lessons.intervals import intervals
from studylib.lessons.rounds import rounds

__all__ = [
    "check",
    "draw_curves",
    "grow",
    "intervals",
    "perturb",
    "predict",
    "rounds",
    "split",
]
