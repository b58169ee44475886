"""The mushroom tree predictors report: its claims, our readings, what is measured."""
