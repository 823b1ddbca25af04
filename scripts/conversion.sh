#!/bin/sh
# Counts the won endgames that a network wins: random starts of KQvK, KRvK and KPvK that are won for the side to move,
# played out without tables against Stockfish. Interrupt it at any time and repeat the command to continue it. It needs
# jq:
#
#   sh scripts/conversion.sh net: OUT
#
# STARTS of each material (200), MATERIALS ("KQvK KRvK KPvK"), NODES of the network for a move (400), MOVES after which
# a game is a draw (none), ENGINE (stockfish), ENGINE_NODES (10000) and TALBOT (bin/talbot) are the settings. Each start
# is played with both colours; as the side without the piece cannot win, the network's wins are the starts that it won.
set -eu
player=${1:?"say who plays: net: or run:RUN"}
out=${2:?"say where to work"}
talbot=${TALBOT:-bin/talbot}
starts=${STARTS:-200}

mkdir -p "$out"
for material in ${MATERIALS:-KQvK KRvK KPvK}; do
	dir=$out/$material
	if [ ! -f "$dir.epd" ]; then
		rm -rf "$dir-drawn" "$dir-exact"
		"$talbot" synth-endgames -q --material "$material" --count $((starts * 5)) --seed 1 --out "$dir-drawn"
		"$talbot" label -q "$dir-drawn" --mates --out "$dir-exact"
		"$talbot" inspect "$dir-exact" --all --json | jq -r 'select(.exact == "win") | .fen' | head -n "$starts" >"$dir.tmp"
		mv "$dir.tmp" "$dir.epd"
	fi
	found=$(wc -l <"$dir.epd")
	[ "$found" -eq "$starts" ] || { echo "conversion: error: $found won starts of $material, not $starts" >&2; exit 1; }
	"$talbot" match -q "$player,name=network,nodes=${NODES:-400}" \
		"cmd:${ENGINE:-stockfish},name=engine,nodes=${ENGINE_NODES:-10000},option.Threads=1,option.Hash=16" \
		--openings "$dir.epd" --games $((2 * starts)) ${MOVES:+--maxmoves "$MOVES"} --out "$dir-match" --resume \
		>/dev/null
	awk -v starts="$starts" -v material="$material" '
		/^\[White / { white = $0 ~ /network/ }
		/^\[Result / { wins += white ? $0 ~ /1-0/ : $0 ~ /0-1/ }
		END { printf "%s: %d of %d starts won, %.1f %%\n", material, wins, starts, 100 * wins / starts }
	' "$dir-match/games.pgn"
done
