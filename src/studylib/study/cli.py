"""The command line of a study: ``studylib reproduce``, ``status``, ``judge``, ``new`` and others."""

import argparse
import os
import sys

from studylib import __version__
from studylib.core.data import STUDY_VARIABLE
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from studylib.study.terminal import environment, printable, silence, warn_in_one_line


def main(arguments=None, more=()):
    """Run the command line, by default that of the process; returns the exit code.

    ``more`` has modules of commands that the engine does not know, each with ``NAME``, ``WHAT``,
    ``add_arguments(parser)`` and ``run(chosen)``, which returns an exit code.
    """
    chosen = _parser(more).parse_args(arguments)
    with printable():
        return _run(chosen)


def _run(chosen):
    warn_in_one_line()
    study = getattr(chosen, "study", None) or os.environ.get(STUDY_VARIABLE)
    try:
        root = study and os.path.abspath(os.path.expanduser(study))
        # Of compilation nothing is said: the progress shows that it takes long.
        with environment(**{STUDY_VARIABLE: root}), silence("studylib"):
            code = chosen.run(chosen)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever reads has seen enough, as in `studylib status | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # as a shell says it of SIGPIPE
    except (OSError, ValueError) as error:
        # The system's errors name a file and a reason; ours are sentences already.
        if getattr(error, "filename", None) and error.strerror:
            error = f"{error.filename}: {error.strerror}"
        print(f"studylib: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if not error.name or error.name.partition(".")[0] == "studylib":
            raise
        print(
            f"studylib: {chosen.command} needs the package {error.name}, which is not installed; the extra "
            "'study' has all that it takes: pip install 'studylib[study]'.",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print("\nstudylib: stopped before any notebook was started.", file=sys.stderr)
        return 130


def _parser(more=()):
    parser = argparse.ArgumentParser(prog="studylib", description="Run a study and render its report.")
    parser.add_argument("--version", action="version", version=f"studylib {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)

    of_study, of_profile, of_tasks = (argparse.ArgumentParser(add_help=False) for _ in range(3))
    of_study.add_argument("--study", metavar="DIR", help="folder of the study; by default the one you are in")
    of_profile.add_argument("--profile", default="quick", help="smoke, quick (default), paper or another")
    of_tasks.add_argument(
        "notebooks",
        nargs="*",
        metavar="NOTEBOOK",
        help="names or how they begin, such as 07 for 07_mushroom_trees; default all",
    )
    of_tasks.add_argument(
        "--jobs", type=int, default=2, metavar="N", help="tasks at the same time (default 2)"
    )

    def command(run, *parents):
        """The parser of a command: a function whose docstring is its help."""
        what = " ".join((run.__doc__ or "").split())
        made = commands.add_parser(run.__name__.strip("_"), parents=parents, help=what, description=what)
        made.set_defaults(run=run)
        return made

    reproduce = command(_reproduce, of_study, of_tasks, of_profile)
    reproduce.add_argument(
        "--simulate",
        action="store_true",
        help="let simulated data replace a report on real data where these are absent",
    )
    reproduce.add_argument(
        "--executor",
        default="local",
        metavar="WHERE",
        help="where tasks are computed: local (default), or dask://host:port, a Dask scheduler",
    )
    reproduce.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="end the run after that time; what is done is stored, and the exit code is 1",
    )
    command(_list, of_study)
    command(_status, of_study, of_profile)
    command(_judge, of_study, of_profile)
    confirm = command(_confirm, of_study, of_tasks, of_profile)
    confirm.add_argument("--seed", type=int, help="of the draw; by default a fresh one, which is printed")
    command(_docs, of_study)
    command(_data, of_study)
    command(_verify, of_study, of_profile)
    diff = command(_diff, of_study)
    diff.add_argument("reports", nargs=2, metavar="REPORT", help="folder of a report, such as reports/paper")
    diff.add_argument("--notebook", metavar="NAME", help="compare what this one found; by default all")
    clean = command(_clean, of_study, of_profile)
    clean.add_argument(
        "--yes", action="store_true", help="do not ask, even if files are under version control"
    )
    opened = command(_open, of_study)
    opened.add_argument("--profile", help="by default the one whose report was rendered last")
    new = command(_new)
    new.add_argument("folder", metavar="DIR", help="folder to write it into; it must not exist, or be empty")
    for module in more:
        made = commands.add_parser(module.NAME, help=module.WHAT, description=module.WHAT)
        made.set_defaults(run=module.run)
        module.add_arguments(made)
    return parser


# The commands. They import what they need: `studylib --help` should not wait for papermill.


def _reproduce(chosen):
    """run what is not fresh and render the report"""
    names = _names(chosen)
    from studylib.study.reproduce import reproduce
    from studylib.study.run.executor import ExecutorError, check_executor, check_timeout

    executor = check_executor(chosen.executor, "--executor")
    timeout = check_timeout(chosen.timeout, "--timeout")
    try:
        return reproduce(chosen.profile, names, _jobs(chosen), chosen.simulate, executor, timeout)
    except ExecutorError as error:
        raise ValueError(f"{error}.") from error


def _judge(chosen):
    """derive all verdicts again from the stored measurements and render the report; runs no notebook"""
    from studylib.study.evidence.verdicts import say_forgotten_amendments, tally
    from studylib.study.reproduce import only_run
    from studylib.study.site import report

    study = current_study().use()
    layout = Layout(study.check_profile(chosen.profile))
    with only_run(layout):
        judged = report.write_report(layout, study, chosen.profile, {})
    nothing = f"nothing has been measured yet; `studylib reproduce --profile {chosen.profile}` does so"
    print(f"{len(judged)} claims: {tally(judged.values())}" if judged else nothing)
    print(f"report: {layout.index}")
    return say_forgotten_amendments(layout, study)


def _confirm(chosen):
    """compute a random sample of the stored tasks again. Of a notebook that is fresh and named, say
    whether they are bit-equal, and write nothing. Of one that a change of code made stale, carry the
    others over if they are"""
    names = _names(chosen)
    from studylib.study.confirm import confirm

    return confirm(chosen.profile, names, _jobs(chosen), chosen.seed)


def _names(chosen):
    """The notebooks that were asked for, or None.

    All that the study's TOML files say is read before anything heavy is imported, or computed.
    """
    study = current_study()
    study.ledger  # noqa: B018
    return [study.find(name).name for name in chosen.notebooks] or None


def _jobs(chosen):
    if chosen.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, got {chosen.jobs}.")
    return chosen.jobs


def _list(chosen):
    """list the notebooks and the claims they judge"""
    study = current_study()
    for notebook in study.notebooks.values():
        print(f"{notebook.name}: {len(notebook.claims)} claims, data: {', '.join(notebook.data) or 'none'}")
    judged = sum(len(notebook.claims) for notebook in study.notebooks.values())
    rest = len(study.ledger.claims) - judged
    print(f"{judged} claims have a notebook" + (f", {rest} others are planned" if rest else ""))
    return 0


def _docs(chosen):
    """build the user guide and the API reference, which every report links to"""
    from studylib.study.site import report

    study = current_study().use()
    if not (study.api or study.guide):
        raise ValueError("docs: study.toml names no pages (guide) and no modules (api).")
    written = report.write_docs(study)
    print(f"docs: {Layout(study.profiles[-1]).docs / 'index.html'}{'' if written else ' (up to date)'}")
    return 0


def _data(chosen):
    """download what is missing and check every data file"""
    from studylib.study.reproduce import fetch_data

    absent = fetch_data(current_study().use())
    if not absent:
        print("all data files are here and are the published ones")
    return 1 if absent else 0


def _status(chosen):
    """say what is fresh, what changed, what failed; exit code 3 if not all is fresh"""
    from studylib.study.freshness import stamps
    from studylib.study.freshness.keys import another_python

    study = current_study().use()
    layout = Layout(study.check_profile(chosen.profile))
    staleness = stamps.staleness(layout, study.notebooks.values(), chosen.profile)
    for name, reasons in staleness.items():
        stamp = stamps.read(layout, name)
        if reasons is None or stamp is None:
            staleness[name] = None  # a run that has just begun removed its stamp
            print(f"{name}: " + ("failed" if layout.executed(name).is_file() else "not run yet"))
            continue
        elsewhere = another_python(stamp["inputs"])
        origin = stamp["finished"] + (f", {elsewhere}" if elsewhere else "")
        if not reasons:
            print(f"{name}: fresh, {origin}, {stamp['computing_s']:.0f} s of computing")
            continue
        print(f"{name}: stale since {origin}, because")
        for reason in reasons:
            print(f"    {reason}")
    changed = stamps.stale_verdicts(layout, study)
    if changed:
        print("the verdicts are stale (`studylib judge` derives them again), because")
    for reason in changed:
        print(f"    {reason}")
    return 3 if any(reasons != [] for reasons in staleness.values()) or changed else 0


def _verify(chosen):
    """check every hash of a report and derive its verdicts again; exit code 1 if anything differs"""
    from studylib.study.evidence import verifier
    from studylib.study.ledger.rule_table import by_function

    study = current_study().use()
    rules = [claim.judge for claim in study.ledger.claims.values()]

    def by_own_function(rule, measured):
        if rule not in rules:  # the ledger in a report could name any code to import
            raise ValueError("the study's ledger does not have this rule, so its function is not called")
        return by_function(rule, measured)

    return verifier.main(Layout(study.check_profile(chosen.profile)).folder, by_own_function)


def _diff(chosen):
    """say which verdicts, metrics and results of tasks differ between two reports, such as yours and that of
    another machine; exit code 3 if a verdict differs or is in one only"""
    from studylib.study.evidence.differences import differences

    study = current_study()
    name = None if chosen.notebook is None else study.find(chosen.notebook).name
    timed = {notebook.name: notebook.timed for notebook in study.notebooks.values()}
    lines, agree = differences(chosen.reports, timed, name)
    print("\n".join(lines))
    return 0 if agree else 3


def _clean(chosen):
    """remove a profile's report"""
    import shutil

    from studylib.study.reproduce import only_run

    layout = Layout(current_study().check_profile(chosen.profile))
    if not layout.folder.is_dir():
        print(f"nothing in {layout.folder}")
        return 0
    committed = _committed_files(layout.folder)
    if committed and not chosen.yes:
        what = f"{layout.folder} holds {committed} files that are under version control"
        if not sys.stdin.isatty():
            raise ValueError(f"{what}; add --yes to remove them.")
        if input(f"{what}. Remove them? [y/N] ").strip().lower() not in ("y", "yes"):
            print("nothing removed")
            return 1
    with only_run(layout):
        shutil.rmtree(layout.folder)
    print(f"removed {layout.folder}")
    return 0


def _committed_files(folder):
    """How many files of a folder git has; 0 where there is no git."""
    import subprocess

    words = ["git", "-C", str(folder), "ls-files", "-z", "."]
    try:
        return subprocess.run(words, capture_output=True, check=True).stdout.count(b"\0")
    except (OSError, subprocess.CalledProcessError):
        return 0


def _open(chosen):
    """open a report in a browser, or print its path where there is none"""
    from studylib.study.terminal import open_page

    study = current_study()
    profiles = study.profiles if chosen.profile is None else [study.check_profile(chosen.profile)]
    pages = [page for page in (Layout(profile).index for profile in profiles) if page.is_file()]
    if not pages:
        raise ValueError(
            f"there is no report of {' or '.join(profiles)} yet; `studylib reproduce` renders one."
        )
    page = max(pages, key=lambda page: page.stat().st_mtime)
    open_page(page)
    print(page)
    return 0


def _new(chosen):
    """write a new study that runs"""
    import shlex

    from studylib.study.new import write_study

    folder = write_study(chosen.folder)
    print(f"a study of one claim is in {folder}; run it with")
    print(f"    {shlex.join(['studylib', 'reproduce', '--study', str(folder)])}")
    return 0
