package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
)

const journalGamesCount = 4

// testRecord is a game of six plies.
func testRecord(number int) *Record {
	p, err := board.ParseFEN("4k3/8/8/8/8/8/4P3/4K3 w - - 3 20")
	if err != nil {
		panic(err)
	}
	r := &Record{Number: number, Players: [2]int{number % 2, 1 - number%2}, Start: p, Book: 2,
		Result: dataset.WhiteWins,
		End:    End(Illegal), Fault: &FaultNote{Kind: Illegal, Player: 1 - number%2, Text: `bestmove "e1e5"`},
		Time: 3 * time.Second}
	for i := range 6 {
		m := p.LegalMoves(nil)[0]
		p.Play(m)
		ply := Ply{Move: m}
		if i >= 2 {
			ply.Score, ply.Scored = []dataset.Score{-30, 0, dataset.MateIn(3), dataset.MateIn(-2)}[i-2], i != 3
			if !ply.Scored {
				ply.Score = 0
			}
			ply.Depth, ply.Nodes, ply.Time = i, 1<<40, 1500*time.Microsecond
			ply.Illegal = i == 2 || i == 5
		}
		r.Plies = append(r.Plies, ply)
	}
	return r
}

// TestRecord: a record comes back from its text as it was.
func TestRecord(t *testing.T) {
	want := testRecord(3)
	text, err := json.Marshal(want)
	testkit.OK(t, err)
	var got Record
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(&got, want) {
		t.Errorf("%+v\n%+v, %v\n%s", got, want, err, text)
	}
	if o := outcomeOf(want); o.moves != [2]int{2, 2} || o.illegal != [2]int{1, 1} {
		t.Errorf("%v moves, %v in place of illegal ones", o.moves, o.illegal)
	}
	for _, bad := range []string{`"illegal":[4,3]`, `"illegal":[-1]`} {
		other := strings.Replace(string(text), `"illegal":[0,3]`, bad, 1)
		if err := json.Unmarshal([]byte(other), &got); other == string(text) || err == nil {
			t.Errorf("%s: no error", other)
		}
	}
}

func FuzzRecord(f *testing.F) {
	text, _ := json.Marshal(testRecord(1))
	f.Add(text)
	f.Fuzz(func(t *testing.T, data []byte) {
		var r, again Record
		if json.Unmarshal(data, &r) != nil {
			return
		}
		text, err := json.Marshal(&r)
		if err == nil {
			err = json.Unmarshal(text, &again)
		}
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%s: %+v becomes %+v, %v", data, r, again, err)
		}
	})
}

var testHeader = header{Facts: []output.Fact{{Name: "id", Value: "x"}}, Players: []string{"a", "b"}}

// writeJournal writes a journal and returns its bytes, and where its records end.
func writeJournal(t *testing.T, path string) (whole []byte, ends []int) {
	t.Helper()
	h := testHeader
	j, err := openJournal(path, false, &h, journalGamesCount, nil)
	testkit.OK(t, err)
	ends = append(ends, int(sizeOf(path)))
	for i := range journalGamesCount {
		testkit.OK(t, j.append(testRecord(i)))
		ends = append(ends, int(sizeOf(path)))
	}
	testkit.OK(t, j.Close())
	whole = testkit.Must(os.ReadFile(path))
	return whole, ends
}

// reopen takes the journal up and returns the games that it has, which must be as they were written.
func reopen(t *testing.T, path string) (numbers []int, warned int, err error) {
	t.Helper()
	h := testHeader
	j, err := openJournal(path, true, &h, journalGamesCount, func(error) { warned++ })
	if err != nil {
		return numbers, warned, err
	}
	for n, o := range j.outcomes {
		if o == nil {
			continue
		}
		if r, err := j.game(j.file, n); err != nil || !reflect.DeepEqual(r, testRecord(n)) {
			t.Fatalf("game %d: %+v, %v", n, r, err)
		}
		numbers = append(numbers, n)
	}
	return numbers, warned, j.Close()
}

// TestJournalTorn: a journal that is cut anywhere has all games that are whole, and more can be written behind them.
func TestJournalTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), JournalFile)
	whole, ends := writeJournal(t, path)
	for cut := 0; cut <= len(whole); cut += 7 {
		os.WriteFile(path, whole[:cut], 0o666)
		numbers, warned, err := reopen(t, path)
		n := 0
		for n < journalGamesCount && ends[n+1] <= cut {
			n++
		}
		if cut < ends[0] {
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			continue
		}
		if err != nil || len(numbers) != n || warned > 0 || sizeOf(path) != int64(ends[n]) {
			t.Fatalf("cut at %d: %v, %d warnings, %v", cut, numbers, warned, err)
		}
	}
}

// TestJournalFlipped: a flip anywhere costs the game that it is in, which is said; the others are there.
func TestJournalFlipped(t *testing.T) {
	path := filepath.Join(t.TempDir(), JournalFile)
	whole, ends := writeJournal(t, path)
	for at := 0; at < len(whole); at += 3 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		os.WriteFile(path, flipped, 0o666)
		numbers, warned, err := reopen(t, path)
		if at < ends[0] {
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d: %v", at, err)
			}
			continue
		}
		last := at >= ends[journalGamesCount-1] // may look like one that was cut short
		if err != nil || len(numbers) != journalGamesCount-1 || warned != 1 && !last {
			t.Fatalf("byte %d: %v, %d warnings, %v", at, numbers, warned, err)
		}
	}
}

// TestJournalTwice: a game that is there twice counts once.
func TestJournalTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), JournalFile)
	whole, ends := writeJournal(t, path)
	os.WriteFile(path, append(whole, whole[ends[0]:ends[2]]...), 0o666)
	if numbers, warned, err := reopen(t, path); err != nil || warned > 0 || len(numbers) != journalGamesCount {
		t.Errorf("%v, %d warnings, %v", numbers, warned, err)
	}
}
