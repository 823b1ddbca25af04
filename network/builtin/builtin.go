// Package builtin holds the network that comes with talbot: one file, linked into the program.
//
// The file is what `talbot export --format net` writes: safetensors with the container and the checksum of package
// checkpoint, weights in half precision, and the settings of its recipe and its card in the metadata. Another network
// takes its place by exporting over net.safetensors and building again.
package builtin

import (
	_ "embed"

	"talbot/network/checkpoint"
)

// Name is the name of the network wherever a run, a checkpoint or an exported network can be named.
const Name = "net:"

//go:embed net.safetensors
var file []byte

// Read reads the file, and checks it as [checkpoint.Read] does one on the disk.
func Read() (*checkpoint.File, error) { return checkpoint.ReadBytes(Name, file) }
