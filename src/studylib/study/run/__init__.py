"""Notebooks and their tasks at work: kernels, processes, clusters, progress."""
