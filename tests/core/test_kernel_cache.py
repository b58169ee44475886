"""Compiled kernels are found only by the code that they came from."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studylib.core import kernel_cache


def started_with(**variables):
    """What NUMBA_CACHE_DIR is in a fresh process, after importing studylib."""
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | variables
    code = "import studylib.trees, numba; print(numba.config.CACHE_DIR)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())


@pytest.fixture
def unset(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


def test_every_process_finds_the_cache_of_its_sources(unset):
    assert started_with() == kernel_cache.cache_dir()


def test_a_cache_that_the_user_names_gets_the_hash_appended_once(tmp_path):
    expected = tmp_path / kernel_cache.source_hash()[:16]
    assert started_with(NUMBA_CACHE_DIR=str(tmp_path)) == expected
    assert started_with(NUMBA_CACHE_DIR=str(expected)) == expected
    assert started_with(NUMBA_CACHE_DIR=str(tmp_path / ("0" * 16))) == expected  # of older sources


def test_a_changed_line_or_lock_names_another_cache(tmp_path, monkeypatch, unset):
    package = tmp_path / "src/studylib"
    for room in ("trees", "study"):
        (package / room).mkdir(parents=True)
        (package / room / "a.py").write_text("x = 1\n")
    (tmp_path / "requirements.lock").write_text("numba==1\n")
    monkeypatch.setattr(kernel_cache, "_PACKAGE", package)
    monkeypatch.setattr(kernel_cache, "_ROOT", tmp_path)
    monkeypatch.setattr(kernel_cache, "source_hash", kernel_cache.source_hash.__wrapped__)
    seen = {kernel_cache.cache_dir()}
    (package / "study/a.py").write_text("x = 2\n")
    assert kernel_cache.cache_dir() in seen  # no kernel is there
    (package / "trees/a.py").write_text("x = 2\n")
    seen.add(kernel_cache.cache_dir())
    (package / "trees/a.py").rename(package / "trees/b.py")
    seen.add(kernel_cache.cache_dir())
    (tmp_path / "requirements.lock").write_text("numba==2\n")
    seen.add(kernel_cache.cache_dir())
    assert len(seen) == 4
    assert not kernel_cache.in_checkout()


def borrowed(tree):
    """Names that the kernels of a file use and that it imports from this package."""
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.level or node.module.startswith("studylib"))
        for alias in node.names
    }
    kernels = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and any("njit" in ast.dump(d) for d in node.decorator_list)
    ]
    used = {node.id for kernel in kernels for node in ast.walk(kernel) if isinstance(node, ast.Name)}
    return used & imported


def test_rooms_said_to_be_self_contained_are(unset):
    package = Path(kernel_cache.__file__).parents[1]
    for room in kernel_cache._SELF_CONTAINED:
        for path in (package / room).rglob("*.py"):
            assert not borrowed(ast.parse(path.read_text(encoding="utf-8"))), path


def test_a_kernel_that_calls_one_of_another_file_would_be_found():
    source = (
        "from studylib.core.random import next_word\n@njit(cache=True)\ndef f(s):\n    return next_word(s)\n"
    )
    assert borrowed(ast.parse(source)) == {"next_word"}
    assert borrowed(ast.parse(source.replace("return next_word(s)", "return s"))) == set()


def test_the_file_run_as_a_script_prints_the_path_and_nothing_else(unset):
    done = subprocess.run(
        [sys.executable, "-P", kernel_cache.__file__], capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), done.stderr) == (str(kernel_cache.cache_dir()), "")
