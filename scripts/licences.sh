#!/bin/sh
# Collects the licences of what is linked: scripts/licences.sh PACKAGES FOLDER.
#
# PACKAGES has a line for each linked package: module, version, the module's folder and the package's, between tabs. The
# files go to FOLDER, by module, and FOLDER/LIST names them. A package may have a licence of its own: the folders from
# it up to the module's are searched. A module without a licence may not be passed on and is an error.
set -eu
export LC_ALL=C
packages=$1 out=$2
tab=$(printf '\t')

# legal lists the licences in a folder, and what has to come with them.
legal() {
	ls "$1" | grep -iE '^((un)?(licen[cs]e|copying)|notice|patents|copyright|third.?party.*)([-_.].*)?$' |
		grep -ivE '\.(go|s|c|h|py|sh|json|ya?ml)$' || true
}

mkdir -p "$out"
printf 'What is linked into this program, and the licences of it, in this folder.\n\n' >"$out/LIST"
last=
sort -u "$packages" | while IFS=$tab read -r module version root dir; do
	if [ "$module" != "$last" ]; then
		last=$module
		licence=$(legal "$root" | grep -iE '^(un)?(licen[cs]e|copying)' | head -n 1)
		if [ ! -f "$root/$licence" ] || [ ! -s "$root/$licence" ]; then
			echo "licences: error: module $module $version has no licence file in $root: it may not be passed on" >&2
			exit 1
		fi
		printf '%s %s\n' "$module" "$version" >>"$out/LIST"
	fi
	while :; do
		case $dir/ in "$root"/*) ;; *) echo "licences: error: $dir is outside module $module" >&2 && exit 1 ;; esac
		to=$module${dir#"$root"}
		legal "$dir" | while read -r name; do
			[ -f "$dir/$name" ] && [ ! -e "$out/$to/$name" ] || continue
			mkdir -p "$out/$to"
			cp "$dir/$name" "$out/$to/$name"
			printf '\t%s\n' "$to/$name" >>"$out/LIST"
		done
		[ "$dir" != "$root" ] || break
		dir=$(dirname "$dir")
	done
done
if [ -z "$(sed -n 3p "$out/LIST")" ]; then
	echo "licences: error: $packages has no package" >&2
	exit 1
fi
