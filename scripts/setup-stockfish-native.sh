#!/bin/sh
# Builds the source of the distribution's Stockfish package for this processor, with the same network and therefore the
# same evaluations, and puts it where talbot can be pointed at it. Debian and Ubuntu build for SSE2, which every x86-64
# has; with AVX2 the same source is about 1.7 times as fast. Needs apt-get, dpkg-dev, a C++ compiler and make, about 50 MB of
# download and 500 MB of disk while it builds. Repeating it is harmless. Given a folder with Stockfish's source and its
# network in src/, it builds that.
#
# Usage: setup-stockfish-native.sh [SOURCE]
set -eu

dir=${XDG_DATA_HOME:-$HOME/.local/share}/talbot/stockfish
engine=$dir/stockfish-native

fail() {
	echo "setup-stockfish-native: error: $1" >&2
	echo "setup-stockfish-native: hint: $2" >&2
	exit 1
}

needs="make g++"
[ $# -gt 0 ] || needs="apt-get dpkg-source $needs"
for program in $needs; do
	command -v $program >/dev/null 2>&1 ||
		fail "$program not found" "on Debian or Ubuntu: apt-get install dpkg-dev make g++; elsewhere build Stockfish from its source"
done

# has FLAG tells whether the processor has an instruction set.
has() { grep -m1 '^flags' /proc/cpuinfo | grep -qw "$1"; }

case "$(uname -m)" in
x86_64)
	# Processors of AMD's family 23 have BMI2, but its PEXT is slow there.
	if has avx2 && has bmi2 && ! grep -qE '^cpu family[[:space:]]*: 23$' /proc/cpuinfo; then
		arch=x86-64-bmi2
	elif has avx2; then
		arch=x86-64-avx2
	elif has sse4_1 && has popcnt; then
		arch=x86-64-modern
	else
		fail "the distribution's build already uses all this processor has" "use the package: talbot setup stockfish"
	fi ;;
aarch64) arch=armv8 ;;
*) fail "no build for $(uname -m) is known here" "build Stockfish from its source" ;;
esac

mkdir -p "$dir"
temp=$(mktemp -d "$dir/setup.XXXXXX")
trap 'rm -rf "$temp"' EXIT
trap 'exit 130' INT TERM

# fetch unpacks the distribution's source into $temp/source.
#
# The system's own package sources, asked for source packages, with lists in the temporary folder: nothing of the
# system changes.
fetch() {
	mkdir -p "$temp/sources" "$temp/lists/partial" "$temp/archives/partial"
	for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -f "$list" ] && sed -n 's/^deb /deb-src /p' "$list" >"$temp/sources/$(basename "$list" .list).list"
	done
	for list in /etc/apt/sources.list.d/*.sources; do
		[ -f "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" >"$temp/sources/$(basename "$list")"
	done
	apt() {
		apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$temp/sources" \
			-o Dir::State::Lists="$temp/lists" -o Dir::Cache::Archives="$temp/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
			-o APT::Sandbox::User= "$@"
	}
	echo "setup-stockfish-native: downloading the source package"
	apt update >"$temp/log" 2>&1 || { tail -5 "$temp/log" >&2; fail "cannot download the lists of source packages" "check the network and /etc/apt"; }
	(cd "$temp" && apt source --download-only stockfish >"$temp/log" 2>&1) || { tail -5 "$temp/log" >&2; fail "cannot download the source of stockfish" "on Ubuntu, enable the component universe"; }
	dpkg-source --no-check -x "$temp"/stockfish_*.dsc "$temp/source" >"$temp/log" 2>&1 || { tail -5 "$temp/log" >&2; fail "cannot unpack the source package" "try again"; }
}

if [ $# -gt 0 ]; then
	cp -r "$1" "$temp/source" || fail "cannot copy $1" "give the folder of the source"
else
	fetch
fi

# A network that the package carries beside the program belongs where the build looks for it.
find "$temp/source" "$temp" -maxdepth 3 -name 'nn-*.nnue' ! -path "$temp/source/src/*" -exec cp -n {} "$temp/source/src/" \;
echo "setup-stockfish-native: building for $arch, which takes a minute or two"
nice make -C "$temp/source/src" -j "$(getconf _NPROCESSORS_ONLN)" build ARCH=$arch COMP=gcc >"$temp/log" 2>&1 ||
	{ tail -15 "$temp/log" >&2; fail "the build for $arch failed" "use the package: talbot setup stockfish"; }
strip "$temp/source/src/stockfish" 2>/dev/null || true
printf 'uci\nquit\n' | "$temp/source/src/stockfish" | grep -q uciok ||
	fail "what was built does not answer" "use the package: talbot setup stockfish"
mv -f "$temp/source/src/stockfish" "$engine"
echo "setup-stockfish-native: installed $engine"
echo "setup-stockfish-native: try: talbot doctor --engine $engine"
