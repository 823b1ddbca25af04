#!/bin/sh
# Fails if a function is called by nothing, or by tests alone and is not named here with its reason. DEADCODE is the
# command; without XLA more is dead, so it must be there.
set -eu
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
cat >"$temp/known" <<'EOF'
internal/durable/faults.go InjectFaults faults in the tests of other packages
internal/output/folder.go SmallShards   small shards in the tests of other packages
EOF
$DEADCODE -test ./... >"$temp/all"
$DEADCODE ./cmd/... >"$temp/tests"
sed 's/:.*: / /' "$temp/tests" | sort >"$temp/found"
awk '{ print $1, $2 }' "$temp/known" | sort >"$temp/names"
comm -3 "$temp/found" "$temp/names" >"$temp/wrong"
if [ -s "$temp/all" ] || [ -s "$temp/wrong" ]; then
	cat "$temp/all"
	sed 's/^\t/no longer there: /; t; s/$/ (only tests call it)/' "$temp/wrong"
	echo "deadcode: hint: remove it, move it to the tests, or give its reason in scripts/deadcode.sh"
	exit 1
fi >&2
