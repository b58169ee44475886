"""Nearest neighbours: classification by the classes of the nearest training samples, and distances."""

from studylib.neighbors.classifier import METRICS, KNeighborsClassifier
from studylib.neighbors.distances import (
    euclidean,
    exponential_similarity,
    full_mahalanobis,
    mahalanobis,
    manhattan,
    maximum,
    similarity,
)

__all__ = [
    "METRICS",
    "KNeighborsClassifier",
    "euclidean",
    "exponential_similarity",
    "full_mahalanobis",
    "mahalanobis",
    "manhattan",
    "maximum",
    "similarity",
]
