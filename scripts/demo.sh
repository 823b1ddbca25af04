#!/bin/sh
# Builds talbot, installs Stockfish if it is missing, and runs the whole pipeline on the sample data, from PGN to a
# trained network. It fails if the network is not better than chance on positions that it was not trained on. Everything
# goes into demo-out/, which is made afresh.
#
# Labels are limited by nodes, the training ends after a number of steps, and the backend is always the same, so that
# the same machine prints the same figures each time.
#
# DEMO_FRACTION is the share of the game positions that are labelled, DEMO_STEPS the length of the training, DEMO_SEED
# the seed of its weights and order. TALBOT is a talbot that was built before; nothing is built or installed then.
set -eu
export LC_ALL=C # numbers have a point
cd "$(dirname "$0")/.."

out=demo-out
fraction=${DEMO_FRACTION:-0.1}
steps=${DEMO_STEPS:-2500}
seed=${DEMO_SEED:-1}
talbot=${TALBOT:-./bin/talbot}

red='' green='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
	red=$(printf '\033[31m') green=$(printf '\033[32m') plain=$(printf '\033[m')
fi

fail() {
	echo "demo: error: $1" >&2
	echo "demo: hint: $2" >&2
	exit 1
}

if [ -z "${TALBOT:-}" ]; then
	sh scripts/build.sh
	"$talbot" setup stockfish --yes
fi

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

# flatten prints each number of a JSON text as "path number", with dots between the names of a path; the members of a
# list are numbered from 0.
flatten() {
	awk '
	function path(   i, p) {
		for (i = 1; i <= depth; i++)
			p = p (i > 1 ? "." : "") name[i]
		return p
	}
	{ text = text $0 }
	END {
		while (text != "") {
			c = substr(text, 1, 1)
			n = 1
			if (c == "{" || c == "[") {
				list[++depth] = c == "["
				name[depth] = 0
			} else if (c == "}" || c == "]") {
				depth--
			} else if (c == ",") {
				if (list[depth])
					name[depth]++
			} else if (match(text, /^"([^"\\]|\\.)*":/)) {
				n = RLENGTH
				name[depth] = substr(text, 2, n - 3)
			} else if (match(text, /^"([^"\\]|\\.)*"/) || match(text, /^[a-z]+/)) {
				n = RLENGTH
			} else if (match(text, /^[-+0-9.eE]+/)) {
				n = RLENGTH
				print path(), substr(text, 1, n)
			}
			text = substr(text, n + 1)
		}
	}'
}

# field NAME PATH prints a number of $out/NAME.json.
field() {
	[ -f "$out/$1.numbers" ] || flatten <"$out/$1.json" >"$out/$1.numbers"
	awk -v path="$2" '$1 == path { print $2; found = 1 } END { exit !found }' "$out/$1.numbers" ||
		fail "$out/$1.json has no number $2" "read that file; this is a bug of the demo or of talbot"
}

# below A B succeeds if A < B.
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 < b + 0) }'; }

started=$(date +%s)
run ingest ingest examples/games.pgn.zst examples/puzzles.csv --out $out/lines
run synth synth-endgames --count 6000 --pieces 3-7 --seed 1 --out $out/endgames
run label label $out/lines --out $out/lines-labelled --engine stockfish --nodes 300 --hash 1 --fraction "$fraction"
run label-endgames label $out/endgames --out $out/endgames-labelled --engine stockfish --nodes 300 --hash 1
data=$out/lines-labelled,$out/endgames-labelled
run train train --data $out/lines-labelled:0.9,$out/endgames-labelled:0.1 --run $out/run --preset small \
	--steps "$steps" --seed "$seed" --backend go
run eval eval --run $out/run --data $data --split test --backend go
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
eval_s=$(field eval seconds)
tested=$(field eval samples)
label_s=$(awk -v a="$label_s" -v b="$endgames_s" 'BEGIN { print a + b }')
labelled=$((labelled + labelled_endgames))
rate=$(awk -v n="$labelled" -v s="$label_s" 'BEGIN { printf "%.0f", n / s }')

row() { printf '%-16s %7.1f s   %s\n' "$@"; }
echo
row ingest "$ingest_s" "$kept games and puzzles, $from_files samples"
row synth-endgames "$synth_s" "$endgames endgames, $from_seed samples"
row label "$label_s" "$labelled positions labelled, $rate a second"
row train "$train_s" "$steps steps of 128 positions, ${speed%.*} positions a second"
row eval "$eval_s" "$tested positions"
row "in all" "$seconds" "without the build"

number() { printf %.3f "$1"; }
percent() { awk -v x="$1" 'BEGIN { printf "%.1f%%", 100 * x }'; }

# verdict A B says that the network is better if A < B.
verdict() { below "$1" "$2" && echo "${green}better$plain" || echo "${red}worse$plain "; }

figure() { printf '%-30s %8s %8s   %s   chance: %s\n' "$@"; }

# judge WHAT PREFIX INTERVALS prints the figures of $out/eval.json under the prefix, and notes in $worse what is not
# better than chance: by the policy's interval too, so that luck alone does not pass.
worse=''
judge() {
	samples=$(field eval "$2.samples")
	policy=$(field eval "$2.policy_ce_legal")
	uniform=$(field eval "$2.policy_ce_uniform")
	high=$(field eval "$3.policy_ce_legal.1")
	top1=$(field eval "$2.top1")
	random=$(field eval "$2.top1_uniform")
	value=$(field eval "$2.value_mse")
	mean=$(field eval "$2.value_mse_mean")
	echo
	printf '%-30s %8s %8s\n' "$samples $1" network chance
	figure "policy cross-entropy" "$(number "$policy")" "$(number "$uniform")" "$(verdict "$policy" "$uniform")" \
		"a uniform policy"
	figure "first choice is the target" "$(percent "$top1")" "$(percent "$random")" "$(verdict "$random" "$top1")" \
		"any legal move"
	figure "value squared error" "$(number "$value")" "$(number "$mean")" "$(verdict "$value" "$mean")" \
		"always their mean value"
	below "$high" "$uniform" ||
		worse="${worse}the policy on $1 (cross-entropy $policy, up to $high, against $uniform); "
	below "$random" "$top1" || worse="${worse}the first choice on $1 ($top1 against $random); "
	below "$value" "$mean" || worse="${worse}the value on $1 ($value against $mean); "
}

judge "unseen positions" unseen unseen_intervals
judge "unseen positions of games" unseen_by_source.game unseen_by_source.game.intervals
echo
echo "datasets    $out/lines  $out/endgames  $out/lines-labelled  $out/endgames-labelled"
echo "network     $out/run"
echo "results     $out/*.json"
[ -z "$worse" ] || fail "no better than chance: ${worse%; }" "run talbot doctor; see $out/run/report.html"
echo "report      $out/run/report.html"
echo "play it     bin/talbot play $out/run"
