package stockfish

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"talbot/dataset"
	"talbot/stockfish/uci"
)

// Fingerprints say whose the labels of a search are, one for each label that [Engine.Search] returns: the engine's id,
// the first 16 hex digits of the SHA-256 of its executable, its options sorted by name, and the limit.
//
// The options are all that were set, and besides:
//   - "EvalFile" and "EvalFileSmall", the networks the engine names as its own,
//     where it offers them and none was set;
//   - "NAME content" for an option that names a file, the first 16 hex digits of its SHA-256, unless it is a network
//     of Stockfish that is what its name says;
//   - [dataset.SearchMoves], Config.SearchMoves where that is said;
//   - "ucinewgame", how often the memory is cleared: "every line" with
//     [LineScope]; "every search" with [PositionScope] under a time limit (other
//     limits without this option imply it).
//
// It reads the executable (50 MB for a Stockfish with its network inside).
func (e *Engine) Fingerprints() ([]dataset.Fingerprint, error) {
	build, err := HashFile(e.path)
	if err != nil {
		return nil, fmt.Errorf("stockfish: fingerprint: %w", err)
	}
	contents, err := e.fileHashes()
	if err != nil {
		return nil, fmt.Errorf("stockfish: fingerprint: %w", err)
	}
	options := append(slices.Clone(e.set), contents...)
	for _, name := range []string{"EvalFile", "EvalFileSmall"} {
		o, ok := e.client.Offered[strings.ToLower(name)]
		if ok && o.Default != "" && !slices.ContainsFunc(e.set, func(t dataset.Tag) bool { return t.Name == o.Name }) {
			options = append(options, dataset.Tag{Name: o.Name, Value: o.Default})
		}
	}
	if e.cfg.SearchMoves != "" {
		options = append(options, dataset.Tag{Name: dataset.SearchMoves, Value: e.cfg.SearchMoves})
	}
	switch {
	case e.cfg.HashScope() == LineScope:
		options = append(options, dataset.Tag{Name: "ucinewgame", Value: "every line"})
	case !e.cfg.Limit.Reproducible():
		options = append(options, dataset.Tag{Name: "ucinewgame", Value: "every search"})
	}
	slices.SortFunc(options, func(a, b dataset.Tag) int { return strings.Compare(a.Name, b.Name) })
	limits := []string{e.cfg.Limit.String()}
	for _, d := range slices.Backward(e.cfg.Shallower) {
		limits = slices.Insert(limits, 0, Depth(d).String())
	}
	var prints []dataset.Fingerprint
	for _, limit := range limits {
		prints = append(prints, dataset.Fingerprint{Engine: e.client.Name, Author: e.client.Author, Build: build,
			Options: options, Limit: limit})
	}
	return prints, nil
}

// HashFile returns the first 16 hex digits of a file's SHA-256.
func HashFile(path string) (string, error) {
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

// contentOption is after the name of an option in fingerprints, for the content of the file that the option names.
const contentOption = " content"

// hashedName matches networks of Stockfish, whose names have the first 12 hex digits of their SHA-256.
var hashedName = regexp.MustCompile(`^nn-([0-9a-f]{12})\.nnue$`)

// namedFiles returns the files that the engine reads because of an option, by the option's name: as it was set, or the
// engine's default. Engines look for a file in the working folder and beside the executable. One that is not there is
// inside the executable, or no file at all.
func (e *Engine) namedFiles() map[string]string {
	files := map[string]string{}
	for name, value := range uci.Texts(e.client.Offered, e.set) {
		for _, path := range []string{value, filepath.Join(filepath.Dir(e.path), value)} {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				files[name] = path
				break
			}
		}
	}
	return files
}

// fileHashes returns the hashes of these files for fingerprints. A network whose name has its hash needs no other.
func (e *Engine) fileHashes() (options []dataset.Tag, err error) {
	files := e.namedFiles()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		hash, err := HashFile(files[name])
		if err != nil {
			return nil, err
		}
		if says := hashedName.FindStringSubmatch(filepath.Base(files[name])); says == nil ||
			!strings.HasPrefix(hash, says[1]) {
			options = append(options, dataset.Tag{Name: name + contentOption, Value: hash})
		}
	}
	return options, nil
}
