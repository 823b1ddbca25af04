package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/shards"
)

// Tool is the name and version that datasets are stamped with.
const Tool = "talbot 0.1.0"

// ShardPositions is how many positions a shard holds before the next begins:
// about 3 MB without labels.
const ShardPositions = 1 << 20

// shardPositions is what is used; tests make it small.
var shardPositions int64 = ShardPositions

// Errors on which callers branch.
var (
	// ErrFinished: the output folder holds a finished dataset, which is never changed.
	ErrFinished = errors.New("the folder holds a finished dataset")
	// ErrOccupied: the output folder holds something else, or an interrupted command with other inputs or flags.
	ErrOccupied = errors.New("the folder is in use")
)

const (
	progressName = "progress.json"
	lockName     = "progress.lock"
)

// output is a dataset's folder being made: it cuts the lines it is given into
// shards and remembers after each one how far the work has come.
type output struct {
	dir      string
	lock     io.Closer
	workers  int
	plan     int64 // positions in a shard
	drafting bool  // shards are drafts until finishDrafts writes them again
	writer   *shards.Writer
	progress outputProgress
	resumed  bool         // the folder held an interrupted run of the same command
	rejects  *rejectsFile // nil: none is asked for
}

// outputProgress is the content of progress.json. It is written at the start
// and after each shard.
type outputProgress struct {
	Command  string           `json:"command"`  // what decides the content; must be the same to resume
	Manifest dataset.Manifest `json:"manifest"` // as far as the work has come
	Input    int              `json:"input"`    // lines of this input …
	Number   int64            `json:"number"`   // … up to this number are done

	Read    int64 `json:"read"`              // games or rows of this input that are done
	Glued   int64 `json:"glued,omitempty"`   // EPD lines that were repaired
	Evals   Evals `json:"evals"`             // of the inputs
	Rejects int64 `json:"rejects,omitempty"` // bytes of the table of rejects; 0 if there is none

	Exhausted []string `json:"exhausted,omitempty"`  // materials of endgames that have run out, sorted
	NoHistory int64    `json:"no_history,omitempty"` // lines for which no history could be invented

	Own dataset.Counts `json:"own"` // labels of the fingerprint being made, by status
	// Drafts are the shards as they were before the last pass over them, and Final is how many of them have had it;
	// those are gone.
	Drafts []dataset.ShardInfo `json:"drafts,omitempty"`
	Final  int                 `json:"final,omitempty"`
}

// openOutput creates the folder, or takes up an interrupted run of the same
// command there. The caller ends it with close. m holds what is known
// beforehand; identity is whatever else decides the content.
func openOutput(dir string, m dataset.Manifest, identity any, workers int) (*output, error) {
	command, err := json.Marshal(struct {
		Verb     string
		Flags    []dataset.Tag
		Seed     uint64
		Splits   dataset.Splits
		Identity any
	}{m.Verb, m.Flags, m.Seed, m.Splits, identity})
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, dataset.ManifestName)); err == nil {
		return nil, errors.Join(fmt.Errorf("%q: %w", dir, ErrFinished), tidy(dir))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("creating the output folder: %w", err)
	}
	if err := checkFolder(dir); err != nil {
		return nil, err
	}
	o := &output{dir: dir, workers: workers, plan: shardPositions}
	if o.lock, err = durable.Lock(filepath.Join(dir, lockName)); err != nil {
		return nil, fmt.Errorf("%q: %w", dir, err)
	}
	if err := o.begin(string(command), m); err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// tidy removes what is left beside a finished dataset when its command was killed behind the last step, or could not
// remove something.
func tidy(dir string) error {
	left, err := leftovers(dir)
	if err != nil || len(left) == 0 {
		return err
	}
	lock, err := durable.Lock(filepath.Join(dir, lockName))
	if err != nil {
		return nil // it is just being finished
	}
	defer lock.Close()
	return removeLeftovers(dir)
}

