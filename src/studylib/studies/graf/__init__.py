"""The Guided Random Forest paper: its claims, our readings, what is measured."""
