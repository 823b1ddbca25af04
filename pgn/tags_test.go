package pgn

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"talbot/dataset"
)

func TestTags(t *testing.T) {
	for name, c := range map[string]struct{ tags, want string }{
		"plain":        {`[Event "a"] [Site "b"]`, "[{Event a} {Site b}]"},
		"one line":     {`[Event "a"][Site "b"][White "c"]`, "[{Event a} {Site b} {White c}]"},
		"blanks":       {"[ Event \t \"a\" ] \t[Site\"b\"]", "[{Event a} {Site b}]"},
		"order":        {"[White \"w\"]\n[Event \"e\"]", "[{Event e} {White w}]"},
		"first counts": {"[Site \"a\"]\n[Site \"b\"]", "[{Site a}]"},
		"unknown values": {`[Event "?"] [Date "????.??.??"] [Round "-"] [Site ""] [White " "] [TimeControl "-"]`,
			"[]"},
		"part of a date":    {`[Date "1958.??.??"]`, "[{Date 1958.??.??}]"},
		"escaped quotes":    {`[Event "the \"big\" one \\"]`, `[{Event the "big" one \}]`},
		"unescaped quotes":  {`[Event "the "big" one"]`, `[{Event the "big" one}]`},
		"backslash at end":  {`[Site "C:\games\"]`, `[{Site C:\games\}]`},
		"brackets":          {`[Event "a [b] ]c["]`, "[{Event a [b] ]c[}]"},
		"tag in a value":    {`[Event "[Site x]"]`, "[{Event [Site x]}]"},
		"not closed":        {"[Event \"a\n[Site \"b\"]", "[{Event a} {Site b}]"},
		"bracket missing":   {"[Event \"a\"\n[Site \"b\"]", "[{Event a} {Site b}]"},
		"quote missing":     {"[Event \"a]\n[Site \"b\"]", "[{Event a} {Site b}]"},
		"broken tag":        {"[Event \"a\"]\n[Site]\n[White \"b\"]", "[{Event a} {White b}]"},
		"UTF-8":             {`[White "Réti – ♔"]`, "[{White Réti – ♔}]"},
		"Latin-1":           {"[White \"R\xe9ti\"]", "[{White Réti}]"},
		"Windows-1252":      {"[White \"\x8aahovi\xe6 \x96\"]", "[{White Šahoviæ –}]"},
		"control character": {"[White \"a\x01b\x00\"]", "[{White a b}]"},
		"comment between":   {"[Event \"a\"]\n{x}\n;y\n%z\n[Site \"b\"]", "[{Event a} {Site b}]"},
		"others are left":   {`[Annotator "x"] [PlyCount "1"] [ECO "C67/05"]`, "[{ECO C67/05}]"},
		"mark":              {"\ufeff[Event \"a\"]\n\ufeff[Site \"b\"]", "[{Event a} {Site b}]"},
	} {
		t.Run(name, func(t *testing.T) {
			line, r := parseOne(t, c.tags+"\n\n1. e4 *\n")
			if r != nil {
				t.Fatal(r)
			}
			if got := fmt.Sprint(line.Tags); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestLongTag(t *testing.T) {
	line, r := parseOne(t, `[Event "x`+strings.Repeat("é", 2000)+`"]`+"\n\n1. e4")
	if r != nil {
		t.Fatal(r)
	}
	if v := line.Tags[0].Value; len(v) != maxValue-1 || !utf8.ValidString(v) {
		t.Errorf("%d bytes, valid %v; want %d, cut between characters", len(v), utf8.ValidString(v), maxValue-1)
	}
}

func TestRatings(t *testing.T) {
	for value, want := range map[string]int{
		"2851": 2851, "": 0, "?": 0, "-": 0, " 2700 ": 2700, "2600?": 2600, "1500 (prov)": 1500, "x": 0, "-5": 0,
		"99999": 0, "99999999999999999999": 0, "3917": 3917,
	} {
		line, r := parseOne(t, "[WhiteElo \""+value+"\"]\n[BlackElo \"2000\"]\n\n1. e4")
		if r != nil {
			t.Fatal(r)
		}
		if line.WhiteElo != want || line.BlackElo != 2000 {
			t.Errorf("%q gives %d and %d, want %d and 2000", value, line.WhiteElo, line.BlackElo, want)
		}
	}
}

func TestVariantNames(t *testing.T) {
	for name, want := range map[string]dataset.Reason{
		"": "", "?": "", "Standard": "", "normal": "", "chess": "", "From Position": "",
		"Chess960": dataset.Chess960, "Chess 960": dataset.Chess960, "fischerandom": dataset.Chess960,
		"FRC":        dataset.Chess960,
		"Crazyhouse": dataset.Variant, "Antichess": dataset.Variant, "Three-check": dataset.Variant,
		"Horde":            dataset.Variant,
		"King of the Hill": dataset.Variant, "\xff": dataset.Variant,
	} {
		if got := variantOf([]byte(name)); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// TestMisplacedRights: the rights of a king that has left its square are dropped in a game of standard chess.
func TestMisplacedRights(t *testing.T) {
	fen := "[FEN \"1r4k1/8/8/8/8/8/8/R3K3 w Qq - 0 1\"]\n\n1. O-O-O *\n"
	line, r := parseOne(t, "[Variant \"Standard\"]\n"+fen)
	if r != nil {
		t.Fatal(r)
	}
	if got := line.Start.FEN(); got != "1r4k1/8/8/8/8/8/8/R3K3 w Q - 0 1" {
		t.Errorf("start is %s", got)
	}
	if _, r := parseOne(t, fen); r == nil || r.Reason != dataset.Chess960 {
		t.Errorf("without a Variant tag: %v", r)
	}
}
