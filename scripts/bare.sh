#!/bin/sh
# Runs the README's commands as a newcomer would: in a Debian that has nothing but git, the certificates and Go.
#
#	scripts/bare.sh [NAME…]      only these: game (build talbot and play a move), demo, test
#	scripts/bare.sh wheel        installs this machine's wheel with pip and plays a move; it has python3-venv, too
#
# What is committed is cloned. Mirror, proxies and certificates are those of this machine: of apt, of Go and of the
# environment. Needs root, debootstrap, Go and git. DIR is where the system is made (by default a temporary folder,
# which is removed; a DIR that was named stays), SUITE the release of Debian.
set -eu
cd "$(dirname "$0")/.."

suite=${SUITE:-bookworm}
fail() {
	echo "bare: error: $1" >&2
	echo "bare: hint: $2" >&2
	exit 1
}

[ "$(id -u)" = 0 ] || fail "a chroot needs root" "run it as root"
for program in debootstrap unshare go git; do
	command -v $program >/dev/null || fail "$program is missing" "install it"
done
mirror=$(apt-get indextargets --format '$(CREATED_BY) $(RELEASE) $(COMPONENT) $(SITE)' |
	sed -n "s/^Packages $suite main //p" | head -n 1)
[ -n "$mirror" ] || fail "apt has no source for $suite" "choose a release that it has: SUITE=… scripts/bare.sh"
commands=$(sed -n '/^scripts\/[a-z]*\.sh$/p' README.md)
[ -n "$commands" ] || fail "the README has no command" "this is a bug of the script"

if [ -n "${DIR:-}" ]; then
	[ ! -e "$DIR" ] || fail "$DIR exists" "choose another folder"
	root=$DIR
	mkdir -p "$root"
else
	root=$(mktemp -d)
	trap 'rm -rf --one-file-system "$root"' EXIT
	trap 'exit 130' INT TERM
fi

echo "bare: making a minimal $suite in $root"
include=ca-certificates,git
[ "$*" != wheel ] || include=$include,python3-venv
debootstrap --variant=minbase --include=$include "$suite" "$root" "$mirror" >"$root.debootstrap.log" 2>&1 ||
	fail "debootstrap failed" "see $root.debootstrap.log"
rm "$root.debootstrap.log"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
apt-config dump | grep -i '^Acquire::.*proxy' >"$root/etc/apt/apt.conf.d/proxy" || true
cp -R "$(GOTOOLCHAIN=local go env GOROOT)" "$root/usr/local/go"
git clone --quiet . "$root/root/talbot"

# inside COMMAND runs it in the new system, with the settings of the network and no others.
inside() {
	path=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	set -- "$root" "$1" HOME=/root TERM=dumb PATH=$path
	for variable in GOPROXY GOSUMDB GONOSUMDB GONOPROXY; do
		set -- "$@" "$variable=$(go env $variable)"
	done
	for variable in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
		value=$(printenv $variable) && set -- "$@" "$variable=$value"
	done
	unshare --mount sh -c '
		root=$1 command=$2
		shift 2
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		exec chroot "$root" /usr/bin/env -i "$@" sh -c "cd /root/talbot && $command"
	' sh "$@"
}

# downloaded says what Go's modules and Debian's packages are by now.
downloaded() {
	cache=$root/root/go/pkg/mod/cache/download
	modules=$(find "$cache" -name '*.zip' 2>/dev/null | wc -l)
	bytes=$(find "$cache" -name '*.zip' -printf '%s\n' 2>/dev/null | awk '{ n += $1 } END { printf "%.0f", n / 1e6 }')
	packages=$(chroot "$root" dpkg-query -W | wc -l)
	echo "$modules modules of Go, $bytes MB; $packages packages of Debian"
}

# timed runs a command and says how long it took and what has been downloaded by then.
status=0
timed() {
	echo "bare: \$ $2"
	started=$(date +%s)
	inside "$2" || status=$?
	echo "bare: $1: exit status $status after $(($(date +%s) - started)) s"
	echo "bare: by now: $(downloaded)"
	[ $status = 0 ] || exit $status
}

echo "bare: before: $(downloaded)"
if [ "$*" = wheel ]; then
	(cd "$root/root/talbot" && sh scripts/release.sh wheel)
	timed wheel "python3 -m venv /root/env && /root/env/bin/pip install --quiet --no-index dist/talbot-*.whl &&
		echo e4 | /root/env/bin/talbot play && du -cbs /root/env/bin/talbot /root/env/lib/*/*/talbot*"
fi
case " ${*:-game} " in *" game "*) timed game "scripts/build.sh && echo e4 | bin/talbot play" ;; esac
for command in $commands; do
	name=$(basename "$command" .sh)
	case " ${*:-$name} " in *" $name "*) timed "$name" "$command" ;; esac
done
