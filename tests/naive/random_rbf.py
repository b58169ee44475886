"""Weka's RandomRBF as its process reads, one number at a time, with exact integers of any size."""

import math


class JavaRandom:
    """``java.util.Random``: 48 bits of state, of which the upper ones are handed out."""

    def __init__(self, seed):
        self.state = (seed % 2**64 ^ 25214903917) % 2**48
        self.kept = None

    def bits(self, n):
        self.state = (self.state * 25214903917 + 11) % 2**48
        return self.state // 2 ** (48 - n)

    def double(self):
        high = self.bits(26)
        return (high * 2**27 + self.bits(27)) / 2**53

    def integer(self, bound):
        if bin(bound).count("1") == 1:
            return bound * self.bits(31) // 2**31
        while True:
            drawn = self.bits(31)
            if drawn < 2**31 - 2**31 % bound:  # else the remainders would not be equally likely
                return drawn % bound

    def gaussian(self):
        if self.kept is not None:
            value, self.kept = self.kept, None
            return value
        while True:
            a = 2 * self.double() - 1
            b = 2 * self.double() - 1
            s = a * a + b * b
            if 0 < s < 1:
                factor = math.sqrt(-2 * math.log(s) / s)
                self.kept = b * factor
                return a * factor


def random_rbf(n_samples, n_features, n_classes, n_centroids, seed):
    """``(X, y, centroids)``: lists, a centroid being ``(centre, class, weight, deviation)``."""
    random = JavaRandom(seed)
    centroids = []
    for _ in range(n_centroids):
        centre = [random.double() for _ in range(n_features)]
        centroids.append((centre, random.integer(n_classes), random.double(), random.double()))
    total = 0.0
    for _, _, weight, _ in centroids:
        total += weight  # not sum(), which newer Pythons round differently
    X, y = [], []
    for _ in range(n_samples):
        wanted = random.double() * total
        reached = 0.0
        for chosen in centroids:
            reached += chosen[2]
            if reached > wanted:
                break
        centre, label, _, deviation = chosen
        direction = [random.double() * 2 - 1 for _ in range(n_features)]
        squares = 0.0
        for d in direction:
            squares += d * d
        scale = random.gaussian() * deviation / math.sqrt(squares)
        X.append([c + d * scale for c, d in zip(centre, direction, strict=True)])
        y.append(label)
    return X, y, centroids
