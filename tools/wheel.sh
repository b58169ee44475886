#!/bin/sh
# Build a wheel for this system and Python that carries compiled kernels, so that no first fit waits. Called by
# the Makefile, which names Python, uv and the version of wheel.
set -eu
say() { printf '%s\n' "studylib: $*" >&2; }
[ "$(uname -s)" = Linux ] || {
    say "wheels with compiled kernels are built on Linux only so far; '$PYTHON -m pip wheel --no-deps .' makes one without."
    exit 1
}
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
python=$(absolute "$(command -v "$PYTHON")")
UV=$(absolute "$UV")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wheel() { "$UV" tool run --quiet --python "$python" --from "$WHEEL" wheel "$@"; }

"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$folder/plain" .
wheel unpack --dest "$folder" "$folder"/plain/*.whl
package=$(echo "$folder"/studylib-*)
# The path is that of the unpacked wheel alone; numba's generic processor is any of this architecture.
PYTHONPATH="$package" PYTHONDONTWRITEBYTECODE=1 \
    NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR="$package/studylib/_kernels" "$python" -P tools/warm_up.py "$@"
sed -i 's/^Root-Is-Purelib: true$/Root-Is-Purelib: false/' "$package"/studylib-*.dist-info/WHEEL
wheel pack --dest-dir "$folder" "$package"
mkdir -p "$DIST"
name=$(cd "$folder" && wheel tags --remove --abi-tag none --python-tag "$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')" \
    --platform-tag "$("$python" -c 'import sysconfig; print(sysconfig.get_platform().replace("-", "_").replace(".", "_"))')" studylib-*.whl)
mv "$folder/$name" "$DIST/"
say "$DIST/$name"
