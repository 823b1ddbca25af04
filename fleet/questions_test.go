package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/stockfish"
)

// someQuestions are from the usual start and from a FEN.
func someQuestions(t testing.TB) []question {
	t.Helper()
	p := board.StartPosition()
	var moves []board.Move
	for _, s := range []string{"e2e4", "e7e5", "g1f3", "b8c6"} {
		m := testkit.Value(p.ParseUCI(s))(t)
		moves = append(moves, m)
		p.Play(m)
	}
	end := testkit.Value(board.ParseFEN("8/8/1k6/8/2pP4/8/5K2/8 b - d3 0 1"))(t)
	return []question{
		newQuestion(&stockfish.Job{Index: 3, Start: board.StartPosition(), Moves: moves, Plies: []int{0, 1, 4}}),
		newQuestion(&stockfish.Job{Index: 3, Start: board.StartPosition(), Moves: moves, Plies: []int{2}}),
		newQuestion(&stockfish.Job{Index: 1 << 40, Start: end, Plies: []int{0}}),
	}
}

func someAnswer() answer {
	labels := []dataset.Label{{Status: dataset.Labelled, Best: 5,
		Lines: []dataset.Searched{{Score: 3, Depth: 4, Nodes: 500, PV: []board.Move{5, 6}}}}}
	return answer{time.Second, []outcome{{Labels: labelBytes(labels), labels: labels}, {Failed: "it crashed"}, {}}}
}

// Questions and answers survive the wire, and what is not of their form does not.
func TestWire(t *testing.T) {
	want := someQuestions(t)
	asked, lines := encodeJSON(want), linesOf(want)
	got, err := decodeQuestions(asked, encodeJSON(lines))
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range want {
		if got[i].Hash != want[i].Hash || got[i].start != want[i].start || got[i].Index != want[i].Index ||
			!reflect.DeepEqual(got[i].Plies, want[i].Plies) || len(got[i].moves) != len(want[i].moves) {
			t.Errorf("%+v becomes %+v", want[i], got[i])
		}
	}
	if got, err := decodeAnswer(encodeJSON(someAnswer()), 1, 3); err != nil || !reflect.DeepEqual(got, someAnswer()) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, change := range map[string]func(*answer){
		"a time before the question": func(a *answer) { a.Spent = -1 },
		"more than a day":            func(a *answer) { a.Spent = maxSpent + 1 },
		"an outcome more":            func(a *answer) { a.Outcomes = append(a.Outcomes, outcome{}) },
		"a label that is cut":        func(a *answer) { a.Outcomes[0].Labels = a.Outcomes[0].Labels[1:] },
		"two labels":                 func(a *answer) { a.Outcomes[0].Labels = append(a.Outcomes[0].Labels, 0) },
		"labels of a failure":        func(a *answer) { a.Outcomes[0].Failed = "why" },
		"a long reason":              func(a *answer) { a.Outcomes[1].Failed = strings.Repeat("x", maxReason+1) },
	} {
		a := someAnswer()
		change(&a)
		if _, err := decodeAnswer(encodeJSON(a), 1, 3); !errors.Is(err, errMessage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(list []question) []question{
		"none":             func([]question) []question { return nil },
		"no position":      func(list []question) []question { list[1].Plies = nil; return list },
		"one twice":        func(list []question) []question { list[0].Plies = []int{0, 1, 1, 4}; return list },
		"a negative ply":   func(list []question) []question { list[0].Plies[0] = -1; return list },
		"a negative index": func(list []question) []question { list[0].Index = -1; return list },
		"another hash":     func(list []question) []question { list[0].Hash[3]++; return list },
		"one without line": func(list []question) []question { return append(list, list[0]) },
		"beyond the line":  func(list []question) []question { list[0].Plies[2] = 5; return list },
	} {
		if _, err := decodeQuestions(encodeJSON(change(someQuestions(t))), encodeJSON(lines)); !errors.Is(err,
			errMessage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	lines[0].Moves[2] ^= 1
	if _, err := decodeQuestions(asked, encodeJSON(lines)); !errors.Is(err, errMessage) {
		t.Errorf("other moves than were asked for: %v", err)
	}
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
	t := digest{1, 2, 3}
	f.Add(encodeJSON(job{heldJob{7, t}, []byte("asked"), []byte("payload"), "why"}))
	f.Add(encodeJSON([]heldJob{{1, t}, {1 << 40, t}}))
	f.Add([]byte(`{"protocol":1,"version":"v","name":"n","slots":3}`))
	f.Add(encodeJSON(welcome{time.Second, []byte("text")}))
	f.Add([]byte{})
	list := someQuestions(f)
	f.Add(encodeJSON(list))
	f.Add(encodeJSON(linesOf(list)))
	f.Add(encodeJSON(someAnswer()))
	f.Fuzz(func(t *testing.T, b []byte) {
		again(t, b, maxPayload, func(job) error { return nil })
		if list, err := decodeAsked(b); err == nil {
			if again, err := decodeAsked(encodeJSON(list)); err != nil || !reflect.DeepEqual(again, list) {
				t.Errorf("%+v becomes %+v, %v", list, again, err)
			}
		}
		_, _ = decodeQuestions(encodeJSON(list), b)
		if a, err := decodeAnswer(b, 1, 3); err == nil {
			if again, err := decodeAnswer(encodeJSON(a), 1, 3); err != nil || !reflect.DeepEqual(again, a) {
				t.Errorf("%+v becomes %+v, %v", a, again, err)
			}
		}
		again(t, b, maxHeld, func(list []heldJob) error { return nil })
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
