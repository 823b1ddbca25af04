package shards

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// formatLines are the two lines that docs/8-format.md shows.
func formatLines(t *testing.T) []dataset.Line {
	t.Helper()
	start := value(board.ParseFEN("6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1"))(t)
	e2e4, e7e5 := board.NewMove(12, 28), board.NewMove(52, 36)
	h7h6, a1a8 := board.NewMove(55, 47), board.NewMove(0, 56)
	return []dataset.Line{{
		Number: 1, Start: board.StartPosition(), Moves: []board.Move{e2e4,
			e7e5}, Result: dataset.WhiteWins, WhiteElo: 2600,
		Tags: []dataset.Tag{{Name: "White", Value: "Tal"}},
		Labels: []dataset.LabelColumn{{Labels: []dataset.Label{
			{Status: dataset.Labelled, Best: e2e4, Lines: []dataset.Searched{{
				Score: dataset.Centipawns(31), WDL: dataset.WDL{Win: 42, Draw: 956,
					Loss: 2}, Depth: 10, Nodes: 20024, PV: []board.Move{e2e4, e7e5},
			}}},
			{Status: dataset.Failed},
		}}},
	}, {
		Source: dataset.SourcePuzzle, Input: 1, Number: 7, Offset: 300, Start: start, Moves: []board.Move{h7h6, a1a8},
		Samples: dataset.OddPlies(), Policies: [][]dataset.WeightedMove{{{Move: a1a8, Weight: 1}}},
	}}
}

// TestFormatDocument checks the example of docs/8-format.md, byte by byte.
func TestFormatDocument(t *testing.T) {
	lines := formatLines(t)
	got := shardOf(t, lines)
	text := value(os.ReadFile("../docs/8-format.md"))(t)
	_, rest, _ := strings.Cut(string(text), "```hex\n")
	dump, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatalf("docs/8-format.md has no ```hex block; the shard is\n%s", hexDump(got))
	}
	var digits strings.Builder
	for row := range strings.Lines(dump) {
		_, row, _ = strings.Cut(row, ":")
		row, _, _ = strings.Cut(row, "|")
		digits.WriteString(strings.Join(strings.Fields(row), ""))
	}
	want, err := hex.DecodeString(digits.String())
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the shard is not that of docs/8-format.md (%v); it is\n%s", err, hexDump(got))
	}
	read := value(readAll(want))(t)
	if d := diff(read, lines); d != "" {
		t.Error(d)
	}
}

// hexDump writes bytes as docs/8-format.md shows them: offset, 16 bytes, text.
func hexDump(b []byte) string {
	var s strings.Builder
	for row := range strings.Lines(hex.Dump(b)) {
		at, rest, _ := strings.Cut(strings.TrimSuffix(row, "|\n"), "  ")
		if bytes, text, ok := strings.Cut(rest, "|"); ok {
			bytes = strings.ReplaceAll(strings.TrimRight(bytes, " "), "  ", " ")
			s.WriteString(at[4:] + ": " + bytes + " | " + text + "\n")
		}
	}
	return s.String()
}

// pythonLine is a line as testdata/read_shard.py prints it.
type pythonLine struct {
	Source   int                    `json:"source"`
	Input    int                    `json:"input"`
	Number   int64                  `json:"number"`
	Offset   int64                  `json:"offset"`
	FEN      string                 `json:"start"`
	Moves    []string               `json:"moves"`
	Invented int                    `json:"invented"`
	Samples  []int                  `json:"samples"`
	Result   string                 `json:"result"`
	Elo      [2]int                 `json:"elo"`
	Clocks   []*int32               `json:"clocks"`
	Tags     map[string]string      `json:"tags"`
	Policies [][]pythonTarget       `json:"policies"`
	Labels   map[int][]*pythonLabel `json:"labels"`

	Networks map[int][]pythonPrediction `json:"networks"`
}

type pythonPrediction struct {
	Status string        `json:"status"`
	Value  int           `json:"value"`
	Moves  []pythonPrior `json:"moves"`
}

