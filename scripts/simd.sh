#!/bin/sh
# Prints a folder with a Go whose vector instructions do not read past the end of a slice, nothing if Go is right as it
# is: goroot, a link to it, and overlay.json, with which go build takes one file for another. Up to Go 1.27.4 partial
# loads of simd/archsimd, of which GoMLX's backend go has hundreds, load a whole vector and mask it afterwards. Where no
# memory follows the slice, as on Windows, which takes freed memory away, that is an "unexpected fault address". Here
# they load a copy. (The link is there because Go replaces no file in its module cache.)
set -eu
case ${GOROOT:-} in */talbot-go*) unset GOROOT ;; esac
case $(uname) in MINGW* | MSYS* | CYGWIN*) exit 0 ;; esac # without links
goroot=$(go env GOROOT)
file=src/simd/archsimd/slice_gen_amd64.go
load='return \(Load[A-Za-z]*\)\([0-9]*\)x\([0-9]*\)Array(pa[A-Za-z0-9]*(s))\.Masked(.*), l$'
grep -q "$load" "$goroot/$file" 2>/dev/null || exit 0
dir=$(go env GOCACHE)/talbot-$(go env GOVERSION)
if [ ! -f "$dir/goroot/bin/go" ]; then
	temp=$dir.$$
	rm -rf "$dir"
	mkdir -p "$temp"
	ln -s "$goroot" "$temp/goroot"
	sed "/$load/!b
		s//_ = mask; var part [\3]\1\2; copy(part[:], s); return \1\2x\3Array(\&part), l/
		s/\]LoadInt/]int/; s/\]LoadUint/]uint/; s/\]LoadFloat/]float/" "$goroot/$file" >"$temp/loads.go"
	printf '{"Replace": {"%s": "%s"}}\n' "$dir/goroot/$file" "$dir/loads.go" >"$temp/overlay.json"
	mv "$temp" "$dir" 2>/dev/null || rm -r "$temp" # another command was faster
fi
echo "$dir"
