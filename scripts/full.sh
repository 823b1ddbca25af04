#!/bin/sh
# Runs what task test leaves out, a piece at a time, says how long each took, and at the end which failed.
#
#	full.sh [BEGINNING…]         only the pieces whose names begin so
#	full.sh list [BEGINNING…]    only names them
#
#	full/PACKAGE/TEST    a test that does more with TALBOT_FULL=1: its body says so, or asks a helper that does
#	race/PACKAGE         the tests of a package under the race detector
#	fuzz/PACKAGE/TARGET  a fuzz target, for FUZZTIME
#	bench/PACKAGE        the benchmarks of a package, each once
#	cross                compiles for the other platforms
#
# What passed of full and race is taken from Go's test cache until what it reads changes, so that a run that was
# interrupted resumes. The output of each piece is kept in OUT.
set -eu
cd "$(dirname "$0")/.."
FUZZTIME=${FUZZTIME:-5s}
OUT=${OUT:-full-out}

module=$(sh scripts/go.sh list -m)
files=$(sh scripts/go.sh list -f '{{range .TestGoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}' ./... | grep .)

# declared NAME [BODY] prints package and name of the tests' functions whose name begins so and whose body has that.
declared() {
	echo "$files" | while read -r package file; do
		awk -v package="$package" -v name="^func $1" -v body="${2:-.}" '
			/^}/ { fn = "" }
			fn != "" && $0 !~ /^[ \t]*\/\// && $0 ~ body { print package, fn; fn = "" }
			$0 ~ name { fn = $2; sub(/\(.*/, "", fn) }' "$file"
	done
}
pieces=$({
	declared 'Test[A-Z]' 'TALBOT_FULL|[ !]full([ ,)]|$)|testkit[.](Full|Kill|FailingWrites)[(]' | sed 's|^|full |'
	echo "$files" | cut -d ' ' -f 1 | uniq | sed 's|^|race |'
	declared 'Fuzz[A-Z]' | sed 's|^|fuzz |'
	declared 'Benchmark[A-Z]' | cut -d ' ' -f 1 | uniq | sed 's|^|bench |'
	echo cross
} | sed "s| $module/| |")

# run KIND PACKAGE NAME runs a piece.
run() {
	case $1 in
	full) TALBOT_FULL=1 sh scripts/go.sh test -p 1 -timeout 6h -v -run "^$3\$" "./$2" ;;
	# The matrix product of GoMLX's backend go, with SIMD, trips checkptr.
	race) sh scripts/go.sh test -p 1 -timeout 90m -race -gcflags=all=-d=checkptr=0 "./$2" ;;
	fuzz) sh scripts/go.sh test -p 1 -run '^$' -fuzz "^$3\$" -fuzztime "$FUZZTIME" -fuzzminimizetime 20x "./$2" ;;
	bench) sh scripts/go.sh test -p 1 -timeout 60m -run '^$' -bench . -benchtime 1x "./$2" ;;
	cross) sh scripts/cross.sh ;;
	esac
}

list=
[ "${1:-}" != list ] || { list=1; shift; }
failed=
ran=0
while read -r kind package name <&3; do
	piece=$kind${package:+/$package}${name:+/$name}
	wanted=
	[ $# -gt 0 ] || wanted=1
	for beginning; do
		case $piece in "$beginning"*) wanted=1 ;; esac
	done
	[ "$wanted" ] || continue
	ran=$((ran + 1))
	if [ "$list" ]; then
		echo "$piece"
		continue
	fi
	mkdir -p "$OUT"
	log=$OUT/$(echo "$piece" | tr / .).txt
	begun=$(date +%s)
	if run "$kind" "$package" "$name" >"$log" 2>&1 3<&- </dev/null; then
		state=ok
		! grep -q '^ *--- SKIP' "$log" || state="ok, with tests skipped (see $log)"
	else
		state="FAILED (see $log)"
		failed="$failed $piece"
		tail -n 30 "$log"
	fi
	printf '%6d s  %s  %s\n' $(($(date +%s) - begun)) "$piece" "$state"
done 3<<EOF
$pieces
EOF
[ $ran -gt 0 ] || { echo "full: error: no piece begins so: $*" >&2; echo "full: hint: full.sh list names them" >&2; exit 1; }
[ -z "$failed" ] || { echo "full: error: failed:$failed" >&2; exit 1; }
