#!/bin/sh
# From games to a network that chooses better than before, in two or three minutes: examples/run.sh [FOLDER].
# It needs bin/talbot and Stockfish. STEPS=5 LABELS=0.005 SAMPLES=200 GAMES=2 is a quick pass.
set -eu
cd "$(dirname "$0")/.."
out=${1:-demo-out}
talbot() { printf '\n$ talbot %s\n' "$*" && "${TALBOT:-bin/talbot}" "$@"; }

# Games and puzzles become lines: a start, the moves, where they came from. Each game belongs to one split.
talbot ingest examples/games.pgn.zst examples/puzzles.csv --out "$out/lines"

# Random legal endgames, each with four legal moves of history.
talbot synth-endgames --count 2000 --pieces 3-7 --seed 1 --out "$out/endgames"

# Stockfish values a share of the positions. 300 nodes instead of the usual 20 ms: quick, and the same each time.
talbot label "$out/lines" --nodes 300 --fraction "${LABELS:-0.03}" --out "$out/lines-labelled"
talbot label "$out/endgames" --nodes 300 --fraction "${LABELS:-0.5}" --out "$out/endgames-labelled"

# Fine-tune the network that comes with talbot: nine samples of games for each endgame.
talbot train --from net: --data "$out/lines-labelled:0.9,$out/endgames-labelled:0.1" --run "$out/run" \
	--steps "${STEPS:-100}" --batch 256 --lr 3e-4

# How good is it on games that it was not trained on? The run's report has the answer, too.
talbot eval --run "$out/run" --data "$out/lines-labelled" --split test --samples "${SAMPLES:-4000}"

# And is it better than before?
talbot compare net: "$out/run" --data "$out/lines-labelled" --split test --samples "${SAMPLES:-8000}" \
	--html "$out/compared.html"

# And how does it play? Pairs of games from the same openings against Stockfish, held to a rating of 1500.
talbot match "run:$out/run,nodes=100" "cmd:stockfish,option.UCI_LimitStrength=true,option.UCI_Elo=1500,depth=8" \
	--games "${GAMES:-4}" --out "$out/match"

# For other programs: ONNX, with a Python example in docs/7-exported-network.md.
talbot export --run "$out/run" --format onnx --out "$out/network.onnx"
