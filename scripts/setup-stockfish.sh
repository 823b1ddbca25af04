#!/bin/sh
# Installs Stockfish with apt-get if it is missing. Repeating it is harmless.
set -eu

fail() {
	echo "setup-stockfish: error: $1" >&2
	echo "setup-stockfish: hint: $2" >&2
	exit 1
}

# Debian keeps games off root's PATH; talbot looks in these folders too.
find_stockfish() {
	PATH=$PATH:/usr/games:/usr/local/games:/usr/local/bin:/opt/homebrew/bin command -v stockfish
}

if engine=$(find_stockfish); then
	echo "setup-stockfish: $engine is in place"
	exit 0
fi

command -v apt-get >/dev/null 2>&1 ||
	fail "Stockfish not found, and there is no apt-get to install it with" \
		"install it yourself (brew install stockfish, dnf install stockfish, pacman -S stockfish, or https://stockfishchess.org) so that it is on PATH"
sudo=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 ||
		fail "Stockfish not found, and installing it needs root" "run as root: apt-get install stockfish"
	sudo=sudo
fi

echo "setup-stockfish: installing Debian's package stockfish"
install="$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends stockfish"
$install || { $sudo apt-get update -q && $install; } ||
	fail "apt-get could not install stockfish" "on Ubuntu it is in universe: add-apt-repository universe; or download it from https://stockfishchess.org"
engine=$(find_stockfish) || fail "stockfish is installed but not found" "see: dpkg -L stockfish"
echo "setup-stockfish: installed $engine"
