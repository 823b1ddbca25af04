package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"talbot/dataset"
	"talbot/formats/binpack"
	"talbot/formats/lc0"
	"talbot/formats/parquet"
	"talbot/formats/rows"
	"talbot/formats/viriformat"
	"talbot/pgn"
)

// Kind is a kind of input.
type Kind struct {
	Name     string   // for people, in the plural: "PGN games"
	Suffixes []string // suffixes of the files that are read in a folder, before that of a compression
	// Binary says that the content is not text, and so may look like UTF-16 or an archive.
	Binary bool
	// Sniff reports whether the content is of this kind, by its beginning: up to 64 KiB. Of a binary kind it may get no
	// more than 512 bytes, unless they begin a tar archive.
	Sniff func(head []byte) bool
	// Check, if not nil, returns what the beginning shows to be wrong.
	Check func(head []byte, stated rows.Stated) error
	// Open returns a reader of the unpacked content. How it writes evaluations is found, unless it is stated.
	Open func(in io.Reader, stated rows.Stated) Reader

	// OpenAt is in place of Open for content that is read from its end.
	OpenAt func(in io.ReaderAt, size int64, stated rows.Stated) (Reader, error)
}

// Reader reads the lines of an input. It may also be an evaluationReader, for the manifest.
type Reader interface {
	// Next returns the next line, by ascending Number, and the evaluations that the input has of its samples; without
	// labels, if it has none. A *[dataset.Reject] is of one line, and reading can go on; every other error is final,
	// and io.EOF is the end.
	Next() (dataset.Line, dataset.Imported, error)
}

// kinds lists all kinds in the order in which help names them. A new one is an entry here. What looks like several
// kinds is of the last, so games, which look like any text, come first; the others exclude each other (see [rows]).
var kinds = []*Kind{
	{
		Name: "PGN games", Suffixes: []string{".pgn"}, Sniff: pgn.LooksLikeGames,
		Open: func(in io.Reader, _ rows.Stated) Reader { return &gameReader{batches: pgn.NewSplitter(in)} },
	}, {
		Name: "EPD with best moves or moves to avoid", Suffixes: []string{".epd", ".fen"}, Sniff: rows.LooksLikeEPD,
		Open: func(in io.Reader, _ rows.Stated) Reader { return rows.NewEPDReader(in) },
	}, {
		Name: "tables of positions with evaluations", Suffixes: []string{".tsv", ".csv"},
		Sniff: rows.LooksLikeTable, Check: rows.CheckTable,
		Open: func(in io.Reader, stated rows.Stated) Reader { return rows.NewTableReader(in, stated) },
	}, {
		Name: "Lichess puzzles (CSV)", Suffixes: []string{".csv"}, Sniff: rows.LooksLikePuzzles,
		Open: func(in io.Reader, _ rows.Stated) Reader { return rows.NewPuzzleReader(in) },
	}, {
		Name: "Lichess's evaluations (lines of JSON)", Suffixes: []string{".jsonl"}, Sniff: rows.LooksLikeEvalLines,
		Open: func(in io.Reader, _ rows.Stated) Reader { return rows.NewEvalLineReader(in) },
	}, {
		Name: "text of \"FEN | score | result\"", Sniff: rows.LooksLikeScoreText, Check: rows.CheckScoreText,
		Open: func(in io.Reader, stated rows.Stated) Reader { return rows.NewScoreTextReader(in, stated) },
	}, {
		Name: "viriformat", Suffixes: []string{".vf"}, Binary: true, Sniff: viriformat.Looks,
		Check: func(head []byte, stated rows.Stated) error {
			return openViriformat(bytes.NewReader(head), stated).Check()
		},
		Open: func(in io.Reader, stated rows.Stated) Reader { return openViriformat(in, stated) },
	}, {
		Name: "Stockfish's binpack", Suffixes: []string{".binpack"}, Binary: true, Sniff: binpack.Looks,
		Check: func(head []byte, stated rows.Stated) error {
			if stated.ScoreUnit == "" { // more of the file may show what was not stated
				return nil
			}
			return openBinpack(bytes.NewReader(head), stated).Check()
		},
		Open: func(in io.Reader, stated rows.Stated) Reader { return openBinpack(in, stated) },
	}, {
		Name: "Parquet with Lichess's columns or those of chess-av-mates", Suffixes: []string{".parquet"}, Binary: true,
		Sniff: parquet.Looks, OpenAt: openParquet,
	}, {
		Name: "chunks of lc0's training data", Binary: true, Sniff: lc0.Looks, // one game a file, or many in an archive
		Open: func(in io.Reader, stated rows.Stated) Reader { return lc0.NewReader(in, stated.Origin) },
	},
}

