//go:build !unix

package durable

import "os"

func lock(*os.File) error { return nil }

func share(*os.File) error { return nil }
