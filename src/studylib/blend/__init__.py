"""Forests of oblique and of axis-parallel trees, in shares that fit the data; ours, not a source's."""

from studylib.blend.classifier import BlendedForestClassifier

__all__ = ["BlendedForestClassifier"]
