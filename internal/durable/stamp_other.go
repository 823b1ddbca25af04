//go:build !unix

package durable

import "os"

func stampOf(*os.File) (Stamp, bool) { return Stamp{}, false }
