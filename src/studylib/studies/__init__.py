"""One folder per source: who wrote it, what it says, how we read it, what we measure."""
