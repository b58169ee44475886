"""Whether a result still belongs to its code, data and parameters."""
