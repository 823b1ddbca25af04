#!/bin/sh
# Makes a network as the one that comes with talbot was made, in pieces: piece K makes new data from seed K and continues
# the training of piece K-1, optimizer, average and all. Run it in the repository, after scripts/build.sh, and repeat an
# interrupted command to continue it:
#
#   NET=/data/net PIECE=1 sh scripts/net.sh
#   NET=/data/net PIECE=2 sh scripts/net.sh
#   NET=/data/net PIECE=2 sh scripts/net.sh finish
#
# Make pieces until the losses on val fall no more; each takes an hour or two of two cores. The last command lowers the
# learning rate after a piece and leaves the network in NET/final. A match says whether it is better: docs/12-play.md.
#
# To continue on another machine copy the folder of the last piece, of its checkpoints only the newest (9 MB), and name
# it in FROM. The checkpoint alone works too, under the name that it has, but then the network's card does not say how
# it was trained before. FROM=net: begins with the weights of the network that comes with talbot: use it for one piece
# only, and begin with PIECE=7, since that network has learnt from the data of pieces 1 to 6. The data of a piece can be
# made again from its seed, byte for byte.
#
# Also in the environment: GAMES, ENDGAMES, MATES and STEPS, the size of a piece; ENGINE, the Stockfish to use, by default
# the one in PATH. MATES are positions of queen, rook or pawn against king, with their distance to mate: by default about
# 4 % of the samples; 0 makes none. STEPS of 512 samples pass over the data of a piece a little less than twice by default:
# more of them only learn it by heart. A piece may be ended early, by Ctrl-C: the next one begins with its newest
# checkpoint.
set -eu
talbot=$(pwd)/bin/talbot
net=${NET:?"say where to work: NET=FOLDER"}
piece=${PIECE:?"say which piece: PIECE=1"}
games=${GAMES:-16000}
endgames=${ENDGAMES:-120000}
mates=${MATES:-60000}
steps=${STEPS:-4500}
engine=${ENGINE:-stockfish}

# make_data OUTPUT ARGUMENT… runs talbot unless what it makes is there; data without a manifest is not finished.
make_data() {
	out=$1
	shift
	[ -f "$out/manifest.json" ] || "$talbot" "$@" --out "$out"
}

data() {
	make_data "$net/games-$piece" synth-games --engine "$engine" --games "$games" --seed "$piece"
	make_data "$net/endgames-$piece" synth-endgames --count "$endgames" --pieces 3:3,4:3,5:2,6:2 --seed "$piece"
	make_data "$net/labelled-$piece" label "$net/endgames-$piece" --engine "$engine" --nodes 800 --hash 1 --mates
	[ "$mates" -gt 0 ] || return 0
	make_data "$net/starts-$piece" synth-endgames --count "$mates" --material KQvK,KRvK,KPvK --seed "$piece"
	make_data "$net/mates-$piece" label "$net/starts-$piece" --mates
}

# train RUN ARGUMENT… begins a run, or continues it.
train() {
	run=$1
	shift
	if [ -f "$run/run.json" ]; then
		"$talbot" train --run "$run" --resume
	else
		sets=$net/games-$piece,$net/labelled-$piece
		[ "$mates" -eq 0 ] || sets=$sets,$net/mates-$piece
		"$talbot" train --run "$run" --data "$sets" "$@"
	fi
}

# newest RUN is its newest checkpoint, nothing if it has none; the best one is the best of those that were validated.
newest() {
	find "$1/checkpoints" -name 'step-*.safetensors' 2>/dev/null | sort | tail -n 1
}

# begin ARGUMENT… begins a training whose learning rate does not fall: the number of pieces need not be known.
begin() {
	train "$net/run-$piece" "$@" --steps 1000000 --until "$steps" --schedule constant --lr 3e-3 --ema 0.998 \
		--eval-every 250 --checkpoint-every 50 --history-dropout 0.05 --seed "$piece"
}

# continue_after CHECKPOINT continues the training that it is from.
continue_after() {
	reached=$(basename "$1" .safetensors | sed 's/^step-0*//')
	train "$net/run-$piece" --after "$1" --until "$((reached + steps))"
}

fail() {
	echo "net.sh: error: $1" >&2
	exit 2
}

# What the steps need is looked at before data is made for hours.
for number in "$piece" "$games" "$endgames" "$mates" "$steps"; do
	case $number in
	'' | *[!0-9]*) fail "not a whole number: $number (PIECE, GAMES, ENDGAMES, MATES and STEPS are)" ;;
	esac
done
from=${FROM:-}
if [ -d "$from" ]; then
	from=$(newest "$from")
	[ -n "$from" ] || fail "FROM: no checkpoint in $FROM/checkpoints"
fi
case $from in
'' | net:) ;;
*)
	[ -f "$from" ] || fail "FROM: no such checkpoint: $from"
	basename "$from" | grep -Eqx 'step-[0-9]+[.]safetensors' || fail "FROM: the name of a checkpoint says its step,
as step-000000009000.safetensors does: $from"
	;;
esac
step=${1:-piece}
made=$net/run-$piece # the run of this step
before=              # the one that it continues
case $step in
piece) [ "$piece" -le 1 ] || [ -n "$from" ] || before=$net/run-$((piece - 1)) ;;
finish)
	made=$net/final
	before=$net/run-$piece
	if [ -f "$net/final/run.json" ] && ! grep -q "/run-$piece/" "$net/final/run.json"; then
		fail "$net/final is of another piece: move it away"
	fi
	;;
*) fail "unknown step $step: piece or finish" ;;
esac
if [ -n "$before" ] && [ ! -f "$made/run.json" ] && [ -z "$(newest "$before")" ]; then
	fail "no checkpoint in $before/checkpoints, with which $made begins"
fi

mkdir -p "$net"
data
if [ "$step" = finish ]; then
	train "$net/final" --from "$(newest "$before")" --steps "$((steps / 4 + 1))" --schedule cosine --lr 2e-3 \
		--min-lr 1e-5 --warmup 0 --ema 0.995 --eval-every 150 --checkpoint-every 50 --history-dropout 0.05 --seed 1
elif [ "$from" = net: ]; then
	begin --from net: --warmup 40
elif [ -n "$from" ]; then
	continue_after "$from"
elif [ -n "$before" ]; then
	continue_after "$(newest "$before")"
else
	begin --recipe lynx --warmup 400
fi
