#!/bin/sh
# Prints where the tests may put their files: in memory, where there is room and programs may run. They make many small
# files, each of which is synced to the disk.
set -u
memory=/dev/shm
free=$(df -Pk "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ "${free:-0}" -gt 4000000 ] && temp=$(mktemp -d "$memory/talbot.XXXXXX" 2>/dev/null); then
	printf '#!/bin/sh\n' >"$temp/runs"
	chmod +x "$temp/runs"
	if "$temp/runs" 2>/dev/null; then
		rm -rf "$temp"
		echo "$memory"
		exit
	fi
	rm -rf "$temp"
fi
echo "${TMPDIR:-/tmp}"
