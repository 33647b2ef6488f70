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

command -v "$python" > /dev/null ||
    fail "there is no $python here: install Python 3.11 or later, or name yours: make PYTHON=python3.12 ..."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$python is $("$python" --version 2>&1): expected Python 3.11 or later; name it: make PYTHON=python3.12 ..."

# Debian keeps the module that makes environments in a package of its own.
if ! "$python" -c 'import ensurepip, venv' 2> /dev/null; then
    package="$(basename "$(readlink -f "$(command -v "$python")")")-venv"
    [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null ||
        fail "$python cannot make environments: install $package (sudo apt-get install $package) and repeat"
    { apt-get update && apt-get install --yes --no-install-recommends "$package"; } > /dev/null 2>&1 ||
        fail "$package could not be installed with apt-get: install it by hand and repeat"
fi

[ -x .venv/bin/python ] || "$python" -m venv .venv
[ -x .venv/bin/uv ] || .venv/bin/python -m pip install -qq --disable-pip-version-check \
    --constraint constraints.txt uv || fail "uv could not be installed: is a package index reachable?"
.venv/bin/uv pip install --quiet --python .venv/bin/python --constraint constraints.txt \
    --build-constraint constraints.txt --editable . "$@" ||
    fail "the packages could not be installed: is a package index reachable?"
