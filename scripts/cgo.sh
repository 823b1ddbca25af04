#!/bin/sh
# Prints 1 if Go's C compiler compiles and links a program, else 0.
set -u
set -- $(GOTOOLCHAIN=auto go env CC)
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
cat >"$temp/main.c" <<'C'
#include <dlfcn.h>
#include <stdlib.h>
int main(void) { return dlopen(0, RTLD_NOW) ? EXIT_SUCCESS : EXIT_FAILURE; }
C
if [ $# -gt 0 ] && "$@" -o "$temp/main" "$temp/main.c" -ldl >/dev/null 2>&1; then
	echo 1
else
	echo 0
fi