// leftovers returns the files of a dataset's folder that are of no use once it is finished; the lock is the last.
func leftovers(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	lock := false
	for _, e := range entries {
		switch name := e.Name(); {
		case name == lockName:
			lock = true
		case name == progressName, name == rejectsName, strings.HasSuffix(name, ".tmp"):
			names = append(names, name)
		}
	}
	if lock {
		names = append(names, lockName)
	}
	return names, nil
}

func removeLeftovers(dir string) error {
	names, err := leftovers(dir)
	for _, name := range names {
		if err == nil {
			err = durable.Remove(filepath.Join(dir, name))
		}
	}
	if err != nil {
		return fmt.Errorf("the dataset is finished, but: %w", err)
	}
	return nil
}

// checkFolder refuses a folder that holds files that are not of an interrupted
// run.
func checkFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("reading the output folder: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if name != progressName && name != lockName && name != rejectsName && !strings.HasSuffix(name, ".tmp") &&
			!strings.HasPrefix(name, "shard-") && !strings.HasPrefix(name, "draft-") &&
			!strings.HasPrefix(name, journalPrefix) {
			return fmt.Errorf("%q holds %q: %w", dir, name, ErrOccupied)
		}
	}
	return nil
}

// begin reads progress.json or writes the first one, and removes what an
// interrupted run left behind its last mark.
func (o *output) begin(command string, m dataset.Manifest) error {
	path := filepath.Join(o.dir, progressName)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		m.Tool = Tool
		m.Counts.Rejects = map[dataset.Reason]int64{}
		o.progress = outputProgress{Command: command, Manifest: m}
		if shards, _ := filepath.Glob(filepath.Join(o.dir, "shard-*")); len(shards) > 0 {
			return fmt.Errorf("%q holds shards without %s: %w", o.dir, progressName, ErrOccupied)
		}
		return o.mark()
	case err != nil:
		return fmt.Errorf("reading %q: %w", path, err)
	}
	if err := json.Unmarshal(data, &o.progress); err != nil {
		return fmt.Errorf("%q: %w: %w", path, dataset.ErrDamaged, err)
	}
	if n := len(o.progress.Drafts); o.progress.Final < 0 || o.progress.Final > n {
		return fmt.Errorf("%q: %d of %d drafts are done: %w", path, o.progress.Final, n, dataset.ErrDamaged)
	}
	if o.progress.Command != command {
		return fmt.Errorf("%q holds an interrupted %q with other inputs or flags: %w", o.dir, o.progress.Manifest.Verb,
			ErrOccupied)
	}
	o.resumed = true
	if o.progress.Manifest.Counts.Rejects == nil {
		o.progress.Manifest.Counts.Rejects = map[dataset.Reason]int64{}
	}
	return o.sweep()
}

// sweep removes files that progress.json does not know, and checks those that
// it does.
func (o *output) sweep() error {
	known := map[string]bool{progressName: true, lockName: true, rejectsName: o.progress.Rejects > 0,
		journalName(len(o.progress.Manifest.Shards)): true}
	for _, s := range o.shards() {
		known[s.File] = true
		info, err := os.Stat(filepath.Join(o.dir, s.File))
		if err != nil {
			return fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
		}
		if info.Size() != s.Bytes {
			return fmt.Errorf("%q has %d bytes, not %d: %w", s.File, info.Size(), s.Bytes, dataset.ErrDamaged)
		}
	}
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if known[e.Name()] {
			continue
		}
		if err := durable.Remove(filepath.Join(o.dir, e.Name())); err != nil {
			return fmt.Errorf("removing what an interrupted run left: %w", err)
		}
	}
	return nil
}

// collectRejects begins or takes up the table of rejects that goes to path, if that is not empty.
func (o *output) collectRejects(path string) error {
	if path == "" {
		return nil
	}
	var err error
	if o.rejects, err = openRejects(o.dir, path, o.progress.Rejects); err != nil {
		return err
	}
	return o.mark()
}

