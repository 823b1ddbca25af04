#!/bin/sh
# Runs the whole pipeline on the sample data, from PGN to a trained network, and fails if the network is not better than
# chance. Needs bin/talbot and Stockfish: run it as `task demo`. Everything goes into demo-out/, which is made afresh.
#
# DEMO_FRACTION is the share of the samples that are labelled, DEMO_STEPS the length of the training.
set -eu
cd "$(dirname "$0")/.."

out=demo-out
fraction=${DEMO_FRACTION:-0.03}
steps=${DEMO_STEPS:-1000}
talbot=./bin/talbot
split=80,10,10 # a small dataset needs a larger share for the test than the default

fail() {
	echo "demo: error: $1" >&2
	echo "demo: hint: $2" >&2
	exit 1
}

[ -x "$talbot" ] || fail "$talbot is missing" "run the demo as a task, which builds it first"

# Only a folder that an earlier demo made is removed.
if [ -e $out ]; then
	[ -f $out/.talbot-demo ] || fail "$out exists and was not made by the demo" "move it away"
	rm -rf $out
fi
mkdir $out
: >$out/.talbot-demo

# run NAME ARGUMENT… runs talbot, shows the command, and keeps its JSON result in $out/NAME.json.
run() {
	name=$1
	shift
	echo
	echo "\$ talbot $*"
	"$talbot" "$@" --json >"$out/$name.json"
}

# show ARGUMENT… runs talbot for its text.
show() {
	echo
	echo "\$ talbot $*"
	"$talbot" "$@"
}

# field NAME KEY prints a number at the top level of $out/NAME.json, which is one line.
field() {
	value=$(sed -e 's/^{//' -e 's/}$//' -e ':again' -e 's/"[^"]*":{[^{}]*},\{0,1\}//' -e 't again' "$out/$1.json" |
		tr ',' '\n' | sed -n "s/^\"$2\"://p")
	case $value in
	'' | *[!0-9.eE+-]*) fail "$out/$1.json has no number $2" "read that file; this is a bug of the demo or of talbot" ;;
	esac
	echo "$value"
}

# below A B succeeds if A < B.
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 < b + 0) }'; }

started=$(date +%s)
run ingest ingest sample/games.pgn.zst sample/puzzles.csv --out $out/lines --split $split
run synth synth-endgames --count 300 --pieces 3-7 --seed 1 --out $out/endgames --split $split
run label label $out/lines --out $out/lines-labelled --engine stockfish --movetime 20ms --fraction "$fraction"
run label-endgames label $out/endgames --out $out/endgames-labelled --engine stockfish --movetime 20ms
data=$out/lines-labelled,$out/endgames-labelled
run train train --data $data --run $out/run --recipe talbotbot --blocks 2 --filters 32 --batch 128 --steps "$steps" \
	--lr 0.005 --weight-decay 1 --seed 1
run eval eval --run $out/run --data $data --split test
show stats $out/lines-labelled
show inspect $out/endgames-labelled --sample 0
seconds=$(($(date +%s) - started))

# One assignment a line: a failing field then ends the script.
kept=$(field ingest games_kept)
from_files=$(field ingest samples)
ingest_s=$(field ingest seconds)
endgames=$(field synth games_kept)
from_seed=$(field synth samples)
synth_s=$(field synth seconds)
labelled=$(field label labelled)
label_s=$(field label seconds)
labelled_endgames=$(field label-endgames labelled)
endgames_s=$(field label-endgames seconds)
steps=$(field train steps)
speed=$(field train positions_per_second)
train_s=$(field train seconds)
tested=$(field eval samples)
policy=$(field eval policy_ce_legal)
uniform=$(field eval policy_ce_uniform)
top1=$(field eval top1)
value=$(field eval value_mse)
mean=$(field eval value_mse_mean)
label_s=$(awk -v a="$label_s" -v b="$endgames_s" 'BEGIN { print a + b }')
labelled=$((labelled + labelled_endgames))
rate=$(awk -v n="$labelled" -v s="$label_s" 'BEGIN { printf "%.0f", n / s }')

row() { printf '%-16s %7.1f s   %s\n' "$@"; }
echo
row ingest "$ingest_s" "$kept games and puzzles, $from_files samples"
row synth-endgames "$synth_s" "$endgames endgames, $from_seed samples"
row label "$label_s" "$labelled positions labelled, $rate a second"
row train "$train_s" "$steps steps of 128 positions, ${speed%.*} positions a second"
row "in all" "$seconds" "without the build"
echo
printf '%-30s %8s %8s\n' "on $tested test positions" network chance
printf '%-30s %8.3f %8.3f   %s\n' "policy cross-entropy (legal)" "$policy" "$uniform" "chance: all legal moves alike"
printf '%-30s %8.3f %8.3f   %s\n' "value MSE" "$value" "$mean" "chance: always their mean value"
printf '%-30s %7.1f%%\n' "first choice is the target" "$(awk -v t="$top1" 'BEGIN { print 100 * t }')"
echo
echo "datasets    $out/lines  $out/endgames  $out/lines-labelled  $out/endgames-labelled"
echo "network     $out/run"
echo "results     $out/*.json"

below "$policy" "$uniform" || fail "the policy is no better than chance" "run talbot doctor; see $out/run/metrics.jsonl"
below "$value" "$mean" || fail "the value is no better than chance" "run talbot doctor; see $out/run/metrics.jsonl"
