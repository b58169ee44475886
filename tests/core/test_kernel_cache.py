"""Compiled kernels are found only by the code that they came from."""

import os
import subprocess
import sys
from pathlib import Path

from studylib.core import kernel_cache


def started_with(**variables):
    """What NUMBA_CACHE_DIR is in a fresh process, after importing studylib."""
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | variables
    code = "import studylib.trees, numba; print(numba.config.CACHE_DIR)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_every_process_finds_the_cache_of_its_sources():
    assert Path(started_with()) == kernel_cache.cache_dir()


def test_a_cache_that_the_user_names_is_kept(tmp_path):
    assert Path(started_with(NUMBA_CACHE_DIR=str(tmp_path))) == tmp_path


def test_a_changed_line_or_lock_names_another_cache(tmp_path, monkeypatch):
    package = tmp_path / "src/studylib"
    (package / "trees").mkdir(parents=True)
    (package / "trees/a.py").write_text("x = 1\n")
    (tmp_path / "requirements.lock").write_text("numba==1\n")
    monkeypatch.setattr(kernel_cache, "_PACKAGE", package)
    monkeypatch.setattr(kernel_cache, "_ROOT", tmp_path)
    seen = {kernel_cache.cache_dir()}
    (package / "trees/a.py").write_text("x = 2\n")
    seen.add(kernel_cache.cache_dir())
    (package / "trees/a.py").rename(package / "trees/b.py")
    seen.add(kernel_cache.cache_dir())
    (tmp_path / "requirements.lock").write_text("numba==2\n")
    seen.add(kernel_cache.cache_dir())
    assert len(seen) == 4
    assert not kernel_cache.in_checkout()


def test_the_file_run_as_a_script_prints_the_path_and_nothing_else():
    done = subprocess.run([sys.executable, kernel_cache.__file__], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == (str(kernel_cache.cache_dir()), "")
