#!/usr/bin/env bash
# What the tests need of the system besides Python: a PostgreSQL server to start, and Java for Spark.
#
#     scripts/system.sh
#
# As root on Debian what is missing is installed; elsewhere it is named.
set -euo pipefail

missing=()
{ command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } > /dev/null 2>&1 || missing+=(postgresql)
command -v java > /dev/null 2>&1 || missing+=(openjdk-17-jre-headless)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    said=$({ apt-get update && apt-get install --yes --no-install-recommends "${missing[@]}"; } 2>&1) && exit 0
    echo "$said" >&2
fi
echo "qanat: the tests need ${missing[*]}: install them (sudo apt-get install ${missing[*]}) and repeat" >&2
exit 1