func (o *output) mark() error {
	if o.rejects != nil {
		size, err := o.rejects.mark()
		if err != nil {
			return err
		}
		o.progress.Rejects = size
	}
	data, err := json.MarshalIndent(o.progress, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(o.dir, progressName), append(data, '\n'))
}

func (o *output) manifest() *dataset.Manifest { return &o.progress.Manifest }

// write appends a line to the present shard and counts it as read and kept.
func (o *output) write(l *dataset.Line) error {
	if o.writer == nil {
		w, err := o.create()
		if err != nil {
			return err
		}
		o.writer = w
	}
	if err := o.writer.Write(l); err != nil {
		return err
	}
	c := &o.progress.Manifest.Counts
	c.GamesRead++
	addLine(c, l)
	return nil
}

// create begins the next shard.
func (o *output) create() (*shards.Writer, error) {
	if o.drafting {
		return shards.CreateDraft(o.dir, len(o.progress.Drafts))
	}
	return shards.Create(o.dir, len(o.progress.Manifest.Shards), shards.WithWorkers(o.workers))
}

// shards returns what is there of shards, drafts that wait for their last pass included.
func (o *output) shards() []dataset.ShardInfo {
	return slices.Concat(o.progress.Manifest.Shards, o.progress.Drafts[o.progress.Final:])
}

// addLine counts a kept line.
func addLine(c *dataset.Counts, l *dataset.Line) {
	c.GamesKept++
	c.Positions += int64(len(l.Moves) + 1)
	c.Samples += int64(l.SampleCount())
	for _, column := range l.Labels {
		countLabels(c, column.Labels)
	}
}

// countLabels counts labels by status.
func countLabels(c *dataset.Counts, labels []dataset.Label) {
	for i := range labels {
		switch labels[i].Status {
		case dataset.Labelled:
			c.Labelled++
		case dataset.Terminal:
			c.Terminal++
		case dataset.Failed:
			c.Failed++
		}
	}
}

// full reports whether the present shard should be ended.
func (o *output) full() bool { return o.writer != nil && o.writer.Positions() >= o.plan }

// endShard commits the present shard, if there is one, and marks how far the
// work has come.
func (o *output) endShard() error {
	if o.writer != nil {
		info, err := o.writer.Commit()
		o.writer = nil
		if err != nil {
			return err
		}
		if o.drafting {
			o.progress.Drafts = append(o.progress.Drafts, info)
		} else {
			o.progress.Manifest.Shards = append(o.progress.Manifest.Shards, info)
		}
	}
	return o.mark()
}

// finish ends the last shard and writes the manifest, after which the dataset
// is whole.
func (o *output) finish() error {
	if err := o.endShard(); err != nil {
		return err
	}
	if o.rejects != nil {
		if err := o.rejects.publish(); err != nil {
			return err
		}
	}
	if err := dataset.WriteManifest(o.dir, &o.progress.Manifest); err != nil {
		return err
	}
	o.rejects.close()
	return removeLeftovers(o.dir)
}

// close drops an unfinished shard and gives the folder free.
func (o *output) close() {
	if o.writer != nil {
		o.writer.Abort()
		o.writer = nil
	}
	o.rejects.close()
	if o.lock != nil {
		o.lock.Close()
		o.lock = nil
	}
}

// bytes returns the size of the shards.
func (o *output) bytes() (n int64) {
	for _, s := range o.progress.Manifest.Shards {
		n += s.Bytes
	}
	return n
}

// lines reads the finished shards, only what every line has, for whoever must know what they hold.
func (o *output) lines(each func(*dataset.Line) error) error {
	for _, s := range o.shards() {
		r, err := shards.Open(filepath.Join(o.dir, s.File), shards.WithColumns(0))
		if err != nil {
			return err
		}
		for l, err := range r.Lines() {
			if err == nil {
				err = each(l)
			}
			if err != nil {
				r.Close()
				return err
			}
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	return nil
}
