package export

import (
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
)

// parquetFormat is one row a sample.
var parquetFormat = &Format{
	Name: "parquet", About: "Apache Parquet, for pandas, Polars, DuckDB and PyTorch",
	Lacks: []Fact{Headers, Policies, MultiPV, Variations, Tables, OtherLabels, Predictions, Reconstructed},
	begin: func(out *durable.AtomicFile, _ *Request) (writer, error) { return newParquetWriter(out), nil },
}

// parquetGroup is how many rows a row group has: what is kept in memory until it is written.
const parquetGroup = 50_000

// parquetRow is a row. Scores and chances are from White's view, as in the tables that Lichess publishes under the same
// names of columns.
type parquetRow struct {
	FEN     string  `parquet:"fen,zstd"`
	Start   string  `parquet:"start,dict,zstd"` // FEN of the line's start, from which history was played
	History string  `parquet:"history,zstd"`    // UCI moves with blanks between them; empty: none
	Played  *string `parquet:"played,optional,zstd"`
	Best    *string `parquet:"best,optional,zstd"` // the engine's
	CP      *int32  `parquet:"cp,optional,zstd"`
	Mate    *int32  `parquet:"mate,optional,zstd"`     // in moves; negative: Black mates
	WDL     []int32 `parquet:"wdl,list,optional,zstd"` // win, draw, loss of White, per mille
	Depth   *int32  `parquet:"depth,optional,zstd"`
	Nodes   *int64  `parquet:"nodes,optional,zstd"`
	Result  *string `parquet:"result,optional,dict,zstd"` // as PGN has it
	Source  string  `parquet:"source,dict,zstd"`
	File    string  `parquet:"file,dict,zstd"`
	Game    int64   `parquet:"game,zstd"` // number of the line in its file
	Ply     int32   `parquet:"ply,zstd"`  // moves played since the line's start
	// seconds that the side to move had left before and after the move
	Clock      *float64 `parquet:"clock,optional,zstd"`
	ClockAfter *float64 `parquet:"clock_after,optional,zstd"`
	Split      string   `parquet:"split,dict,zstd"`
}

// parquetWriter writes rows as they come, in groups.
type parquetWriter struct {
	rows    *parquet.GenericWriter[parquetRow]
	pending []parquetRow
	line    *dataset.Line
	start   string
	history strings.Builder // of line, up to played
	played  int
}

func newParquetWriter(out *durable.AtomicFile) *parquetWriter {
	return &parquetWriter{rows: parquet.NewGenericWriter[parquetRow](out, parquet.MaxRowsPerRowGroup(parquetGroup),
		parquet.Compression(&zstd.Codec{}), parquet.CreatedBy("talbot", "", ""),
		parquet.KeyValueMetadata("talbot.view", dataset.WhiteView.String()))}
}

func (w *parquetWriter) sample(s *Sample) error {
	l := s.Line()
	if w.line != l {
		w.line, w.start, w.played = l, l.Start.FEN(), 0
		w.history.Reset()
	}
	for ; w.played < s.Ply(); w.played++ {
		if w.played > 0 {
			w.history.WriteByte(' ')
		}
		w.history.WriteString(l.Moves[w.played].String())
	}
	row := parquetRow{FEN: s.Position().FEN(), Start: w.start, History: w.history.String(), Source: l.Source.String(),
		File: s.Input, Game: l.Number, Ply: int32(s.Ply()), Split: s.Split.String()}
	if s.Ply() < len(l.Moves) {
		row.Played = new(l.Moves[s.Ply()].String())
	}
	if tenths, ok := l.ClockBefore(s.Ply()); ok {
		row.Clock = new(float64(tenths) / 10)
	}
	if tenths, ok := l.ClockAfter(s.Ply()); ok {
		row.ClockAfter = new(float64(tenths) / 10)
	}
	if l.Result != dataset.ResultUnknown {
		row.Result = new(l.Result.String())
	}
	if label, ok := s.Label(); ok {
		row.label(label, s.Position().Turn())
	}
	w.pending = append(w.pending, row)
	if len(w.pending) < 1024 {
		return nil
	}
	return w.flush()
}

// endLine forgets the line, whose memory may become that of another one.
func (w *parquetWriter) endLine() error {
	w.line = nil
	return nil
}

// label sets what an engine or a source said.
func (r *parquetRow) label(l *dataset.Label, turn board.Color) {
	first, sign := &l.Lines[0], int32(1)
	if turn == board.Black {
		sign = -1
	}
	if n, ok := first.Score.Mate(); ok {
		r.Mate = new(sign * int32(n))
	} else if cp, ok := first.Score.Centipawns(); ok {
		r.CP = new(sign * int32(cp))
	}
	if w := first.WDL; w != (dataset.WDL{}) {
		if r.WDL = []int32{int32(w.Win), int32(w.Draw), int32(w.Loss)}; sign < 0 {
			r.WDL[0], r.WDL[2] = r.WDL[2], r.WDL[0]
		}
	}
	if l.Best != board.NoMove {
		r.Best = new(l.Best.String())
	}
	if first.Depth > 0 {
		r.Depth = new(int32(first.Depth))
	}
	if first.Nodes > 0 {
		r.Nodes = new(first.Nodes)
	}
}

func (w *parquetWriter) flush() error {
	_, err := w.rows.Write(w.pending)
	clear(w.pending)
	w.pending = w.pending[:0]
	return err
}

func (w *parquetWriter) end() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.rows.Close()
}
