"""Figures in one consistent look."""

from studylib.plots.style import PALETTE, show, use_style
from studylib.plots.trees import draw_tree

__all__ = ["PALETTE", "draw_tree", "show", "use_style"]
