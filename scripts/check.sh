#!/usr/bin/env bash
# Everything that must pass, cheapest first; the last line is that of the test runner.
#
#     scripts/check.sh [FORCE]
#
# When nothing has changed since it last passed it says so in a second; any argument makes it run again.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=.venv/bin
passed=.venv/.passed

# What a result depends on: the files, the interpreter and its packages, the settings, the datasets. The files
# are not asked of git, which may be missing, or know of another folder only; a file that no check reads costs
# one more run.
state() {
    find -L . \( -path ./.git -o -path ./.venv -o -path ./dist -o -name '.*_cache' -o -name __pycache__ \
        -o -name .hypothesis -o -name '.coverage*' -o -name '*.egg-info' \) -prune -o -type f -print0 |
        sort -z | xargs -0 sha256sum
    "$bin/python" -VV
    ls .venv/lib/*/site-packages
    env | grep -E '^(QANAT|PYTEST|HYPOTHESIS|PYTHON)' | sort
    ls -lR --time-style=full-iso "${QANAT_DATA:-../shared/data}/" 2> /dev/null || echo "no datasets"
}
digest=$(state | sha256sum | cut -d' ' -f1)
if [ $# = 0 ] && [ -f "$passed" ] && [ "$(head -n 1 "$passed")" = "$digest" ]; then
    echo "Nothing has changed since everything passed (make check FORCE=1 runs it again):"
    tail -n 1 "$passed"
    exit 0
fi

step() {
    name=$1
    shift
    output=$("$@" 2>&1) || {
        echo "$output"
        echo "make check: $name failed"
        exit 1
    }
    echo "$name: ok"
}
rm -f "$passed"
step format "$bin/ruff" format --check .
step lint "$bin/ruff" check .
step types "$bin/mypy"
step layers "$bin/lint-imports" --no-cache
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Small matrices do not gain from threads, and two test workers would fight for them.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
# Files stay on one worker each: the simulations that a file's tests share are made once.
"$bin/pytest" -n 2 --dist loadfile --cov 2>&1 | tee "$log"
{ echo "$digest"; tail -n 1 "$log"; } > "$passed"
