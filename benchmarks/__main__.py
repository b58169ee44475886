"""``python -m benchmarks``: speed and memory compared with other packages.

It prints how many times as long the others take: the median over interleaved repetitions in one process, its
quartiles, and the project's target.  One thread, unless it says otherwise.  Seconds are processor seconds
without compilation; they depend on the machine, ratios less.
"""

import argparse

import pandas as pd

from benchmarks import bounds, first_fits, growth, profiles
from benchmarks.contests import CONTESTS, Size, hold_all, readable
from benchmarks.overview import overview
from benchmarks.side_by_side import TABLES, side_by_side

MORE = {
    "overview": lambda size: print(overview(size.scale, size.n_trees).round(2), "\n"),
    "growth": lambda size: print(growth.exponents(growth.growth(size.scale)).round(2), "\n"),
    "threads": lambda size: print(growth.threads(size.scale, size.n_trees).round(2), "\n"),
    "first-fit": lambda size: print(first_fits.first_fits(None, 5).round(2), "\n"),
    "memory": lambda size: print(growth.memory_table(size.scale).round(2), "\n"),
    "bandwidth": lambda size: print(bounds.bandwidth(size.scale).round(1).to_string(), "\n"),
    "nearness": lambda size: print(bounds.nearness(size.scale).round(2).to_string(), "\n"),
    "side-by-side": lambda size: [
        print(side_by_side([name], size.scale).round(3).to_string(), "\n", flush=True) for name in TABLES
    ],
    "profiles": lambda size: print(profiles.profiles(size.scale).to_string(), "\n"),
}


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", help=f"{', '.join([*CONTESTS, *MORE])}; by default all")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows (default: 1)")
    parser.add_argument("--trees", type=int, default=100, help="(default: 100)")
    parser.add_argument("--repeats", type=int, help="by default as many as each contest asks for")
    parser.add_argument(
        "--elsewhere", action="store_true", help="install peers that need environments of their own"
    )
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.name) - set(CONTESTS) - set(MORE))
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join([*CONTESTS, *MORE])}")
    size = Size(chosen.scale, chosen.trees, chosen.elsewhere)
    pd.set_option("display.width", 200, "display.max_columns", 20)
    for name in chosen.name or [*CONTESTS, *MORE]:
        if name in MORE:
            MORE[name](size)
            continue
        table = hold_all([name], size, chosen.repeats)
        print(readable(table).droplevel("contest").to_string(), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
