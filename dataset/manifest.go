package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"talbot/internal/durable"
	"talbot/internal/fault"
)

// FormatVersion is the version of manifest and shards, the only one that talbot writes and reads. A later talbot may
// add columns to shards and members to the manifest; this one refuses them by name ([ErrVersion]).
const FormatVersion = 1

// ManifestName is the name of the manifest in a dataset's folder.
const ManifestName = "manifest.json"

// maxManifest is the largest manifest that is read, in bytes.
const maxManifest = 64 << 20

// Errors on which callers branch.
var (
	// ErrNoDataset: the folder is not there or has no manifest. A command that needs the dataset exits with 10.
	ErrNoDataset = fault.New(fault.ExitNoDataset, "no dataset found",
		"give a folder that `talbot ingest`, `talbot synth-endgames` or `talbot label` has finished")
	// ErrDamaged: a file of the dataset is not what was written. A command exits with 12.
	ErrDamaged = fault.New(fault.ExitDamaged, "dataset is damaged",
		"`talbot verify DIR` lists the damage; make the dataset again from its inputs")
	// ErrVersion: the dataset is whole, and has a version, a column or a member that this program does not know.
	ErrVersion = fault.New(fault.ExitFailed, "made by a newer talbot",
		"update talbot, or make the file again with this one")
)

// NoDatasetError is [ErrNoDataset] of a folder.
type NoDatasetError struct{ Dir string }

func (e *NoDatasetError) Error() string { return fmt.Sprintf("%q: %v", e.Dir, ErrNoDataset) }

// Unwrap returns [ErrNoDataset].
func (e *NoDatasetError) Unwrap() error { return ErrNoDataset }

// Manifest describes a dataset: what it was made from, how, and what it holds. It has no times and no absolute
// paths: the same inputs, flags and seed give the same bytes. The dataset is complete if and only if it has one.
type Manifest struct {
	Format       int           `json:"format"` // set by WriteManifest
	Tool         string        `json:"tool"`   // "talbot 0.1.0"
	Verb         string        `json:"verb"`   // "ingest"
	Flags        Flags         `json:"flags"`  // sorted by name
	Seed         uint64        `json:"seed"`
	Splits       Splits        `json:"splits"`
	Inputs       []Input       `json:"inputs"`
	Parents      []Parent      `json:"parents"`
	Counts       Counts        `json:"counts"`
	Fingerprints []Fingerprint `json:"fingerprints"`
	Networks     []Network     `json:"networks,omitempty"` // with predictions for the samples
	Shards       []ShardInfo   `json:"shards"`
}

// Input is a file or stream that lines were read from.
type Input struct {
	Name   string `json:"name"`   // base name as given
	Bytes  int64  `json:"bytes"`  // as stored, compressed or not
	SHA256 string `json:"sha256"` // of those bytes, 64 hex digits; empty if there are none, as for drawn lines
	Games  int64  `json:"games"`  // games, rows or draws read from it, those left out included

	// Table says of a table of evaluations how they were read, and of games with comments such as {0.31/12} how those
	// were.
	Table *Table `json:"table,omitempty"`
	// LeftOut says why nothing was read from a file that could not be opened, or not be read to its end; empty
	// otherwise.
	LeftOut string `json:"left_out,omitempty"`

	Aggregate *Aggregate `json:"aggregate,omitempty"` // of aggregated positions: what they were counted from
	// Engine says that the lines are games of an engine with itself ([SourceEngine]).
	Engine bool `json:"engine,omitempty"`
	// Network says that the lines are games of a network with itself ([SourceSelfPlay]).
	Network bool `json:"network,omitempty"`
}

// Table is how the evaluations of a table were read.
type Table struct {
	Unit   string `json:"unit"`   // "centipawns", "pawns" or, of comments, "pawns (score/depth)"; empty: all are mates
	View   string `json:"view"`   // "white" or "mover"
	Median int    `json:"median"` // of the |centipawns| that became labels, mates aside; of comments, of the first
}

// Parent is a dataset this one was made from.
type Parent struct {
	Manifest string `json:"manifest"` // Hash of the parent's manifest
	Name     string `json:"name"`     // base name of its folder
}

// Counts are the totals of a dataset.
type Counts struct {
	GamesRead int64            `json:"games_read"` // GamesKept and the sum of Rejects
	GamesKept int64            `json:"games_kept"` // lines
	Rejects   map[Reason]int64 `json:"rejects"`
	Positions int64            `json:"positions"` // plies + 1 of each line
	Samples   int64            `json:"samples"`
	Labelled  int64            `json:"labelled"` // labels by status, over all fingerprints
	Terminal  int64            `json:"terminal"`
	Failed    int64            `json:"failed"`

	// SamplesDropped counts the samples that sampling left out of lines that the filters let pass, duplicates and
	// prefixes aside; they are not in Samples.
	SamplesDropped Drops `json:"samples_dropped,omitempty"`

	// ResultConflicts counts the games whose sources of a result contradict each other, among all that were read to
	// their end: copies, and what was left out for that or by its length, among them.
	ResultConflicts ResultConflicts `json:"result_conflicts,omitzero"`

	// MoveConflicts counts the games whose text contradicts their moves and that were not rejected for it, counted as
	// ResultConflicts are.
	MoveConflicts int64 `json:"move_conflicts,omitempty"`
}

// ResultConflicts counts games by the sources of their result that contradict each other; a game may be in both.
type ResultConflicts struct {
	Movetext int64 `json:"movetext"` // the Result tag, and the result after the moves
	Board    int64 `json:"board"`    // mate or stalemate on the board, and one of the two
}

