#!/bin/sh
# Runs every fuzz target of every package for FUZZTIME.
set -eu
cd "$(dirname "$0")/.."
FUZZTIME=${FUZZTIME:-30s}

targets=$(sh scripts/go.sh list -f '{{range .TestGoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}' ./... |
	while read -r package file; do
		if [ -n "$package" ]; then
			sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\)(.*|$package \1|p" "$file"
		fi
	done)
[ -n "$targets" ] || { echo "fuzz: error: no fuzz target found" >&2; exit 1; }

echo "$targets" | while read -r package target; do
	echo "fuzz: $package $target for $FUZZTIME"
	sh scripts/go.sh test -run '^$' -fuzz "^$target\$" -fuzztime "$FUZZTIME" -fuzzminimizetime 20x "$package" </dev/null
done
