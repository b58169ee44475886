"""Code shared by all trees, forests and studies, and specific to no paper."""
