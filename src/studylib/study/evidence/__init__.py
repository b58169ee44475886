"""Verdicts, and the files by which others can check them."""
