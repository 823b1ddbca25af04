//go:build !(cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64)))

package backend

import "errors"

// XLA reports whether XLA was compiled in.
const XLA = false

func openXLA(Plugin, string) (*Backend, error) {
	return nil, errors.New("this talbot was built without XLA (tag noxla, or no cgo); build it with a C compiler " +
		"and CGO_ENABLED=1")
}
