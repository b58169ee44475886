"""The lecture on non-linear classification: its claims, our readings, what is measured."""
