"""What every tree, forest and study here shares, and nothing of a paper."""
