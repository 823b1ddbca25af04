// Package builtin holds the network that comes with talbot: one file, linked into the program.
//
// The file is what `talbot export --format net` writes: safetensors with the container and the checksum of package
// checkpoint, weights in half precision, and the settings of its recipe and its card in the metadata. Another network
// takes its place by exporting over net.safetensors and building again.
package builtin

import (
	_ "embed"
	"fmt"

	"talbot/internal/fault"
	"talbot/network/checkpoint"
)

// Name is the name of the network wherever a run, a checkpoint or an exported network can be named.
const Name = "net:"

// Strength is what was measured of it, in words.
const Strength = "about 2060 on the scale of Stockfish's UCI_Elo, with 400 nodes a move"

//go:embed net.safetensors
var file []byte

// ErrDamaged reports that the file that was linked into the program is not what was exported.
var ErrDamaged = fault.New(fault.ExitDamaged, "the network that comes with talbot is damaged",
	"build talbot again with network/builtin/net.safetensors as `talbot export --format net` wrote it")

// Read reads the file, and checks it as [checkpoint.Read] does one on the disk. The error is [ErrDamaged].
func Read() (*checkpoint.File, error) { return read(file) }

func read(data []byte) (*checkpoint.File, error) {
	f, err := checkpoint.ReadBytes(Name, data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, nil
}
