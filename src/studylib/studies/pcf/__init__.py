"""The Partial Classification Forest paper: its claims, our readings, what is measured."""
