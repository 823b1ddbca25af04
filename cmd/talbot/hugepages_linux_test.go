//go:build cgo && !noxla && linux

package main

import (
	"slices"
	"testing"
)

// TestHugePages: only commands that train begin again, once, and not where the user or the system decides otherwise.
func TestHugePages(t *testing.T) {
	const asked = "always [madvise] never\n"
	env := []string{"HOME=/root"}
	got, ok := withHugePages([]string{"train", "--run", "r"}, env, asked)
	if want := []string{"HOME=/root", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"}; !ok || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, ok)
	}
	if _, again := withHugePages([]string{"train"}, got, asked); again {
		t.Error("it begins again and again")
	}
	for _, args := range [][]string{nil, {"label", "train"}, {"--help"}} {
		if _, ok := withHugePages(args, env, asked); ok {
			t.Errorf("%q begins again", args)
		}
	}
	for _, offered := range []string{"[always] madvise never\n", "always madvise [never]\n", ""} {
		if _, ok := withHugePages([]string{"loop"}, env, offered); ok {
			t.Errorf("begins again where the system says %q", offered)
		}
	}
}
