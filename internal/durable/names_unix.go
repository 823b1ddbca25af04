//go:build unix

package durable

import "os"

func rename(from, to string) error { return os.Rename(from, to) }

func syncNames(dir *os.File) error { return dir.Sync() }
