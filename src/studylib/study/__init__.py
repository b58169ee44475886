"""The study: claims and their rules, notebooks by profile, the runner and the report site."""

from studylib.study.record import Run

__all__ = ["Run"]
