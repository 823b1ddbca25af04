package fleet

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

// someQuestions are from the usual start and from a FEN.
func someQuestions(t testing.TB) []question {
	t.Helper()
	p := board.StartPosition()
	var moves []board.Move
	for _, s := range []string{"e2e4", "e7e5", "g1f3", "b8c6"} {
		m, err := p.ParseUCI(s)
		if err != nil {
			t.Fatal(err)
		}
		moves = append(moves, m)
		p.Play(m)
	}
	end, err := board.ParseFEN("8/8/1k6/8/2pP4/8/5K2/8 b - d3 0 1")
	if err != nil {
		t.Fatal(err)
	}
	a := stockfish.Job{Index: 3, Start: board.StartPosition(), Moves: moves}
	b := stockfish.Job{Index: 1 << 40, Start: end}
	return []question{newQuestion(&a, []int{0, 1, 4}), newQuestion(&a, []int{2}), newQuestion(&b, []int{0})}
}

var someOutcomes = []outcome{{labels: []dataset.Label{{Status: dataset.Labelled, Best: 5,
	Lines: []dataset.Searched{{Score: 3, Depth: 4, Nodes: 500, PV: []board.Move{5, 6}}}}}}, {failed: "it crashed"}, {}}

// Questions and answers survive the wire, and what is cut short or has something behind it does not.
func TestWire(t *testing.T) {
	want := someQuestions(t)
	asked, lines := appendAsked(nil, want), appendLines(nil, want)
	got, err := decodeQuestions(asked, lines)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range want {
		if got[i].hash != want[i].hash || got[i].start != want[i].start || got[i].index != want[i].index ||
			!reflect.DeepEqual(got[i].plies, want[i].plies) || len(got[i].moves) != len(want[i].moves) {
			t.Errorf("%+v becomes %+v", want[i], got[i])
		}
	}
	text := appendAnswer(nil, time.Second, 1, someOutcomes)
	spent, outcomes, err := decodeAnswer(text, 1, len(someOutcomes))
	if err != nil || spent != time.Second || !reflect.DeepEqual(outcomes, someOutcomes) {
		t.Errorf("%v %+v, %v", spent, outcomes, err)
	}
	if _, _, err := decodeAnswer(text, 2, len(someOutcomes)); err == nil {
		t.Error("another number of labels is taken")
	}
	for n := range len(text) {
		if _, _, err := decodeAnswer(text[:n], 1, len(someOutcomes)); err == nil {
			t.Errorf("an answer cut to %d bytes is taken", n)
		}
	}
	for n := range len(asked) {
		if _, err := decodeAsked(asked[:n]); err == nil {
			t.Errorf("questions cut to %d bytes are taken", n)
		}
	}
	for n := range len(lines) {
		if _, err := decodeQuestions(asked, lines[:n]); err == nil {
			t.Errorf("lines cut to %d bytes are taken", n)
		}
	}
	if _, err := decodeQuestions(asked, append(lines, 0)); err == nil {
		t.Error("more than the lines is taken")
	}
	lines[len(lines)-20] ^= 1
	if _, err := decodeQuestions(asked, lines); err == nil {
		t.Error("other moves than were asked for are taken")
	}
}

func FuzzQuestions(f *testing.F) {
	list := someQuestions(f)
	f.Add(appendAsked(nil, list), appendLines(nil, list))
	f.Fuzz(func(t *testing.T, asked, lines []byte) {
		list, err := decodeQuestions(asked, lines)
		if err != nil {
			return
		}
		again, err := decodeQuestions(appendAsked(nil, list), appendLines(nil, list))
		if err != nil || !reflect.DeepEqual(again, list) {
			t.Errorf("%+v becomes %+v, %v", list, again, err)
		}
	})
}

