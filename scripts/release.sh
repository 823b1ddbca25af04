#!/bin/sh
# Builds the archives of a release into dist/, with the licences of what is linked, and their checksums.
#
#	release.sh [NAME…]     only the builds of these names (linux_amd64, linux_amd64_dynamic, …)
#
# The same commit gives the same bytes in any folder. The dynamic build also depends on the C compiler, its headers and
# its linker; the file BUILD in each archive names what it was made with. OUT is the folder, by default dist.
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
unset CGO_CFLAGS CGO_CPPFLAGS CGO_CXXFLAGS CGO_LDFLAGS GO_LDFLAGS

version=$(sed -n 's/^const version = "\(.*\)"$/\1/p' cmd/talbot/version.go)
[ -n "$version" ] || fail "cmd/talbot/version.go has no version" "this is a bug of the script"
changes=$(git status --porcelain) || fail "git does not describe this folder" "release from a clone"
[ -z "$changes" ] || fail "there are changes that are not committed" "commit them: a release is what a commit says"
time=$(git log -1 --format=%ct)

all='linux_amd64 linux_arm64 darwin_arm64 windows_amd64 linux_amd64_dynamic'
[ $# -gt 0 ] || set -- $all
for program in git tar gzip zip; do
	command -v $program >/dev/null || fail "$program is not installed" "install it"
done
for name; do
	case " $all " in *" $name "*) ;; *) fail "there is no build $name" "choose among: $all" ;; esac
done
# What licences.sh reads of each package of others.
linked='{{with .Module}}{{if not .Main}}{{.Path}}	{{.Version}}	{{.Dir}}	{{$.Dir}}{{end}}{{end}}'
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$OUT"
rm -f "$OUT"/talbot_* "$OUT"/SHA256SUMS

for name; do
	platform=${name%_dynamic}
	export GOOS="${platform%_*}" GOARCH="${platform#*_}" CGO_ENABLED=0
	tags=noxla compiler=none
	if [ "$name" != "$platform" ]; then
		[ "$(env -u GOOS -u GOARCH sh scripts/cgo.sh)" = 1 ] || fail "there is no working C compiler" \
			"install one, or name the other builds"
		[ "$(env -u GOOS -u GOARCH go env GOHOSTOS GOHOSTARCH | tr -d '\n')" = linuxamd64 ] ||
			fail "$name is built on linux/amd64 only" "name the other builds"
		CGO_ENABLED=1 tags= compiler=$($(go env CC) --version | head -n 1)
	fi
	binary=talbot
	[ "$GOOS" != windows ] || binary=talbot.exe
	archive=talbot_${version}_$name
	to=$temp/$archive
	mkdir "$to"
	echo "release: building $name"
	# The setting of the runtime is that of scripts/go.sh.
	go build -trimpath -buildvcs=true -ldflags='-s -w -X=runtime.godebugDefault=asyncpreemptoff=1' \
		-tags "$tags" -o "$to/$binary" ./cmd/talbot
	{
		go version -m "$to/$binary" | sed '1s/^.*: //; s/^\t*//'
		echo "C compiler	$compiler"
	} >"$to/BUILD"
	go list -deps -tags "$tags" -f "$linked" ./cmd/talbot >"$temp/packages"
	printf 'std\t%s\t%s\t%s\n' "$GOTOOLCHAIN" "$(go env GOROOT)" "$(go env GOROOT)" >>"$temp/packages"
	sh scripts/licences.sh "$temp/packages" "$to/licences"
	cp README.md LICENSE CHANGELOG.md "$to"
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
(cd "$OUT" && sha256sum talbot_*) >"$temp/sums"
mv "$temp/sums" "$OUT/SHA256SUMS"
cat "$OUT/SHA256SUMS"
