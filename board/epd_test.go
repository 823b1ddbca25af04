package board

import (
	"strings"
	"testing"
)

// fenOf cuts an EPD line into the six fields of a FEN (or four, where no
// counters follow) and the rest.
func fenOf(line string) (fen, rest string) {
	fen, rest, _ = strings.Cut(line, ";")
	if fields := strings.Fields(fen); len(fields) > 6 {
		fen, rest = strings.Join(fields[:6], " "), strings.Join(fields[6:], " ")+";"+rest
	}
	return fen, rest
}

// TestDestruction reads lines that were written to break readers. The author's
// remark says whether a line should be accepted ("OK", "not a problem",
// "overridable") or culled ("cull", "garbage", "bad EPD"). Where ParseFEN
// differs, the test says why.
func TestDestruction(t *testing.T) {
	const (
		glued    = `expected 0 to 65535` // "w - -0 1": the dash runs into the counter, fields shift
		noRights = "need king and rook"  // rights are not overridden: an error shows more
	)
	differs := map[int]string{
		// "should be overridable"; here a castling right needs king and rook.
		8:  noRights,
		11: noRights,
	}
	for _, n := range []int{91, 92, 94, 95, 97, 99, 100, 101, 102, 103, 104} {
		differs[n] = glued // "epd should be OK", but for the glued dash
	}
	accepted := 0
	for i, line := range sharedLines(t, "epd/destruction-test.epd") {
		number := i + 1
		fen, remark := fenOf(line)
		p, err := ParseFEN(fen)
		if err == nil {
			accepted++
			if again := mustParse(t, p.FEN()); again != p {
				t.Errorf("line %d: %s comes back as %s", number, p.FEN(), again.FEN())
			}
		}
		want := strings.Contains(remark, "OK") || strings.Contains(remark, "not a problem") ||
			strings.Contains(remark, "overridable")
		if strings.Contains(remark, "cull") || number == 17 {
			// "leave it ok, else cull": 17 and more pieces and more promotions than
			// pawns are gone are culled. Line 17 is "WIP": Black is in check.
			want = false
		}
		switch reason, ok := differs[number]; {
		case ok && (err == nil || !strings.Contains(err.Error(), reason)):
			t.Errorf("line %d: error %v, want one with %q", number, err, reason)
		case !ok && (err == nil) != want:
			t.Errorf("line %d: error %v, but the remark says %q", number, err, remark)
		}
		if strings.Contains(remark, "bad EPD") && !strings.Contains(err.Error(),
			"black is in check, but white is to move") {
			t.Errorf("line %d: %v", number, err)
		}
	}
	if accepted != 14 {
		t.Errorf("%d positions accepted, want 14", accepted)
	}
}

// TestGriefCausers reads positions that once troubled engines.
func TestGriefCausers(t *testing.T) {
	for i, want := range []string{
		"",
		"",
		"black is in check, but white is to move",
		"black is in check, but white is to move",
		"",
		"", // rights written "Kk"
		"",
		`en passant square "-2"`, // the dash runs into the counter
		"",
		"white has 24 pieces",
		"white has 33 pieces",
		"white has 35 pieces",
	} {
		fen, _ := fenOf(sharedLines(t, "epd/grief-causers.epd")[i])
		p, err := ParseFEN(fen)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("line %d: error %v, want %q", i+1, err, want)
		}
		if err == nil && Perft(&p, 2) == 0 {
			t.Errorf("line %d: no moves", i+1)
		}
	}
}

// TestSuites reads every position of suites that consist of sound positions,
// and finds the moves that they name.
func TestSuites(t *testing.T) {
	for _, test := range []struct {
		name             string
		positions, moves int
	}{
		{"epd/bratko-kopec.epd", 24, 26},
		{"epd/silent-but-deadly.epd", 134, 137},
		{"epd/sts-v6-odd-lines.epd", 594, 594},
		{"epd/endgame-wdl-dtz.epd", 200, 0},
	} {
		positions, moves := 0, 0
		for i, line := range sharedLines(t, test.name) {
			fields := strings.Fields(line)
			p, err := ParseFEN(strings.Join(fields[:4], " "))
			if err != nil {
				t.Errorf("%s line %d: %v", test.name, i+1, err)
				continue
			}
			positions++
			for operation := range strings.SplitSeq(strings.Join(fields[4:], " "), ";") {
				san, ok := strings.CutPrefix(strings.TrimSpace(operation), "bm ")
				if !ok {
					continue
				}
				for word := range strings.FieldsSeq(san) {
					if word == "+" {
						continue
					}
					if m, err := p.ParseSAN([]byte(word)); err != nil || !p.IsLegal(m) {
						t.Errorf("%s line %d: %v", test.name, i+1, err)
					}
					moves++
				}
			}
		}
		if positions != test.positions || moves != test.moves {
			t.Errorf("%s: %d positions and %d moves, want %d and %d", test.name, positions, moves, test.positions,
				test.moves)
		}
	}
}
