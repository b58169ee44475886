"""The command line: ``studylib reproduce``, ``list``, ``status``, ``data``, ``clean``."""

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
    reproduce.add_argument("--jobs", type=int, default=1, metavar="N", help="tasks at the same time")
    commands.add_parser("list", help="list the notebooks and the claims they judge")
    commands.add_parser("data", help="download what is missing and check every data file")
    for name, what in (
        ("status", "say what is fresh, stale or failed"),
        ("clean", "remove a profile's report"),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("--profile", default="quick", choices=("smoke", "quick", "paper"))
    chosen = parser.parse_args(arguments)
    try:
        return _COMMANDS[chosen.command](chosen)
    except OSError as error:
        # The system's errors name a file and a reason; ours are sentences already.
        said = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else error
        print(f"studylib: {said}", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"studylib: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstudylib: stopped before any notebook was started.", file=sys.stderr)
        return 130


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


def _status(chosen):
    from studylib.study import stamps
    from studylib.study.paths import Layout
    from studylib.study.studies import studies

    layout = Layout(chosen.profile)
    for study in studies().values():
        stamp = stamps.read(layout, study.name)
        if stamp is None:
            print(f"{study.name}: " + ("failed" if layout.executed(study.name).is_file() else "not run yet"))
        elif stamps.is_fresh(layout, study, chosen.profile):
            print(f"{study.name}: fresh, {stamp['finished']}, {stamp['wall_time_s']:.0f} s")
        else:
            now = stamps.key_parts(study, chosen.profile)
            changed = [part for part, value in now.items() if stamp["inputs"].get(part) != value]
            print(
                f"{study.name}: stale ({', '.join(changed) or 'its files'} changed since {stamp['finished']})"
            )
    return 0


def _clean(chosen):
    import shutil

    from studylib.study.paths import Layout
    from studylib.study.runner import only_run

    layout = Layout(chosen.profile)
    if not layout.folder.is_dir():
        print(f"nothing in {layout.folder}")
        return 0
    with only_run(layout):
        shutil.rmtree(layout.folder)
    print(f"removed {layout.folder}")
    return 0


_COMMANDS = {"reproduce": _reproduce, "list": _list, "status": _status, "data": _data, "clean": _clean}
