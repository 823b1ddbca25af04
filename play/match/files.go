package match

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/stockfish/uci"
	"talbot/tablebase/syzygy"
)

// Files are the files that players read, by path: "SIZE HASH" of a file, or "tables HASH" of a folder of Syzygy tables.
// A match continued with other files would be another match.
type Files map[string]string

// ErrChanged: a file that a player uses is not what it was when the match began.
var ErrChanged = fault.New(fault.ExitUsage, "a file that a player uses has changed since the match began",
	"put the file back as it was, or begin a new match in another folder")

// engineFiles returns the files and the folders of tables that an engine's arguments and options name, and those that
// it names itself in what it offers, such as its network. Logs are not among them.
func engineFiles(cfg EngineConfig, offered map[string]uci.Option) (Files, error) {
	files := Files{}
	for _, arg := range cfg.Args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			name, value = "", arg
		}
		if !strings.Contains(strings.ToLower(name), "log") {
			if err := files.add(value, cfg.Dir); err != nil {
				return nil, err
			}
		}
	}
	texts := uci.Texts(offered, cfg.Options)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if err := files.add(texts[name], cfg.Dir, filepath.Dir(cfg.Path)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// add adds what stands under a name in the first of some folders that has it; nothing if none has, and no log.
func (f Files) add(name string, dirs ...string) error {
	if name == "" || strings.EqualFold(filepath.Ext(name), ".log") {
		return nil
	}
	for _, dir := range dirs {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, name)
		}
		info, err := os.Stat(path)
		switch {
		case err == nil && info.Mode().IsRegular():
			f[path], err = hashFile(path, info.Size())
			return err
		case err == nil && info.IsDir(), err != nil && strings.ContainsRune(name, filepath.ListSeparator):
			if found, err := f.addTables(path); found || err != nil {
				return err
			}
		}
	}
	return nil
}

// addTables adds the tables in a folder, or in several separated as in PATH; false if there are none.
func (f Files) addTables(path string) (found bool, err error) {
	set, err := syzygy.Find(path)
	if errors.Is(err, syzygy.ErrNone) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	claim, err := set.StoredIdentity()
	f[path] = "tables " + claim
	return err == nil, err
}

// hashFile returns what [Files] have of the first bytes of a file.
func hashFile(path string, size int64) (string, error) {
	file, err := durable.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(file, size))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %s", n, hex.EncodeToString(h.Sum(nil))), nil
}

// changed returns the first file that is not what it was when a match began. A file that has only grown is taken for
// one that the player writes to.
func (f Files) changed(now Files) (path string, changed bool) {
	for _, path := range slices.Sorted(maps.Keys(f)) {
		was, is := f[path], now[path]
		if is == was {
			continue
		}
		var size int64
		if _, err := fmt.Sscanf(was, "%d ", &size); err == nil {
			if begin, err := hashFile(path, size); err == nil && begin == was {
				continue
			}
		}
		return path, true
	}
	return "", false
}

// files returns the files of all players and rules.
func (m *Match) files() (Files, error) {
	all := Files{}
	for _, e := range m.Entrants {
		maps.Copy(all, e.Files)
	}
	if j := m.Rules.Judge; j != nil {
		maps.Copy(all, j.Files)
	}
	if m.Rules.Tables != "" {
		if _, err := all.addTables(m.Rules.Tables); err != nil {
			return nil, err
		}
	}
	return all, nil
}
