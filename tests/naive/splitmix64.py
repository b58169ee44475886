"""The generator of Steele, Lea and Flood in Python's whole numbers; it imports nothing of studylib."""


class Stream:
    """Words and uniforms; ``state`` can be read and set, for what takes numbers from it elsewhere."""

    def __init__(self, state):
        self.state = int(state)

    def word(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def uniform(self):
        """53 bits of a word."""
        return (self.word() >> 11) / 2**53

    __call__ = uniform
