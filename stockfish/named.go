package stockfish

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"talbot/dataset"
)

// contentOption is after the name of an option in fingerprints, for the content of the file that the option names.
const contentOption = " content"

// hashedName matches networks of Stockfish, whose names have the first 12 hex digits of their SHA-256.
var hashedName = regexp.MustCompile(`^nn-([0-9a-f]{12})\.nnue$`)

// namedFiles returns the files that the engine reads because of an option, by the option's name: as it was set, or the
// engine's default. Engines look for a file in the working folder and beside the executable. One that is not there is
// inside the executable, or no file at all.
func (e *Engine) namedFiles() map[string]string {
	values := map[string]string{}
	for _, o := range e.client.Offered {
		if o.Kind == "string" {
			values[o.Name] = o.Default
		}
	}
	for _, o := range e.set {
		values[o.Name] = o.Value
	}
	files := map[string]string{}
	for name, value := range values {
		if value == "" || strings.Contains(strings.ToLower(name), "log") {
			continue
		}
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
