package stockfish

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"

	"talbot/dataset"
)

// Fingerprint says whose labels these are: the engine's id, the first 16 hex
// digits of the SHA-256 of its executable, every option that was set, sorted by
// name, and the limit. Config.Fresh under a time limit stands among the options
// as "ucinewgame" = "every search"; other limits imply it.
//
// It reads the executable (50 MB for a Stockfish with its network inside).
func (e *Engine) Fingerprint() (dataset.Fingerprint, error) {
	build, err := hashFile(e.path)
	if err != nil {
		return dataset.Fingerprint{}, fmt.Errorf("stockfish: fingerprint: %w", err)
	}
	options := slices.Clone(e.set)
	if e.cfg.Fresh && !e.cfg.Limit.Reproducible() {
		options = append(options, dataset.Tag{Name: "ucinewgame", Value: "every search"})
	}
	return dataset.Fingerprint{
		Engine:  e.name,
		Author:  e.author,
		Build:   build,
		Options: options,
		Limit:   e.cfg.Limit.String(),
	}, nil
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}
