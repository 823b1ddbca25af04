package match

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"talbot/internal/durable"
	"talbot/stockfish"
	"talbot/stockfish/uci"
	"talbot/tablebase/syzygy"
)

// Entrant is a player of a match before any game.
type Entrant struct {
	Name string // in tables and PGN; no two of a match have the same
	Text string // how it was named on the command line
	// Identity is all that decides how the player plays, in words that are the same when the match is continued. A
	// player that has changed meanwhile must differ in it.
	Identity string
	Files    Files // that it reads and that Identity says nothing of
	Limits   Limits
	Instant  bool // it does not search, and plays without limits as well
	// Rating is the known rating of the player, nil: none. Error is half of that figure's 95 % interval.
	Rating *float64
	Error  float64
	// New makes a new instance of the player, for one game at a time; seat numbers them from 0, for logs. It is called
	// from several goroutines.
	New func(seat int, log *EngineLog) (Player, error)
}

// Enter makes an entrant of a player that is named on a command line, with limits for one that names none. An engine is
// started once, to learn its name and whether it takes its options. Networks are made by network; nil: there are none.
func Enter(ctx context.Context, s Spec, limits Limits, network func(Spec) (Entrant, error)) (Entrant, error) {
	var e Entrant
	var err error
	switch s.Kind {
	case "random":
		e = Entrant{Name: "random", Identity: "random", Instant: true,
			New: func(int, *EngineLog) (Player, error) { return &Random{}, nil }}
	case "cmd":
		e, err = enterEngine(ctx, s)
	case "run":
		if network == nil {
			return e, fmt.Errorf("player %q: %w", s.Text, ErrNoNetworks)
		}
		e, err = network(s)
	default:
		err = errors.New("not a kind of player")
	}
	if err != nil {
		return e, fmt.Errorf("player %q: %w", s.Text, err)
	}
	e.Text, e.Rating, e.Error, e.Limits = s.Text, s.Rating, s.Error, s.Limits.Or(limits)
	if s.Name != "" {
		e.Name = s.Name
	}
	if s.Kind == "random" && s.Limits == (Limits{}) {
		e.Limits = Limits{} // it draws its moves at once; it needs no clock
	}
	if err := e.Limits.Check(); err != nil && !(e.Instant && e.Limits == (Limits{})) {
		return e, fmt.Errorf("player %q: %w", s.Text, err)
	}
	return e, nil
}

// ErrNoNetworks: a player is a trained network, and the caller cannot play networks.
var ErrNoNetworks = errors.New("trained networks cannot play here")

// enterEngine makes an entrant of a UCI engine.
func enterEngine(ctx context.Context, s Spec) (Entrant, error) {
	path, err := findEngine(s.Path)
	if err != nil {
		return Entrant{}, err
	}
	if info, err := os.Stat(s.Dir); s.Dir != "" && (err != nil || !info.IsDir()) {
		return Entrant{}, fmt.Errorf("dir=%s: no such folder", s.Dir)
	}
	build, err := stockfish.HashFile(path)
	if err != nil {
		return Entrant{}, err
	}
	cfg := EngineConfig{Path: path, Args: s.Args, Dir: s.Dir, Options: s.Options}
	probe := NewEngine(cfg)
	if err := probe.Start(ctx); err != nil {
		return Entrant{}, err
	}
	name, offered := probe.Name(), probe.Offered()
	if err := probe.Close(); err != nil {
		return Entrant{}, err
	}
	files, err := engineFiles(cfg, offered)
	if err != nil {
		return Entrant{}, err
	}
	if name == "" {
		name = filepath.Base(path)
	}
	var id strings.Builder
	fmt.Fprintf(&id, "engine %q build %s args %q dir %q", name, build, s.Args, s.Dir)
	for _, o := range s.Options {
		fmt.Fprintf(&id, " %q=%q", o.Name, o.Value)
	}
	e := Entrant{Name: name, Identity: id.String(), Files: files}
	e.New = func(seat int, log *EngineLog) (Player, error) {
		cfg := cfg
		cfg.Seat, cfg.Log = seat, log
		return NewEngine(cfg), nil
	}
	return e, nil
}

// findEngine returns the absolute path of an engine's executable; "stockfish" is also looked for where distributions
// put it.
func findEngine(name string) (string, error) {
	if name == "stockfish" {
		return stockfish.Find(name)
	}
	found, err := exec.LookPath(name)
	if e, ok := errors.AsType[*exec.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	if err != nil {
		return "", fmt.Errorf("%q: %w", name, err)
	}
	return filepath.Abs(found)
}

// distinguish gives entrants of the same name numbers.
func distinguish(all []Entrant) {
	taken := map[string]bool{}
	for i := range all {
		name := all[i].Name
		for n := 2; taken[all[i].Name]; n++ {
			all[i].Name = fmt.Sprintf("%s #%d", name, n)
		}
		taken[all[i].Name] = true
	}
}

// Files are the files that players read, by path: "SIZE HASH" of a file, or "tables HASH" of a folder of Syzygy tables.
// A match continued with other files would be another match.
type Files map[string]string

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
	f[path] = "tables " + set.Identity()
	return true, nil
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
