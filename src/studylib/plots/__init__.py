"""Figures in one consistent look."""

from studylib.plots.frames import slider
from studylib.plots.guided import draw_growth, draw_guided_tree
from studylib.plots.partitions import (
    draw_decision_surface,
    draw_partial_tree,
    draw_partitions,
    draw_points,
    surface_grid,
)
from studylib.plots.style import PALETTE, WIDTH, nine_points, show, use_style
from studylib.plots.trees import draw_tree

__all__ = [
    "PALETTE",
    "WIDTH",
    "draw_decision_surface",
    "draw_growth",
    "draw_guided_tree",
    "draw_partial_tree",
    "draw_partitions",
    "draw_points",
    "draw_tree",
    "nine_points",
    "show",
    "slider",
    "surface_grid",
    "use_style",
]
