"""Random numbers for the kernels: an explicit state that is handed on, one for each tree."""

import numpy as np

from studylib.core.compiling import njit
from studylib.core.parameters import check_random_state


@njit(cache=True, nogil=True)
def next_word(state):
    """Next 64 random bits; ``state`` is uint64 (1,) and moves on.

    splitmix64 of Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, 2014.
    """
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True)
def next_uniform(state):
    """Next number in [0, 1), a multiple of 2⁻⁵³."""
    return (next_word(state) >> np.uint64(11)) * 2.0**-53


@njit(cache=True, nogil=True)
def draw_evenly(n, size, rng):
    """Count how often each of ``n`` samples appears in ``size`` draws with replacement, int64 (n,)."""
    times = np.zeros(n, np.int64)
    for _ in range(size):
        times[np.int64(next_word(rng) % np.uint64(n))] += 1
    return times


@njit(cache=True, nogil=True)
def draw_by_weight(sums, size, rng):
    """Count how often each sample appears in ``size`` draws with replacement by weight, int64 (n,).

    A sample's chance is its weight; ``sums`` are the running sums of the weights, float64 (n,).
    """
    n = sums.shape[0]
    times = np.zeros(n, np.int64)
    below = np.nextafter(sums[n - 1], 0.0)  # rounding may reach the sum
    for _ in range(size):
        times[np.searchsorted(sums, min(next_uniform(rng) * sums[n - 1], below), "right")] += 1
    return times


@njit(cache=True, nogil=True)
def count_draws(times, n, rng):
    """Count in ``times`` how often each of ``n`` samples appears in ``n`` draws with replacement.

    For kernels, which bring room for the counts.  It takes other bits of the words than :func:`draw_evenly`,
    so with either in place of the other the forests of published results would be others.
    """
    for i in range(n):
        times[i] = 0
    for _ in range(n):
        times[np.uint64(next_uniform(rng) * n)] += 1


def spawn_states(random_state, n_trees):
    """One state per tree, uint64 (n_trees, 1), spawned from a single seed before any tree is grown.

    The first states do not depend on ``n_trees``: a smaller forest is the beginning of a larger one.
    """
    entropy = check_random_state(random_state).randint(2**31, size=4, dtype=np.int64)
    return np.random.SeedSequence(entropy.tolist()).generate_state(n_trees, np.uint64).reshape(-1, 1)


def draw_states(random_state, n_trees):
    """One state per tree, each drawn by itself from ``random_state``, uint64 (n_trees, 1)."""
    seeds = check_random_state(random_state).randint(2**63 - 1, size=n_trees, dtype=np.int64)
    return seeds.astype(np.uint64).reshape(-1, 1)


def draw_state(random_state):
    """State of a single tree that may draw columns, uint64 (1,)."""
    high, low = check_random_state(random_state).randint(2**31, size=2, dtype=np.int64)
    return np.array([(high << 31) ^ low], np.uint64)
