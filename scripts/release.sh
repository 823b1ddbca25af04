#!/bin/sh
# Builds a release into dist/: archives and wheels, with the licences of what is linked, and their checksums.
#
#	release.sh [NAME…]     only the builds of these names (linux_amd64, linux_amd64_dynamic, …)
#	release.sh wheel       only the wheel for this machine
#
# A build has the version of the commit's tag, such as v0.1.0; without the tag it is a development version. The same
# commit gives the same bytes in any folder, with the same gzip, zip and Python's zlib. The dynamic builds, with XLA and
# ONNX Runtime, are linked by zig against an old glibc. OUT is the folder, by default dist.
set -eu
cd "$(dirname "$0")/.."
OUT=${OUT:-dist}

fail() {
	echo "release: error: $1" >&2
	echo "release: hint: $2" >&2
	exit 1
}

# Another version of Go gives other bytes, and so may each of these settings.
export GOTOOLCHAIN=go1.27.0 GOEXPERIMENT=simd GOAMD64=v1 GOARM64=v8.0 GOFLAGS= GOWORK=off LC_ALL=C TZ=UTC
simd=$(sh scripts/simd.sh)
[ -z "$simd" ] || export GOROOT="$simd/goroot" GOFLAGS="'-overlay=$simd/overlay.json'" PATH="$simd/goroot/bin:$PATH"
export CGO_CFLAGS='-O2 -g0'
unset CGO_CPPFLAGS CGO_CXXFLAGS CGO_LDFLAGS GO_LDFLAGS

all='linux_amd64 linux_arm64 darwin_arm64 windows_amd64 linux_amd64_dynamic linux_arm64_dynamic'
archives=1
[ $# -gt 0 ] || set -- $all
if [ "$*" = wheel ]; then
	archives=
	set -- "$(go env GOHOSTOS)_$(go env GOHOSTARCH)"
	[ "$1" = "${1#linux_}" ] || set -- "$1_dynamic"
fi
for program in git python3 ${archives:+tar gzip zip}; do
	command -v $program >/dev/null || fail "$program is not installed" "install it"
done
for name; do
	case " $all " in *" $name "*) ;; *) fail "there is no build $name" "choose among: $all" ;; esac
done

version=$(sed -n 's/^const version = "\(.*\)"$/\1/p' cmd/talbot/version.go)
[ -n "$version" ] || fail "cmd/talbot/version.go has no version" "this is a bug of the script"
changes=$(git status --porcelain) || fail "git does not describe this folder" "release from a clone"
[ -z "$changes" ] || fail "there are changes that are not committed" "commit them: a release is what a commit says"
time=$(git log -1 --format=%ct)
wheel_version=$version
if [ -z "$(git tag --points-at HEAD --list "v$version")" ]; then
	echo "release: a development version: this commit does not have the tag v$version"
	wheel_version=$version.dev0+g$(git rev-parse --short=12 HEAD)
	version=$version-dev
fi

# What licences.sh reads of each package of others.
linked='{{with .Module}}{{if not .Main}}{{.Path}}	{{.Version}}	{{.Dir}}	{{$.Dir}}{{end}}{{end}}'
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$OUT"
rm -f "$OUT"/talbot[_-]* "$OUT"/SHA256SUMS

# compiler prints the C compiler for the build's platform. It is kept in the user's cache.
compiler() {
	zig=${XDG_CACHE_HOME:-$HOME/.cache}/talbot/$(sed 's/ .*//' scripts/release/ziglang.txt)
	if [ ! -e "$zig" ]; then
		python3 -m pip install --quiet --disable-pip-version-check --target "$temp/zig" --only-binary :all: \
			--require-hashes --requirement scripts/release/ziglang.txt >&2 ||
			fail "the C compiler is not there" "see above: it needs pip and an internet connection"
		mkdir -p "$(dirname "$zig")"
		mv "$temp/zig" "$zig"
	fi
	machine=x86_64
	[ "$GOARCH" = amd64 ] || machine=aarch64
	echo "$zig/ziglang/zig cc -target $machine-linux-gnu.2.28"
}

for name; do
	platform=${name%_dynamic}
	export GOOS="${platform%_*}" GOARCH="${platform#*_}" CGO_ENABLED=0
	tags=noxla compiler=none
	if [ "$name" != "$platform" ]; then
		CC=$(compiler)
		export CC CGO_ENABLED=1
		tags= compiler="zig${CC##*/zig} ($(sed 's/ .*//' scripts/release/ziglang.txt))"
	fi
	binary=talbot
	[ "$GOOS" != windows ] || binary=talbot.exe
	archive=talbot_${version}_$name
	to=$temp/$archive
	mkdir "$to"
	echo "release: building $name"
	# The setting of the runtime is that of scripts/go.sh; zig's linker needs its own -s.
	go build -trimpath -buildvcs=true -ldflags='-s -w -extldflags=-s -X=runtime.godebugDefault=asyncpreemptoff=1' \
		-tags "$tags" -o "$to/$binary" ./cmd/talbot
	{
		go version -m "$to/$binary" | sed '1s/^.*: //; s/^\t*//'
		echo "C compiler	$compiler"
	} >"$to/BUILD"
	go list -deps -tags "$tags" -f "$linked" ./cmd/talbot >"$temp/packages"
	printf 'std\t%s\t%s\t%s\n' "$GOTOOLCHAIN" "$(go env GOROOT)" "$(go env GOROOT)" >>"$temp/packages"
	sh scripts/licences.sh "$temp/packages" "$to/licences"
	cp LICENSE "$to"
	case $name in
	linux_amd64 | linux_arm64) ;; # the dynamic builds are the wheels
	*) python3 scripts/release/wheel.py "$wheel_version" "$platform" "$to" "$OUT" ;;
	esac
	[ "$archives" ] || continue
	cp README.md CHANGELOG.md "$to"
	find "$to" -type f -exec chmod 644 {} + -exec touch -d "@$time" {} +
	chmod 755 "$to/$binary"
	(cd "$temp" && find "$archive" -type f | sort >"$temp/files")
	if [ "$GOOS" = windows ]; then
		(cd "$temp" && zip -qX9 archive.zip -@ <files)
		mv "$temp/archive.zip" "$OUT/$archive.zip"
	else
		tar -C "$temp" --format=ustar --owner=0 --group=0 --numeric-owner -cf "$temp/tar" -T "$temp/files"
		gzip -9nc "$temp/tar" >"$OUT/$archive.tar.gz"
	fi
	rm -rf "${to:?}"
done
[ "$archives" ] || exit 0
(cd "$OUT" && sha256sum talbot*) >"$temp/sums"
mv "$temp/sums" "$OUT/SHA256SUMS"
cat "$OUT/SHA256SUMS"
