#!/bin/sh
# Builds talbot, installs Stockfish if it is missing, and runs examples/run.sh, the whole way from games to a network
# that plays, in demo-out/, which is made afresh.
set -eu
cd "$(dirname "$0")/.."

if [ -e demo-out ] && [ ! -d demo-out/lines ]; then
	echo "demo: error: demo-out exists and was not made by the demo" >&2
	echo "demo: hint: move it away" >&2
	exit 1
fi
sh scripts/build.sh
bin/talbot setup stockfish --yes
rm -rf demo-out
sh examples/run.sh demo-out
echo
echo "Play it:              bin/talbot play demo-out/run"
echo "How good it is:       demo-out/run/report.html"
echo "Better than before?   demo-out/compared.html"
echo "Its games:            demo-out/match/report.html"
