#!/bin/bash
# Makes a folder that travels to a GPU machine, .gpu by default: talbot, stripped and compressed, the scripts of this
# folder, a dataset of a few games for gradients, and datasets to train on.
#
#	scripts/gpu/pack.sh DATASET… [--to FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -x bin/talbot ] || { echo "pack.sh: run scripts/build.sh first" >&2; exit 2; }
to=.gpu
datasets=()
while [ $# -gt 0 ]; do
	case $1 in
	--to) to=$2; shift 2 ;;
	*) datasets+=("$1"); shift ;;
	esac
done
[ ${#datasets[@]} -gt 0 ] || { echo "pack.sh: name a labelled dataset" >&2; exit 2; }

rm -rf "$to"
mkdir -p "$to/data"
for d in "${datasets[@]}"; do
	[ -f "$d/manifest.json" ] || { echo "pack.sh: $d is no dataset" >&2; exit 2; }
	cp -rL "$d" "$to/data/"
done

# Gradients are compared on all train samples of a few games, whose evaluations are made up.
for n in 1 2 3 4 5 6; do
	printf '[Event "%s"]\n[Result "*"]\n\n1. e4 {[%%eval 0.3]} c5 {[%%eval 0.2]} 2. Nf3 {[%%eval 0.%s]} ' $n $n
	case $n in
	1) echo 'd6 {[%eval 0.1]} 3. d4 cxd4 4. Nxd4 {[%eval 0.4]} Nf6 5. Nc3 a6 6. Be3 {[%eval -1.5]} e5 *' ;;
	2) echo 'Nc6 {[%eval 0.2]} 3. Bb5 g6 4. Bxc6 {[%eval 0.1]} dxc6 5. d3 Bg7 6. h3 {[%eval 2.5]} Nf6 *' ;;
	3) echo 'e6 {[%eval 0.2]} 3. d4 cxd4 4. Nxd4 {[%eval 0.1]} a6 5. Bd3 Nf6 6. O-O {[%eval -0.5]} Qc7 *' ;;
	4) echo 'g6 {[%eval 0.9]} 3. d4 cxd4 4. Nxd4 {[%eval 1.1]} Bg7 5. c4 Nc6 6. Be3 {[%eval 0.8]} Nf6 *' ;;
	5) echo 'Nf6 {[%eval 0.7]} 3. e5 Nd5 4. d4 {[%eval 0.6]} cxd4 5. Qxd4 e6 6. c4 {[%eval 3.0]} Nc6 *' ;;
	6) echo 'a6 {[%eval 0.5]} 3. c4 d6 4. d4 {[%eval -0.4]} cxd4 5. Nxd4 Nf6 6. Nc3 {[%eval -2.0]} b6 *' ;;
	esac
	echo
done | bin/talbot ingest - --out "$to/few" --import-evals --split 100,0,0 --quiet
bin/talbot export-data "$to/few" --format npy --out "$to/few.npy" --quiet

# The debug information is half of the program; panics keep their line numbers without it.
strip -s -o "$to/talbot" bin/talbot
xz -9e -T0 -f "$to/talbot" # leaves talbot.xz
cp scripts/gpu/*.sh scripts/gpu/*.py scripts/gpu/kernels.cc train/testdata/talbotbot.py "$to/"
du -sh "$to"
echo "there: bash $to/run.sh 540"
