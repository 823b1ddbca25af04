package aggregate_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/aggregate"
	"talbot/pipeline/ingest"
)

const rated = "../../../shared/data/rated/"

// firstGames writes the first n games of a file to another; all of them where n is 0.
func firstGames(t *testing.T, path string, n int) string {
	t.Helper()
	in, err := rows.Open(path)
	if err != nil {
		t.Skipf("SKIPPED: the data are not here: %v", err)
	}
	defer in.Close()
	var b bytes.Buffer
	lines, games := bufio.NewReader(in), 0
	for {
		line, err := lines.ReadString('\n')
		if strings.HasPrefix(line, "[Event ") {
			if games++; n > 0 && games > n {
				break
			}
		}
		b.WriteString(line)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(path), ".zst"))
	if err := os.WriteFile(out, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return out
}

// aggregated ingests files, copies included, and aggregates them.
func aggregated(t *testing.T, r aggregate.Request, files ...string) string {
	t.Helper()
	lines := filepath.Join(t.TempDir(), "lines")
	if _, err := (ingest.Request{Inputs: files, Out: lines, Splits: dataset.DefaultSplits,
		KeepDuplicates: true}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.In, r.Out, r.Splits = []string{lines}, filepath.Join(t.TempDir(), "out"), dataset.DefaultSplits
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.Out
}

// eachLine calls f with the lines of a dataset.
func eachLine(t *testing.T, dir string, f func(l *dataset.Line, band int)) {
	t.Helper()
	for d, l := range madeup.Each(t, dir) {
		bands, own := d.BandsOf(l)
		if bands == nil {
			t.Fatalf("a line without a band: %+v", l)
		}
		f(l, own)
	}
}

// TestPython compares with testdata/aggregate.py, move by move. TALBOT_FULL=1 takes 4,000 games of each file.
func TestPython(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import chess.pgn").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no python-chess: %v: %s", err, out)
	}
	n := 120
	if os.Getenv("TALBOT_FULL") != "" {
		n = 4000
	}
	for _, c := range []struct {
		path   string
		n      int
		preset string
		r      aggregate.Request
	}{
		{"../../examples/games.pgn.zst", 100, "", aggregate.Request{MinCount: 2, MinBand: 1}},
		{rated + "mixed.pgn.zst", 2 * n, "prior",
			aggregate.Request{Bands: aggregate.DefaultBands, MinCount: 3, MinBand: 2}},
		{rated + "players.pgn.zst", n, "",
			aggregate.Request{Bands: aggregate.Bands{1800, 2200}, MinCount: 1, MinBand: 1}},
		{rated + "openings20.pgn.zst", 3 * n, "",
			aggregate.Request{Bands: aggregate.DefaultBands, MinCount: 6, MinBand: 3}},
	} {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			path := firstGames(t, c.path, c.n)
			args := []string{"testdata/aggregate.py", path, c.r.Bands.String(), strconv.Itoa(c.r.MinCount),
				strconv.Itoa(c.r.MinBand)}
			if c.preset != "" {
				aggregate.Presets[c.preset](&c.r.Filter)
				args = append(args, "180")
			}
			cmd := exec.Command("python3", args...)
			cmd.Stderr = os.Stderr
			want, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			eachLine(t, aggregated(t, c.r, path), func(l *dataset.Line, band int) {
				var moves []string
				for _, m := range l.Policies[0] {
					moves = append(moves, fmt.Sprintf("%s:%g", m.Move, m.Weight))
				}
				slices.Sort(moves)
				got = append(got, fmt.Sprintf("%s\t%d\t%s", l.Start.EPD(), band, strings.Join(moves, " ")))
			})
			lines := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
			slices.Sort(got)
			slices.Sort(lines)
			if !slices.Equal(got, lines) || len(lines) < 50 {
				t.Errorf("%d lines, want %d", len(got), len(lines))
			}
			t.Logf("%d positions and bands are equal", len(lines))
		})
	}
}

// TestOpenings compares the first moves of rated games with counts of two million other games, of 2015 and by the mean
// rating of both players: they are alike, not equal.
func TestOpenings(t *testing.T) {
	in, err := rows.Open(rated + "firstmoves_by_rating.csv.zst")
	if err != nil {
		t.Skipf("SKIPPED: the data are not here: %v", err)
	}
	defer in.Close()
	table, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	bands := aggregate.Bands{1400, 1600, 1800, 2000}
	start := board.StartPosition()
	want := make([]map[string]float64, len(bands)+1)
	for i := range want {
		want[i] = map[string]float64{}
	}
	for _, row := range table[1:] {
		elo, err1 := strconv.Atoi(row[0])
		games, err2 := strconv.ParseFloat(row[5], 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("row %q", row)
		}
		if row[1] != "" {
			want[sort.SearchInts(bands, elo+1)][row[1]] += games
		}
	}
	out := aggregated(t, aggregate.Request{Bands: bands, MinCount: 6, MinBand: 3}, rated+"mixed.pgn.zst",
		rated+"openings20.pgn.zst")
	compared := 0
	eachLine(t, out, func(l *dataset.Line, band int) {
		if l.Start != start {
			return
		}
		got, sum, all := map[string]float64{}, 0.0, 0.0
		for _, m := range l.Policies[0] {
			got[m.Move.String()] = float64(m.Weight)
			sum += float64(m.Weight)
		}
		for _, n := range want[band] {
			all += n
		}
		distance := 0.0
		for _, m := range start.LegalMoves(nil) {
			distance += math.Abs(got[m.String()]/sum-want[band][m.String()]/all) / 2
		}
		t.Logf("band %d: e2e4 %.3f (%.3f), d2d4 %.3f (%.3f); of %.0f and %.0f games; total variation %.3f", band,
			got["e2e4"]/sum, want[band]["e2e4"]/all, got["d2d4"]/sum, want[band]["d2d4"]/all, sum, all, distance)
		if compared++; distance > 0.15 {
			t.Errorf("band %d: the distributions differ by %.3f", band, distance)
		}
	})
	if compared != len(want) {
		t.Errorf("%d bands of the start position", compared)
	}
}
