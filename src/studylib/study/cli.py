"""The command line: ``studylib reproduce``, ``studylib list``, ``studylib data``."""

import argparse
import sys


def main(arguments=None):
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(prog="studylib", description="Run the study and render its report.")
    commands = parser.add_subparsers(dest="command", required=True)
    reproduce = commands.add_parser("reproduce", help="run what is not fresh and render the report")
    reproduce.add_argument(
        "notebooks", nargs="*", metavar="NOTEBOOK", help="names, such as 07_mushroom_trees"
    )
    reproduce.add_argument("--profile", default="quick", choices=("smoke", "quick", "paper"))
    reproduce.add_argument("--jobs", type=int, default=1, metavar="N", help="notebooks at the same time")
    commands.add_parser("list", help="list the notebooks and the claims they judge")
    commands.add_parser("data", help="download what is missing and check every data file")
    chosen = parser.parse_args(arguments)
    try:
        return _COMMANDS[chosen.command](chosen)
    except (OSError, ValueError) as error:
        print(f"studylib: {error}", file=sys.stderr)
        return 2


# The commands import what they need: `studylib --help` should not wait for papermill.
def _reproduce(chosen):
    from studylib.study.runner import reproduce
    from studylib.study.studies import study

    if chosen.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, got {chosen.jobs}.")
    names = [study(name).name for name in chosen.notebooks] or None
    return reproduce(chosen.profile, names, chosen.jobs)


def _list(chosen):
    from studylib.study.ledger import claims
    from studylib.study.studies import studies

    for study in studies().values():
        print(f"{study.name}: {len(study.claims)} claims, data: {', '.join(study.data) or 'none'}")
    judged = sum(len(s.claims) for s in studies().values())
    print(f"{judged} of {len(claims())} claims have a notebook, the others are planned")
    return 0


def _data(chosen):
    from studylib.datasets import data_dir
    from studylib.study.runner import fetch_data

    absent = fetch_data(lambda line: print(line, file=sys.stderr))
    if not absent:
        print(f"all data files are in {data_dir()} and are the published ones")
    return 1 if absent else 0


_COMMANDS = {"reproduce": _reproduce, "list": _list, "data": _data}

if __name__ == "__main__":
    sys.exit(main())
