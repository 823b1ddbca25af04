#!/bin/sh
# Makes the network that comes with talbot, in pieces: piece K makes new data from seed K and continues the training of
# piece K-1, optimizer, average and all. Repeat an interrupted command to continue it. Run it as
#
#   task net PIECE=1 NET=/data/net
#
# then PIECE=2 and so on. `task net:finish PIECE=K` lowers the learning rate after piece K, and leaves the network in
# NET/final. To continue on another machine copy the folder of the last piece, of its checkpoints only the newest
# (9 MB), and name it in FROM. The checkpoint alone works too, under the name that it has, but then the network's card
# does not say how it was trained before. FROM=net: begins with the weights of the network that comes with talbot.
# The data of a piece can be made again from its seed, byte for byte.
#
# Also in the environment: GAMES, ENDGAMES, MATES and STEPS, the size of a piece; ENGINE, the Stockfish to use, by default
# the one in PATH. MATES are positions of queen, rook or pawn against king, with their distance to mate: by default about
# 4 % of the samples; 0 makes none. A piece may be ended early, by Ctrl-C: the next one begins with its newest checkpoint.
set -eu
talbot=$(pwd)/bin/talbot
net=${NET:?"say where to work: NET=FOLDER"}
piece=${PIECE:?"say which piece: PIECE=1"}
games=${GAMES:-16000}
endgames=${ENDGAMES:-120000}
mates=${MATES:-60000}
steps=${STEPS:-9000}
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

# newest RUN is its newest checkpoint; the best one is the best of those that were validated.
newest() {
	ls "$1"/checkpoints/step-*.safetensors | tail -n 1
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
fi
case $from in
'' | net:) ;;
*)
	[ -f "$from" ] || fail "FROM: no such checkpoint: $from"
	basename "$from" | grep -Eqx 'step-[0-9]+[.]safetensors' || fail "FROM: the name of a checkpoint says its step,
as step-000000009000.safetensors does: $from"
	;;
esac
if [ "${1:-piece}" = finish ] && [ -f "$net/final/run.json" ] && ! grep -q "/run-$piece/" "$net/final/run.json"; then
	fail "$net/final is of another piece: move it away"
fi

mkdir -p "$net"
data
case ${1:-piece} in
piece)
	case $from in
	net:) begin --from net: --warmup 40 ;;
	*?) continue_after "$from" ;;
	*)
		if [ "$piece" = 1 ]; then
			begin --recipe lynx --warmup 400
		else
			continue_after "$(newest "$net/run-$((piece - 1))")"
		fi
		;;
	esac
	;;
finish)
	train "$net/final" --from "$(newest "$net/run-$piece")" --steps "$((steps / 4 + 1))" --schedule cosine --lr 2e-3 \
		--min-lr 1e-5 --warmup 0 --ema 0.995 --eval-every 150 --checkpoint-every 50 --history-dropout 0.05 --seed 1
	;;
*)
	echo "net.sh: unknown step $1: piece or finish" >&2
	exit 2
	;;
esac
