#!/bin/sh
# Create $VENV with the packages of requirements.lock and this project. Called by the Makefile.
set -eu
say() { printf '%s\n' "studylib: $*" >&2; }

"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
    say "Python 3.11 or newer is needed, but '$PYTHON' is $("$PYTHON" --version 2>&1 || echo missing)." \
        "Name another one: make env PYTHON=python3.12"
    exit 1
}
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || {
    say "'$PYTHON' lacks venv or ensurepip. On Debian or Ubuntu: apt install python3-venv."
    exit 1
}
say "setting up $VENV (half a minute to a few minutes, about 500 MB to download; then a minute for its kernels)"
# The user's settings of pip say from where to install (indexes, proxies), but not to where.
export PIP_USER=0
unset PIP_TARGET PIP_PREFIX PIP_ROOT
"$PYTHON" -m venv --clear "$VENV"
python="$VENV/bin/python"
log="$VENV/setup.log"

# uv is several times faster than pip; pip knows mirrors and proxies that uv may not, so it is the fallback.
if "$python" -m pip install --quiet --disable-pip-version-check "$UV" >"$log" 2>&1 &&
    "$VENV/bin/uv" pip install --quiet --compile-bytecode --python "$python" --require-hashes -r requirements.lock >>"$log" 2>&1
then :; else
    say "uv could not install the lock (see $log); falling back to pip, which takes a few minutes"
    "$python" -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes \
        -r requirements.lock
fi
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
