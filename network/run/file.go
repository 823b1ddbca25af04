package run

import (
	"os"

	"talbot/network/builtin"
	"talbot/network/checkpoint"
)

// IsFile reports whether a name stands for one file of weights: [builtin.Name], a checkpoint or an exported network.
// Any other is that of a run's folder, or of nothing.
func IsFile(name string) bool {
	if name == builtin.Name {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// ReadFile reads the file of weights that a name stands for. Errors are those of [checkpoint.Read].
func ReadFile(name string) (*checkpoint.File, error) {
	if name == builtin.Name {
		return builtin.Read()
	}
	return checkpoint.Read(name)
}
