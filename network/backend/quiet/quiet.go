// Package quiet keeps what go-xla logs while the program starts from people: a line before every command's output on a
// machine without a home folder or without /etc/ld.so.conf. Of the packages whose imports are initialised Go takes the
// one whose path comes first. This one imports nothing but os, so that it is before all packages that log.
package quiet

import "os"

// Stderr is standard error, which os.Stderr is not before package backend is initialised.
var Stderr = os.Stderr

func init() { os.Stderr = nil }