// openViriformat returns a reader of scores that are White's unless stated otherwise.
func openViriformat(in io.Reader, stated rows.Stated) *viriformat.Reader {
	view := dataset.WhiteView
	if stated.View != nil {
		view = *stated.View
	}
	return viriformat.NewReader(in, stated.Origin, view, stated.Unchecked)
}

func openBinpack(in io.Reader, stated rows.Stated) *binpack.LineReader {
	unit := binpack.Unit(stated.ScoreUnit)
	if stated.Unchecked {
		unit = binpack.AnyUnit
	}
	return binpack.NewLineReader(in, stated.Origin, unit)
}

// Kinds returns the names of all kinds and the suffixes of their files, each once.
func Kinds() (names, suffixes []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
		for _, s := range k.Suffixes {
			if !slices.Contains(suffixes, s) {
				suffixes = append(suffixes, s)
			}
		}
	}
	return names, suffixes
}

// open opens a file of any kind.
func open(path string) (*rows.Input, error) {
	var binary []func([]byte) bool
	for _, k := range kinds {
		if k.Binary {
			binary = append(binary, k.Sniff)
		}
	}
	return rows.Open(path, binary...)
}

// kindOf returns the kind of an input before it is read; [ErrNoGames] if it is of none.
func kindOf(in *rows.Input) (*Kind, error) {
	head, err := in.Head()
	if errors.Is(err, rows.ErrUTF16) {
		return nil, err
	}
	for _, k := range slices.Backward(kinds) {
		if k.Sniff(head) { // the damage after the head is found by reading
			return k, nil
		}
	}
	switch {
	case err == nil && len(head) == 0:
		return nil, fmt.Errorf("%q: %w: it is empty", in.Name(), ErrNoGames)
	case err == nil:
		return nil, fmt.Errorf("%q: %w", in.Name(), ErrNoGames)
	}
	return nil, err
}

// Open opens a file of any kind, with a temporary copy in a folder if need be. The caller closes the input.
func Open(path string, stated rows.Stated, temp string) (*rows.Input, Reader, error) {
	in, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	kind, err := kindOf(in)
	var r Reader
	if err == nil {
		r, err = kind.reader(in, stated, filepath.Join(temp, spoolName))
	}
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, r, nil
}

// reader returns a reader of an input, of which there is a copy at that path if the kind needs it.
func (k *Kind) reader(in *rows.Input, stated rows.Stated, spool string) (Reader, error) {
	if k.OpenAt == nil {
		return k.Open(in, stated), nil
	}
	file, size, ok := in.Direct()
	if !ok {
		var err error
		if file, size, err = copyInput(in, spool); err != nil {
			return nil, err
		}
	}
	return k.OpenAt(file, size, stated)
}

// gameReader reads games one after another. A line is valid until the next call.
type gameReader struct {
	batches batches
	parser  pgn.Parser
	batch   *pgn.Batch
	next    int // of the batch
}

// batches gives the text of games, or io.EOF after the last.
type batches interface{ Next() (*pgn.Batch, error) }

func (r *gameReader) Next() (l dataset.Line, none dataset.Imported, err error) {
	for r.batch == nil || r.next == len(r.batch.Games) {
		if r.batch != nil {
			r.batch.Release()
		}
		if r.batch, err = r.batches.Next(); err != nil {
			r.batch = nil
			return l, none, err
		}
		r.next = 0
	}
	l, reject := r.parser.Parse(r.batch.Games[r.next])
	if r.next++; reject != nil {
		return l, none, reject
	}
	return l, none, nil
}
