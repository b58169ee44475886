"""The lecture on random forests: its claims, our readings, what is measured."""
