#!/usr/bin/env bash
# Make .venv with the pinned packages and this one in it; safe to repeat.
#
#     scripts/environment.sh PYTHON [--group dev]
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
shift

fail() {
    echo "qanat: $1" >&2
    exit 1
}

# Run a command in silence; if it fails, say our line, and keep what it said.
log=.venv/environment.log
quietly() {
    line=$1
    shift
    said=$("$@" 2>&1) || {
        mkdir -p .venv && printf '%s\n' "$said" > "$log"
        fail "$line (what was said is in $log)"
    }
}

command -v "$python" > /dev/null ||
    fail "there is no $python here: install Python 3.11 or later, or name yours: make PYTHON=python3.12 ..."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$python is $("$python" --version 2>&1): expected Python 3.11 or later; name it: make PYTHON=python3.12 ..."

# Debian keeps the module that makes environments in a package of its own.
if ! "$python" -c 'import ensurepip, venv' 2> /dev/null; then
    package="$(basename "$(readlink -f "$(command -v "$python")")")-venv"
    [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null ||
        fail "$python cannot make environments: install $package (sudo apt-get install $package) and repeat"
    quietly "$package could not be installed with apt-get: install it by hand and repeat" \
        sh -c "apt-get update && apt-get install --yes --no-install-recommends $package"
fi

# What an interrupted attempt left behind, which would fail for ever, is made anew.
works() {
    .venv/bin/python -c '' && { [ -x .venv/bin/uv ] || .venv/bin/python -m pip install --help; }
} > /dev/null 2>&1
works || quietly "$python could not make an environment in .venv: remove .venv and repeat" \
    "$python" -m venv --clear .venv
[ -x .venv/bin/uv ] || quietly "uv could not be installed: is a package index reachable?" \
    .venv/bin/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt uv
quietly "the packages could not be installed: is a package index reachable?" \
    .venv/bin/uv pip install --quiet --python .venv/bin/python --constraint constraints.txt \
    --build-constraint constraints.txt --editable . "$@"