// Add counts a game.
func (c *ResultConflicts) Add(movetext, board bool) {
	if movetext {
		c.Movetext++
	}
	if board {
		c.Board++
	}
}

// ShardInfo is one shard of a dataset and what it holds.
type ShardInfo struct {
	File      string `json:"file"` // name in the folder
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"` // of the file, 64 hex digits
	Lines     int64  `json:"lines"`
	Positions int64  `json:"positions"`
	Samples   int64  `json:"samples"`
	// Untargeted counts the lines that have policies and no move in any of them (see [HasNoTarget]).
	Untargeted int64 `json:"untargeted,omitempty"`
}

// encode returns the bytes of the manifest's file: JSON as [durable.Seal] writes it, keys in the order of the struct.
func (m *Manifest) encode() []byte {
	c := *m
	c.Format = FormatVersion
	data, err := durable.Seal(c)
	if err != nil {
		return nil // strings, integers and slices of them only
	}
	return data
}

// Hash returns the SHA-256 of the manifest's file as 64 hex digits: the name by which other datasets refer to it.
func (m *Manifest) Hash() string {
	sum := sha256.Sum256(m.encode())
	return hex.EncodeToString(sum[:])
}

// WriteManifest writes the manifest into the folder, whole or not at all, durable when it returns. It comes last:
// the shards it names must be there.
func WriteManifest(dir string, m *Manifest) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("manifest of %q: %w", dir, err)
	}
	return durable.WriteFile(filepath.Join(dir, ManifestName), m.encode())
}

// ReadManifest reads the manifest of a dataset's folder. It returns a [NoDatasetError] if there is none, [ErrVersion]
// if it is whole and has a version or a member that this program does not know, [ErrDamaged] if it is not, to the byte,
// as [WriteManifest] wrote it, and the file system's error if it cannot be read.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	data, err := durable.ReadFile(path, maxManifest)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, &NoDatasetError{Dir: dir}
	}
	if errors.Is(err, durable.ErrTooLong) || errors.Is(err, durable.ErrNotRegular) {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	m, err := decodeManifest(data)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return m, nil
}

// InputName returns the name of an input, empty if there is none of that number.
func (m *Manifest) InputName(i int) string {
	if i < 0 || i >= len(m.Inputs) {
		return ""
	}
	return m.Inputs[i].Name
}

func decodeManifest(data []byte) (*Manifest, error) {
	if !durable.Intact(data) {
		return nil, fmt.Errorf("content or checksum changed after it was written: %w", ErrDamaged)
	}
	var any, m Manifest
	if err := json.Unmarshal(data, &any); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if any.Format != FormatVersion {
		return nil, fmt.Errorf("%w: it has version %d, this program reads version %d", ErrVersion, any.Format,
			FormatVersion)
	}
	if err := durable.Unseal(data, &m); err != nil { // a member that is not known
		return nil, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	if !bytes.Equal(data, m.encode()) {
		return nil, fmt.Errorf("%w: it is not as this program writes it", ErrDamaged)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return &m, nil
}

// check returns an error if the manifest contradicts itself.
func (m *Manifest) check() error {
	if err := m.Splits.Check(); err != nil {
		return err
	}
	rejected := int64(0)
	for reason, n := range m.Counts.Rejects {
		if n < 0 {
			return fmt.Errorf("%d rejects as %q", n, reason)
		}
		rejected += n
	}
	c := &m.Counts
	if c.GamesRead != c.GamesKept+rejected {
		return fmt.Errorf("%d games read, but %d kept and %d rejected", c.GamesRead, c.GamesKept, rejected)
	}
	if min(c.GamesKept, c.Positions, c.Samples, c.Labelled, c.Terminal, c.Failed) < 0 {
		return errors.New("a negative count")
	}
	if min(c.ResultConflicts.Movetext, c.ResultConflicts.Board, c.MoveConflicts) < 0 {
		return errors.New("a negative count of conflicts")
	}
	for reason, n := range c.SamplesDropped {
		if n <= 0 {
			return fmt.Errorf("%d samples dropped as %q", n, reason)
		}
	}
	for i := range m.Inputs {
		if a := m.Inputs[i].Aggregate; a != nil {
			if err := a.check(); err != nil {
				return fmt.Errorf("input %d: %w", i, err)
			}
		}
	}
	for i := range m.Networks {
		if err := m.Networks[i].check(); err != nil {
			return fmt.Errorf("network %d: %w", i, err)
		}
	}
	var lines, positions, samples int64
	files := make(map[string]bool, len(m.Shards))
	for i, s := range m.Shards {
		if s.File != filepath.Base(s.File) || s.File == "." || s.File == ".." || s.File == ManifestName ||
			files[s.File] {
			return fmt.Errorf("shard %d: %q is not a file name or appears twice", i, s.File)
		}
		files[s.File] = true
		if min(s.Bytes, s.Lines, s.Positions, s.Samples, s.Untargeted) < 0 || s.Untargeted > s.Lines {
			return fmt.Errorf("shard %q: a negative count", s.File)
		}
		lines, positions, samples = lines+s.Lines, positions+s.Positions, samples+s.Samples
	}
	if lines != c.GamesKept || positions != c.Positions || samples != c.Samples {
		return fmt.Errorf("the shards hold %d lines, %d positions and %d samples, not %d, %d and %d",
			lines, positions, samples, c.GamesKept, c.Positions, c.Samples)
	}
	return nil
}
