package studio

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"talbot/dataset"
	"talbot/inspect/review"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/network/run"
	"talbot/play/match"
	"talbot/train"
	"talbot/train/job"
)

// library knows what lies below the folders that are served. It is safe for concurrent use.
type library struct {
	roots []root
	every time.Duration // between two looks at the disk

	mu     sync.Mutex
	looked time.Time
	known  map[string]*folder // by path
	list   []*folder          // sorted by path
}

// root is a folder that is served.
type root struct {
	*os.Root
	release func() error // closes it and ends its confinement
}

// forget has the next look find what is there now.
func (l *library) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looked = time.Time{}
}

// kind is the content of a folder.
type kind string

const (
	aDataset kind = "dataset"
	aRun     kind = "run"
	aMatch   kind = "match"
	aReview  kind = "review"
	aNetwork kind = "network" // a file of lc0's
)

// folder is a dataset, run, match or review, or the file of a network. It is not changed once it is in the library.
type folder struct {
	Kind    kind
	Key     string // stands for the path in addresses
	Name    string // path below the folder that is served
	Path    string
	Problem string // why nothing more is known; "" = all is well
	AtWork  bool   // a command is writing to it

	Manifest *dataset.Manifest // of a dataset that is finished
	Verb     string            // that makes or made the dataset

	maias []crowd // a set of Maia's networks; nil: it is none

	Config run.Config // of a run
	Losses []float64  // of its validations, or of its training where there are few
	Step   int64
	Top1   *float64 // of its last validation; nil: none
	Nats   *float64 // of its last validation, cross-entropy of the policy; nil: none

	Result *match.Result // of a match that is over

	Review *review.Summary // of a review that is done

	root  *os.Root // the folder that is served
	below string   // the path below it
	stamp string   // of the files that this was read from

	Changed time.Time // the last of these
}

// How far the folders are walked.
const (
	maxDepth   = 8
	maxFolders = 20_000
	maxListed  = 5_000
	lookEvery  = time.Second
)

// openLibrary confines reading to the folders.
func openLibrary(dirs []string) (*library, error) {
	l := &library{every: lookEvery, known: map[string]*folder{}}
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		var r root
		if err == nil {
			r.Root, r.release, err = durable.Confine(abs)
		}
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.roots = append(l.roots, r)
	}
	return l, nil
}

func (l *library) close() error {
	var all []error
	for _, r := range l.roots {
		all = append(all, r.release())
	}
	return errors.Join(all...)
}

// look returns what is there now, by path; it is found out at most once a second.
func (l *library) look() []*folder {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.looked) < l.every {
		return l.list
	}
	found, visited := map[string]*folder{}, 0
	for _, r := range l.roots {
		l.walk(r.Root, ".", 0, &visited, found)
	}
	l.known = found
	l.list = slices.SortedFunc(maps.Values(found), func(a, b *folder) int { return cmp.Compare(a.Path, b.Path) })
	l.looked = time.Now()
	return l.list
}

// byKey returns the folder of a key; nil if there is none.
func byKey(list []*folder, key string) *folder {
	if i := slices.IndexFunc(list, func(f *folder) bool { return f.Key == key }); i >= 0 {
		return list[i]
	}
	return nil
}

// answers reports whether it is a network that can be asked.
func (f *folder) answers() bool { return f.Problem == "" && (f.Kind == aRun || f.Kind == aNetwork) }

// errGone says that the run that an address names is missing.
var errGone = errors.New("this run no longer exists: choose another one")

// walk searches a folder. It follows no links, and does not descend into folders that hold data.
func (l *library) walk(root *os.Root, name string, depth int, visited *int, found map[string]*folder) {
	if *visited++; *visited > maxFolders || len(found) >= maxListed {
		return
	}
	path := filepath.Join(root.Name(), name)
	entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(name))
	if err != nil {
		return
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if k := kindOf(names); k != "" {
		found[path] = l.read(k, root, name, path)
		return
	}
	for _, e := range entries {
		if e.IsDir() && depth < maxDepth && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules" {
			l.walk(root, filepath.Join(name, e.Name()), depth+1, visited, found)
		}
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".pb.gz") && len(found) < maxListed {
			below := filepath.Join(name, e.Name())
			file := filepath.Join(root.Name(), below)
			found[file] = l.read(aNetwork, root, below, file)
		}
	}
}

func kindOf(names []string) kind {
	switch {
	case slices.Contains(names, dataset.ManifestName), slices.Contains(names, output.ProgressName):
		return aDataset
	case slices.Contains(names, run.ConfigName):
		return aRun
	case match.IsMatch(names):
		return aMatch
	case slices.Contains(names, review.FileName) && slices.Contains(names, "moves.csv"),
		slices.Contains(names, requestName):
		return aReview
	}
	return ""
}

