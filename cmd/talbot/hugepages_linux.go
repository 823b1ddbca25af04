//go:build cgo && !noxla && linux

package main

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

// takeHugePages restarts the process so that malloc takes huge pages, for commands that train. XLA asks for the memory
// of each step anew: with small pages a tenth of a training's time on the processor went to page faults. glibc reads
// this setting only when a process starts.
func takeHugePages(args []string) {
	offered, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil {
		return
	}
	if env, ok := withHugePages(args, os.Environ(), string(offered)); ok {
		_ = syscall.Exec("/proc/self/exe", os.Args, env) // without them it only takes longer
	}
}

func trains(args []string) bool { return len(args) > 0 && (args[0] == "train" || args[0] == "loop") }

// withHugePages returns the environment for a restart, and whether to restart: the command trains, the system gives
// huge pages to those who ask, and the user has not set malloc's settings.
func withHugePages(args, env []string, offered string) ([]string, bool) {
	const tunables = "GLIBC_TUNABLES="
	set := slices.ContainsFunc(env, func(s string) bool { return strings.HasPrefix(s, tunables) })
	if !trains(args) || set || !strings.Contains(offered, "[madvise]") {
		return nil, false
	}
	return append(slices.Clone(env), tunables+"glibc.malloc.hugetlb=1"), true
}
