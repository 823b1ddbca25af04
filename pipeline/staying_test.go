package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/pgn"
	"talbot/pipeline/ingest"
)

// TestRejectsNameWhatStays looks up each game that the table of rejects names for a copy or a prefix: it is no reject
// itself, and its moves begin with those of the game that was left out, or are the same.
func TestRejectsNameWhatStays(t *testing.T) {
	Small(t)
	dir := t.TempDir()
	inputs, _, _, _ := CutGames(t, dir)
	chain := filepath.Join(dir, "chain.pgn")
	text := ""
	for _, behind := range []string{"", "3. b3", "", "3. b3 g6 4. c3", "3. b3 g6 4. c4", "3. b3 g6 4. c4"} {
		text += "1. a4 h5 2. Ra2 Rh7 " + behind + " *\n\n"
	}
	if err := os.WriteFile(chain, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	inputs = append(inputs, chain)
	in := ingest.Request{Inputs: inputs, Out: filepath.Join(dir, "out"), Rejects: filepath.Join(dir, "rejects.tsv"),
		Splits: dataset.DefaultSplits, Workers: 2}
	sum, err := in.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type game struct {
		start board.Position
		moves []board.Move
	}
	games, offsets := map[string]game{}, map[string]int64{}
	for _, file := range inputs {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s, p := pgn.NewSplitter(f), new(pgn.Parser)
		for b, err := s.Next(); err == nil; b, err = s.Next() {
			for _, g := range b.Games {
				if l, reject := p.Parse(g); reject == nil {
					id := fmt.Sprintf("number %d of %s", g.Number, file)
					games[id], offsets[id] = game{l.Start, l.Moves}, g.Offset
				}
			}
		}
	}
	table, err := os.ReadFile(in.Rejects)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSuffix(string(table), "\n"), "\n")[1:]
	left := map[string]bool{}
	for _, row := range rows {
		cells := strings.Split(row, "\t")
		left[fmt.Sprintf("number %s of %s", cells[1], cells[0])] = true
	}
	named := int64(0)
	for _, row := range rows {
		cells := strings.Split(row, "\t")
		if cells[3] != string(dataset.Duplicate) && cells[3] != string(ingest.Prefix) {
			continue
		}
		var number, offset int64
		var file string
		if _, err := fmt.Sscanf(cells[4], "kept: number %d at byte %d of %s", &number, &offset, &file); err != nil {
			t.Fatalf("%q: %v", row, err)
		}
		named++
		stays := fmt.Sprintf("number %d of %s", number, file)
		a, b := games[fmt.Sprintf("number %s of %s", cells[1], cells[0])], games[stays]
		if left[stays] || offsets[stays] != offset || a.start.EPD() != b.start.EPD() || len(a.moves) == 0 ||
			len(b.moves) < len(a.moves) || !slices.Equal(a.moves, b.moves[:len(a.moves)]) {
			t.Errorf("%q: left out as well %v, moves %v and %v", row, left[stays], a.moves, b.moves)
		}
		if cells[3] == string(ingest.Prefix) && len(a.moves) == len(b.moves) {
			t.Errorf("%q names a copy", row)
		}
	}
	if want := sum.Rejects[dataset.Duplicate] + sum.Rejects[ingest.Prefix]; named != want ||
		sum.Rejects[dataset.Duplicate] < 3 ||
		sum.Rejects[ingest.Prefix] < 3 {
		t.Errorf("%d rows with names, %d copies and prefixes: %v", named, want, sum.Rejects)
	}
	// Of several longer games the first that stays is named, for the copy of a prefix too.
	chained := 0
	for _, row := range rows {
		if strings.HasPrefix(row, chain+"\t1\t") || strings.HasPrefix(row, chain+"\t2\t") ||
			strings.HasPrefix(row, chain+"\t3\t") {
			if chained++; !strings.Contains(row, "kept: number 4 at byte") {
				t.Errorf("%q does not name game 4", row)
			}
		}
	}
	if chained != 3 {
		t.Errorf("%d rows of the chain", chained)
	}
}