func FuzzAnswer(f *testing.F) {
	f.Add(appendAnswer(nil, time.Second, 1, someOutcomes), 1, 3)
	f.Fuzz(func(t *testing.T, b []byte, columns, positions int) {
		if columns < 0 || columns > 255 || positions < 0 {
			return
		}
		spent, list, err := decodeAnswer(b, columns, positions)
		if err != nil {
			return
		}
		spentAgain, again, err := decodeAnswer(appendAnswer(nil, spent, columns, list), columns, positions)
		if err != nil || spentAgain != spent || !reflect.DeepEqual(again, list) {
			t.Errorf("%+v becomes %+v, %v", list, again, err)
		}
	})
}

// What a coordinator and a worker say of their engines.
func FuzzTerms(f *testing.F) {
	c := stockfish.Config{Limit: stockfish.Depth(9), Hash: 16, Shallower: []int{3}, Scope: stockfish.LineScope}
	text, err := json.Marshal(termsOf(c, make([]dataset.Fingerprint, 2)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	known, err := openRoster(filepath.Join(f.TempDir(), rosterFile))
	if err != nil {
		f.Fatal(err)
	}
	p := newPool(Share{AllowBuilds: true})
	p.prints, p.fleet = make([]dataset.Fingerprint, 1), &coordinator{roster: known}
	p.canary = []byte("what the canaries give")
	f.Add([]byte(`{"fingerprints":[{"build":"0123456789abcdef"}],"labels":"AAAA"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = p.prove(b)
		var s stockfishSet
		if _, err := s.read(b); err != nil {
			return
		}
		if s.config.Limit.Check() != nil {
			t.Errorf("%q has no limit", b)
		}
	})
}

// What a decoder takes is what the encoder writes: decoded and encoded again it means the same.
func FuzzWire(f *testing.F) {
	t := ticket{1, 2, 3}
	f.Add((&job{heldJob{7, t}, []byte("asked"), []byte("payload")}).append(nil))
	f.Add(encodeJSON([]heldJob{{1, t}, {1 << 40, t}}))
	f.Add(encodeJSON(returnedJob{heldJob{3, t}, "why"}))
	f.Add([]byte(`{"protocol":1,"version":"v","name":"n","slots":3}`))
	f.Add(encodeJSON(welcome{time.Second, []byte("text")}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if j, err := decodeJob(b); err == nil {
			if again, err := decodeJob(j.append(nil)); err != nil || !reflect.DeepEqual(again, j) {
				t.Errorf("job %+v becomes %+v, %v", j, again, err)
			}
		}
		again(t, b, maxHeld, func(list []heldJob) error { return nil })
		again(t, b, maxHeld, func(returnedJob) error { return nil })
		again(t, b, maxHello, func(h hello) error { return h.check() })
		again(t, b, maxPayload, func(welcome) error { return nil })
		if c, text, err := decodeReply(b); err == nil && !bytes.Equal(reply(c, text), b) {
			t.Errorf("reply %x becomes %x", b, reply(c, text))
		}
		_, _, _, _ = parseSubject(string(b))
	})
}

// again checks that what is decoded, and passes check, means the same when it is encoded and decoded once more.
func again[T any](t *testing.T, b []byte, limit int, check func(T) error) {
	t.Helper()
	v, err := decodeJSON[T](b, limit)
	if err != nil || check(v) != nil {
		return
	}
	if w, err := decodeJSON[T](encodeJSON(v), 8*limit); err != nil || !reflect.DeepEqual(v, w) {
		t.Errorf("%+v becomes %+v, %v", v, w, err)
	}
}

func FuzzJoin(f *testing.F) {
	f.Add(Join{Address: "10.1.2.3:7777", Token: [tokenBytes]byte{1}, Pin: [32]byte{2}}.String())
	f.Add(Join{Address: "[::1]:7777"}.String())
	f.Add("talbot://host/token#pin")
	f.Fuzz(func(t *testing.T, text string) {
		j, err := ParseJoin(text)
		if err != nil {
			return
		}
		if again, err := ParseJoin(j.String()); err != nil || again != j {
			t.Errorf("%q is %+v and becomes %+v, %v", text, j, again, err)
		}
	})
}