type pythonPrior struct {
	Move  string `json:"move"`
	Prior int    `json:"prior"`
}

type pythonTarget struct {
	Move   string  `json:"move"`
	Weight float32 `json:"weight"`
}

type pythonLabel struct {
	Status string           `json:"status"`
	Best   string           `json:"best"`
	Lines  []pythonSearched `json:"lines"`
}

type pythonSearched struct {
	Score string    `json:"score"` // as UCI writes it
	WDL   [3]uint16 `json:"wdl"`
	Depth int       `json:"depth"`
	Nodes int64     `json:"nodes"`
	PV    []string  `json:"pv"`
}

func moveTexts(moves []board.Move) []string {
	texts := []string{}
	for _, m := range moves {
		texts = append(texts, m.String())
	}
	return texts
}

func toPython(l *dataset.Line) pythonLine {
	p := pythonLine{
		Source: int(l.Source), Input: l.Input, Number: l.Number, Offset: l.Offset, FEN: l.Start.FEN(),
		Moves:    moveTexts(l.Moves),
		Invented: l.Reconstructed, Samples: l.Samples.Plies([]int{}, len(l.Moves)), Result: l.Result.String(),
		Elo: [2]int{l.WhiteElo, l.BlackElo}, Clocks: []*int32{}, Tags: map[string]string{},
		Policies: [][]pythonTarget{},
		Labels:   map[int][]*pythonLabel{}, Networks: map[int][]pythonPrediction{},
	}
	for _, c := range l.Predictions {
		for _, given := range c.Predictions {
			q := pythonPrediction{[]string{"missing", "predicted", "over"}[given.Status], int(given.Value),
				[]pythonPrior{}}
			for _, m := range given.Moves {
				q.Moves = append(q.Moves, pythonPrior{m.Move.String(), int(m.Prior)})
			}
			p.Networks[c.Network] = append(p.Networks[c.Network], q)
		}
	}
	for _, tenths := range l.Clocks {
		if tenths == dataset.NoClock {
			p.Clocks = append(p.Clocks, nil)
		} else {
			p.Clocks = append(p.Clocks, &tenths)
		}
	}
	for _, t := range l.Tags {
		p.Tags[t.Name] = t.Value
	}
	for _, list := range l.Policies {
		targets := []pythonTarget{}
		for _, t := range list {
			targets = append(targets, pythonTarget{t.Move.String(), t.Weight})
		}
		p.Policies = append(p.Policies, targets)
	}
	for _, c := range l.Labels {
		for _, label := range c.Labels {
			q := &pythonLabel{Status: label.Status.String(), Best: label.Best.String(), Lines: []pythonSearched{}}
			for _, s := range label.Lines {
				q.Lines = append(q.Lines, pythonSearched{
					s.Score.String(), [3]uint16{s.WDL.Win, s.WDL.Draw, s.WDL.Loss}, s.Depth, s.Nodes, moveTexts(s.PV)})
			}
			p.Labels[c.Fingerprint] = append(p.Labels[c.Fingerprint], q)
		}
	}
	return p
}

// TestPythonReader compares with a reader that was written from docs/8-format.md.
func TestPythonReader(t *testing.T) {
	for _, name := range []string{"python3", "zstd"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: %s is not here", name)
		}
	}
	lines := append(formatLines(t), randomLines(t, 30, 1200, true)...)
	path := filepath.Join(t.TempDir(), Name(0))
	ok(t, os.WriteFile(path, shardOf(t, lines), 0o600))
	cmd := exec.Command("python3", "testdata/read_shard.py", path)
	cmd.Stderr = os.Stderr
	out := value(cmd.Output())(t)
	rows := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(rows) != len(lines) {
		t.Fatalf("%d lines, want %d", len(rows), len(lines))
	}
	for i, row := range rows {
		var got pythonLine
		ok(t, json.Unmarshal([]byte(row), &got))
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(toPython(&lines[i]))
		if !bytes.Equal(a, b) {
			t.Fatalf("line %d:\n%s\nwant\n%s", i, a, b)
		}
	}
}