// read returns what a folder holds; if its files have not changed, what was known.
func (l *library) read(k kind, root *os.Root, name, path string) *folder {
	names := []string{dataset.ManifestName, output.ProgressName, run.ConfigName, run.MetricsName, match.ResultFile,
		match.JournalFile, job.CardName, review.FileName, requestName}
	if k == aNetwork {
		names = []string{"."}
	}
	stamp, changed := stampOf(root, name, names...)
	old := l.known[path]
	f := &folder{Kind: k, Key: keyOf(path), Name: filepath.ToSlash(name), Path: path,
		root: root, below: name, stamp: stamp, Changed: changed}
	if f.Name == "." {
		f.Name = filepath.Base(path)
	}
	if old != nil && old.stamp == stamp && old.Kind == k {
		*f = *old
	} else {
		f.fill()
	}
	switch k {
	case aDataset:
		f.AtWork = f.Manifest == nil && output.AtWork(path)
	case aRun:
		f.AtWork = run.AtWork(path)
	case aMatch:
		f.AtWork = match.AtWork(path)
	case aReview:
		f.AtWork = f.Review == nil && (output.AtWork(filepath.Join(path, "games")) ||
			output.AtWork(filepath.Join(path, "labelled")))
	}
	return f
}

// keyOf is the key of a folder or file.
func keyOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// stampOf changes when one of the files does; the last one did then.
func stampOf(root *os.Root, dir string, names ...string) (stamp string, changed time.Time) {
	var b strings.Builder
	for _, name := range names {
		if info, err := root.Lstat(filepath.Join(dir, name)); err == nil {
			fmt.Fprintln(&b, name, info.ModTime(), info.Size())
			if info.ModTime().After(changed) {
				changed = info.ModTime()
			}
		}
	}
	return b.String(), changed
}

// fill reads the files of a folder.
func (f *folder) fill() {
	var err error
	switch f.Kind {
	case aDataset:
		if f.Manifest, err = dataset.ReadManifest(f.Path); err == nil {
			f.Verb = f.Manifest.Verb
		} else if verb, _, ok := output.Unfinished(f.Path); ok && errors.Is(err, dataset.ErrNoDataset) {
			f.Verb, err = verb, nil
		}
	case aRun:
		if f.Config, err = run.ReadConfig(f.Path); err == nil {
			err = f.readLosses()
		}
	case aMatch:
		f.Result, err = match.ReadResult(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	case aReview:
		var file *os.File
		if file, err = f.openReview(); err == nil {
			f.Review, err = review.Read(file, nil)
			err = errors.Join(err, file.Close())
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		f.Problem = f.within(err)
	}
}

// within writes an error without the folder's path.
func (f *folder) within(err error) string { return within(err.Error(), f) }

// within returns a text without the paths of folders, which may stand there in quotes.
func within(text string, folders ...*folder) string {
	for _, f := range folders {
		quoted := strconv.Quote(f.Path)
		for _, path := range []string{f.Path, quoted[1 : len(quoted)-1]} {
			text = strings.ReplaceAll(text, path+string(filepath.Separator), "")
			text = strings.ReplaceAll(text, path, f.Name)
		}
	}
	return text
}

// unreadable says why a dataset cannot be read; "" if it can.
func (f *folder) unreadable() string {
	if f.Problem == "" && f.Manifest == nil {
		return "This dataset is not finished."
	}
	return f.Problem
}

// sparkPoints is the number of losses in a sparkline.
const sparkPoints = 60

// readLosses reads how a run's loss went, and the figures of its last validation.
func (f *folder) readLosses() error {
	if err := f.drawable(); err != nil {
		return err
	}
	lines, err := train.ReadMetrics(f.Path, nil)
	if err != nil {
		return err
	}
	byKind := map[string][]float64{}
	for _, line := range lines {
		byKind[line.Kind] = append(byKind[line.Kind], line.Loss)
		f.Step = max(f.Step, line.Step)
		if line.Kind == "val" {
			f.Top1, f.Nats = line.Of("top1"), line.Of("policy_ce")
		}
	}
	if f.Losses = byKind["val"]; len(f.Losses) < 4 && len(byKind["train"]) > len(f.Losses) {
		f.Losses = byKind["train"]
	}
	if n := len(f.Losses); n > sparkPoints {
		few := make([]float64, sparkPoints)
		for i := range few {
			few[i] = f.Losses[(i+1)*n/sparkPoints-1]
		}
		f.Losses = few
	}
	return nil
}
