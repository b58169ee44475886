"""A study that has been run, and a real headless browser for the pages of a module's ``reports`` folder."""

import importlib.util
import os
import re
import shutil

import pytest

from tests.study import small_study
from tests.study.judged_study import commit_all, reproduce, write_judged_study
from tests.study.small_study import N_TASKS, use


@pytest.fixture(scope="session")
def judged(tmp_path_factory):
    """A small study under version control, with its report; whoever changes it works on a copy."""
    folder = tmp_path_factory.mktemp("judged") / "study"
    write_judged_study(folder)
    commit_all(folder, "Claims")
    reproduce(folder)
    return folder


@pytest.fixture(scope="session")
def _small(tmp_path_factory):
    return small_study.reproduced(tmp_path_factory.mktemp("small") / "study", n=N_TASKS)


@pytest.fixture
def small(_small, tmp_path, monkeypatch):
    """A study of one notebook with thirty tasks and its report, a copy for each test: the current study."""
    shutil.copytree(_small, tmp_path / "study")
    return use(tmp_path / "study", monkeypatch)


@pytest.fixture(scope="module")
def browser():
    executable = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    missing = [] if importlib.util.find_spec("playwright") else ["playwright (pip install playwright)"]
    missing += [] if executable else ["chromium (apt-get install chromium)"]
    if missing:
        # A machine that checks the project must not pass by leaving the check out.
        verdict = pytest.fail if os.environ.get("CI") else pytest.skip
        verdict(f"The browser tests need {' and '.join(missing)}.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, reports):
    """Open a page; at the end of the test, nothing may have been asked for or complained about."""
    contexts, troubles = [], []

    def visit(name, width=1280, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on(
            "request",
            lambda request: (
                None
                if re.match(r"file://.*\.html|file://.*/docs/[^?#]*\.(js|css)", request.url)
                else troubles.append(f"request: {request.url[:100]}")
            ),
        )
        page.goto(f"{reports.as_uri()}/{name}")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not troubles
