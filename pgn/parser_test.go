package pgn

import (
	"fmt"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// parseOne parses text as the only game of an input.
func parseOne(t *testing.T, text string) (dataset.Line, *dataset.Reject) {
	t.Helper()
	games := splitText(t, text)
	if len(games) != 1 {
		t.Fatalf("%d games, want 1: %+v", len(games), games)
	}
	return new(Parser).Parse(games[0])
}

func moveList(moves []board.Move) string { return strings.Trim(fmt.Sprint(moves), "[]") }

func TestMovetext(t *testing.T) {
	const tags = "[Event \"x\"]\n\n"
	for name, c := range map[string]struct{ text, moves string }{
		"plain":                  {"1. e4 e5 2. Nf3 Nc6 *", "e2e4 e7e5 g1f3 b8c6"},
		"no blank after number":  {"1.e4 e5 2.Nf3 Nc6", "e2e4 e7e5 g1f3 b8c6"},
		"Black's number":         {"1. e4 1... e5 2. Nf3 2...Nc6", "e2e4 e7e5 g1f3 b8c6"},
		"ellipsis character":     {"1. e4 1… e5", "e2e4 e7e5"},
		"number without dot":     {"1 e4 e5 2 Nf3 Nc6", "e2e4 e7e5 g1f3 b8c6"},
		"number before the wrap": {"1. e4 e5 2.\nNf3\n Nc6", "e2e4 e7e5 g1f3 b8c6"},
		"no numbers":             {"e4 e5 Nf3 Nc6", "e2e4 e7e5 g1f3 b8c6"},
		"numbers glued":          {"1.e4e5 2.Nf3", ""},
		"coordinates":            {"e2e4 e7e5 g1f3", "e2e4 e7e5 g1f3"},
		"blanks":                 {"1.\te4\x00\v\fe5\x1a", "e2e4 e7e5"},
		"line ends":              {"1. e4\r1... e5\r\n2. Nf3\n\r\n", "e2e4 e7e5 g1f3"},
		"mark inside":            {"1. e4 \ufeffe5", "e2e4 e7e5"},
		"result glued":           {"1. e4 e5 2. Nf31-0", "e2e4 e7e5 g1f3"},
		"draw glued":             {"1. e4 e51/2-1/2", "e2e4 e7e5"},
		"star glued":             {"1. e4 e5*", "e2e4 e7e5"},
		"result glued to number": {"1. e4 e5 2.1-0", "e2e4 e7e5"},
		"half":                   {"1. e4 e5 ½-½ {2. Nf3}", "e2e4 e7e5"},
		"half in Latin-1":        {"1. e4 e5 \xbd-\xbd", "e2e4 e7e5"},
		"behind the result":      {"1. e4 e5 1-0 White resigned in 1995. $1 (2. Nf3)", "e2e4 e7e5"},
		"glyphs": {"1. e4! e5?? 2. Nf3!? ?! Nc6 $14 $1$2 3. Bb5+- a6±",
			"e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"},
		"glyphs apart":        {"1. e4 +/= e5 = 2. Nf3 ± -/+ ∞ += +- -+ ⩲ # Nc6", "e2e4 e7e5 g1f3 b8c6"},
		"glyphs in Latin-1":   {"1. e4 \xb1 e5\xb1", "e2e4 e7e5"},
		"draw offer":          {"1. e4 (=) e5= 2. Nf3(=)", "e2e4 e7e5 g1f3"},
		"brace comment":       {"{a} 1. e4{b}e5 {over\nlines; ( {} 2. Nf3", "e2e4 e7e5 g1f3"},
		"semicolon comment":   {"1. e4 ; { no ( matter\ne5;x\n2. Nf3", "e2e4 e7e5 g1f3"},
		"escape line":         {"1. e4\n% 1... c5 {\ne5", "e2e4 e7e5"},
		"stray braces":        {"1. e4 } e5 ) 2. Nf3", "e2e4 e7e5 g1f3"},
		"variation":           {"1. e4 (1. d4 d5 (1... Nf6 {)} ;)\n 2. c4) 2. c4) 1... e5", "e2e4 e7e5"},
		"escape in variation": {"1. e4 (1. d4\n% )\nd5) e5", "e2e4 e7e5"},
		"deep variations": {"1. e4 " + strings.Repeat("(1. d4 ", 100_000) + strings.Repeat(")", 100_000) + " e5",
			"e2e4 e7e5"},
		"en passant":       {"1. e4 a6 2. e5 d5 3. exd6 e.p. h6", "e2e4 a7a6 e4e5 d7d5 e5d6 h7h6"},
		"en passant glued": {"1. e4 a6 2. e5 d5 3. exd6e.p. h6", "e2e4 a7a6 e4e5 d7d5 e5d6 h7h6"},
		"en passant short": {"1. e4 a6 2. e5 d5 3. exd6ep h6", "e2e4 a7a6 e4e5 d7d5 e5d6 h7h6"},
		"words":            {"1. e4 f6 2. d4 N 2... g5 D 3. Qh5 mate", "e2e4 f7f6 d2d4 g7g5 d1h5"},
		"novelty":          {"1. e4 e5 N {new ($14} $2 (1... c5) ± 2. Nf3 D Nc6 N", "e2e4 e7e5 g1f3 b8c6"},
		"figurines": {"1. e4 e5 2. ♘f3 ♞c6 3. ♗b5 ♟a6 4. ♗×c6 ♙d7×c6 5. ♖\ufe0eg1 ♛d2†",
			"e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 h1g1 d8d2"},
		"dashes": {"1. e2–e4 e7−e5 2. Ng1—f3 d7\x96d5 3. Be2 Nf6 4. O–O – Be7 5. a3 0–0 6. h3",
			"e2e4 e7e5 g1f3 d7d5 f1e2 g8f6 e1g1 f8e7 a2a3 e8g8 h2h3"},
		"colons":         {"1. e4 d5 2. ed5: Q:d5 3. Nc3 Qg2: 4. Bg2:", "e2e4 d7d5 e4d5 d8d5 b1c3 d5g2 f1g2"},
		"times":          {"1. e4 d5 2. e×d5 Q\xd7d5", "e2e4 d7d5 e4d5 d8d5"},
		"check in words": {"1. e4 d5 2. Bb5ch c6 3. Ke2 Qd6 4. Bc6:ch Nc6:", "e2e4 d7d5 f1b5 c7c6 e1e2 d8d6 b5c6 b8c6"},
		"mate in words":  {"1. f3 e5 2. g4 Qh4mate", "f2f3 e7e5 g2g4 d8h4"},
		"double check": {"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Nxe5dis ch Qe7",
			"e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 f3e5 d8e7"},
		"no-break spaces":   {"1.\u00a0e4 e5 2.\u202fNf3\u00a0Nc6", "e2e4 e7e5 g1f3 b8c6"},
		"result with dash":  {"1. e4 e5 1–0", "e2e4 e7e5"},
		"result with colon": {"1. e4 e5 0:1", "e2e4 e7e5"},
		"half, dash":        {"1. e4 e5 ½–½", "e2e4 e7e5"},
		"half in decimals":  {"1. e4 e5 0.5-0.5", "e2e4 e7e5"},
		"number zero":       {"0. e4 0... e5", "e2e4 e7e5"},
		"castling with zeros": {"1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0 0-0",
			"e2e4 e7e5 g1f3 g8f6 f1e2 f8e7 e1g1 e8g8"},
		"castling and result": {"1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O O-O1/2-1/2",
			"e2e4 e7e5 g1f3 g8f6 f1e2 f8e7 e1g1 e8g8"},
		"castling long": {"1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O 0-0-0",
			"d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7 e1c1 e8c8"},
	} {
		t.Run(name, func(t *testing.T) {
			line, reject := parseOne(t, tags+c.text)
			if c.moves == "" {
				if reject == nil {
					t.Fatalf("kept: %v", line.Moves)
				}
				return
			}
			if reject != nil {
				t.Fatal(reject)
			}
			if got := moveList(line.Moves); got != c.moves {
				t.Errorf("got  %s\nwant %s", got, c.moves)
			}
		})
	}
}

func TestPromotion(t *testing.T) {
	for _, san := range []string{"e8=Q", "e8Q", "e8(Q)", "e8/Q", "e8=Q+", "e8=Q!", "e7e8q", "e8=Q1-0", "e8=(Q)",
		"e8=(Q)+"} {
		line, reject := parseOne(t, "[FEN \"8/k3P3/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. "+san+" *")
		if reject != nil {
			t.Errorf("%s: %v", san, reject)
		} else if got := moveList(line.Moves); got != "e7e8q" {
			t.Errorf("%s gives %s", san, got)
		}
	}
}

func TestRejects(t *testing.T) {
	const tags = "[Event \"x\"]\n\n"
	for name, c := range map[string]struct {
		text  string
		want  dataset.Reason
		token string
		ply   int
	}{
		"illegal":             {tags + "1. e4 e5 2. Nd4 *", dataset.IllegalMove, "Nd4", 2},
		"illegal castling":    {tags + "1. O-O", dataset.IllegalMove, "O-O", 0},
		"ambiguous":           {tags + "1. d4 d5 2. Nf3 a6 3. Nd2", dataset.IllegalMove, "Nd2", 4},
		"after mate":          {tags + "1. f3 e5 2. g4 Qh4 3. a3", dataset.IllegalMove, "a3", 4},
		"behind a result":     {tags + "1. e4 1-0 2. Nf3", dataset.BadSyntax, "2. Nf3", 1},
		"a digit for a piece": {tags + "1. e4 e5 2. Nf3 7c6 3. Bb5 *", dataset.BadSyntax, "7c6", 3},
		"a digit, White":      {tags + "1. e4 e5 2. 1f3 d6 *", dataset.BadSyntax, "1f3", 2},
		"a comma for a piece": {tags + "1. e4 e5 2. Nf3 ,c6 *", dataset.BadSyntax, ",c6", 3},
		"a dot for a piece":   {tags + "1. e4 e5 2. Nf3 .c6 *", dataset.BadSyntax, ".c6", 3},
		"star in a move":      {tags + "1. e4 e5 2. *f3 d6 *", dataset.BadSyntax, "*f", 2},
		"N, star":             {tags + "1. e4 e5 2. N*f3 d6 *", dataset.BadSyntax, "N", 2},
		"N and a result":      {tags + "1. e4 e5 2. Nf3 N 1-0", dataset.BadSyntax, "N", 3},
		"N behind a number":   {tags + "1. e4 e5 2. N", dataset.BadSyntax, "N", 2},
		"number 1 again":      {tags + "1. e4 e5 1. d4 d5", dataset.BadSyntax, "1.", 2},
		"open tag": {"[White \"w 1. e4 1-0 [Black \"b\"]\n\n1. d4", dataset.BadSyntax,
			"[White \"w 1. e4 1-0 [Black \"b\"]", 0},
		"moves in a comment":   {tags + "1. e4 {x e5 2. Nf3 {y} Nc6", dataset.BadSyntax, "{x e5 2. Nf3 {y}", 1},
		"null move":            {tags + "1. e4 -- 2. d4", dataset.NullMove, "--", 1},
		"null move Z0":         {tags + "1. e4 Z0 2. d4", dataset.NullMove, "Z0", 1},
		"null move 0000":       {tags + "e2e4 0000", dataset.NullMove, "0000", 1},
		"no moves":             {tags + "*", dataset.NoMoves, "", 0},
		"no movetext":          {tags, dataset.NoMoves, "", 0},
		"only a comment":       {tags + "{ no game }", dataset.NoMoves, "", 0},
		"prose":                {tags + "Game not found", dataset.BadSyntax, "Game", 0},
		"punctuation":          {tags + "1. e4 \"best\" e5", dataset.BadSyntax, `"`, 1},
		"open comment":         {tags + "1. e4 { e5 2. Nf3", dataset.BadSyntax, "{ e5 2. Nf3", 1},
		"open comment, tags":   {tags + "{ 1. e4", dataset.BadSyntax, "{ 1. e4", 0},
		"open variation":       {tags + "1. e4 (1. d4 d5", dataset.BadSyntax, "(1. d4 d5", 1},
		"comment in variation": {tags + "1. e4 (1. d4 {d5)", dataset.BadSyntax, "{d5)", 1},
		"score":                {tags + "1. e4 3-2", dataset.BadSyntax, "3-", 1},
		"piece letters":        {tags + "1. e4 e5 2. Sf3", dataset.IllegalMove, "Sf3", 2},
		"blank in a move":      {tags + "1. e4 e5 2. N f3", dataset.BadSyntax, "N", 2},
		"zero byte in a move":  {tags + "1. e4 e5 2. N\x00f3", dataset.BadSyntax, "N", 2},
		"zero byte for piece":  {tags + "1. e4 e5 2. \x00f3", dataset.BadSyntax, "\x00f3", 2},
		"comment in a move":    {tags + "1. e4 e5 2. N {x} f3", dataset.BadSyntax, "N", 2},
		"rank apart":           {tags + "1. e4 e5 2. N 1f3", dataset.BadSyntax, "N", 2},
		"capture apart":        {tags + "1. e4 d5 2. N xd5", dataset.BadSyntax, "N", 2},
		"figurine font":        {tags + "1. e4 e5 2. ¤f3", dataset.BadSyntax, "¤", 2},
		"question mark":        {tags + "1. e4 e5 2. ?f3", dataset.BadSyntax, "?f3", 2},
		"question mark, rank":  {tags + "1. e4 e5 2. ?1f3", dataset.BadSyntax, "?1f3", 2},
		"only move":            {tags + "1. e4 e5 2. □f3", dataset.BadSyntax, "□f3", 2},
		"no-break space":       {tags + "1. e4 e5 2. N\u00a0f3", dataset.BadSyntax, "N", 2},
		"Cyrillic":             {tags + "1. e4 e5 2. Кf3", dataset.BadSyntax, "К", 2},
		"CP1251":               {tags + "1. e4 e5 2. \xcaf3", dataset.BadSyntax, "\xca", 2},
		"castling torn": {tags + "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O- O", dataset.IllegalMove,
			"O-O-", 8},
		"zeros torn": {tags + "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. 0.-0-0", dataset.BadSyntax, "0",
			8},
		"result torn":          {tags + "1. e4 e5 0 -\n1", dataset.BadSyntax, "0", 2},
		"nested comment":       {tags + "1. e4 {a {b} Nf6} e5", dataset.BadSyntax, "}", 2},
		"nested comment, word": {tags + "1. e4 {a {b} good} e5", dataset.BadSyntax, "good", 1},
		"SetUp alone":          {"[SetUp \"1\"]\n\n1. e4", dataset.BadFEN, "1", 0},
		"SetUp, empty FEN":     {"[FEN \"\"]\n[SetUp \"1\"]\n\n1. e4", dataset.BadFEN, "1", 0},
		"SetUp, unknown FEN":   {"[FEN \"?\"]\n[SetUp \"1\"]\n\n1. e4", dataset.BadFEN, "1", 0},
		"two FENs": {"[FEN \"8/8/8/8/8/k7/8/K6R w - - 0 1\"]\n[FEN \"8/8/8/8/8/k7/8/K5R1 w - - 0 1\"]\n\n1. Rg4",
			dataset.BadFEN, "8/8/8/8/8/k7/8/K5R1 w - - 0 1", 0},
		"Setup alone": {"[Setup \"1\"]\n\n1. e4", dataset.BadFEN, "1", 0},
		"FEN in small letters": {"[SetUp \"1\"]\n[Fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4", dataset.BadFEN,
			"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 0},
		"FEN without quotes": {"[Event \"x\"]\n[FEN 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1]\n\n1. e4", dataset.BadFEN,
			"[FEN 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1]", 0},
		"passed square of nobody": {"[FEN \"4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1\"]\n\n1. exd6", dataset.BadFEN,
			"4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1", 0},
		"bad FEN": {"[FEN \"8/8/8 w - - 0 1\"]\n\n1. e4", dataset.BadFEN, "8/8/8 w - - 0 1", 0},
		"FEN without king": {"[FEN \"8/8/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. Kb1", dataset.BadFEN,
			"8/8/8/8/8/8/8/K7 w - - 0 1", 0},
		"Antichess":      {"[Variant \"Antichess\"]\n\n1. e4", dataset.Variant, "Antichess", 0},
		"drop":           {tags + "1. e4 e5 2. N@f3", dataset.Variant, "N@f3", 2},
		"pawn drop":      {tags + "1. e4 e5 2. @f3", dataset.Variant, "@f3", 2},
		"Chess960":       {"[Variant \"Chess960\"]\n\n1. e4", dataset.Chess960, "Chess960", 0},
		"fischerandom":   {"[Variant \"fischerandom\"]\n\n1. e4", dataset.Chess960, "fischerandom", 0},
		"Fischer Random": {"[Variant \"Fischer Random\"]\n\n1. e4", dataset.Chess960, "Fischer Random", 0},
		"rights of other files": {"[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\"]\n\n1. e4",
			dataset.Chess960, "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1", 0},
		"rights of X-FEN": {"[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1\"]\n\n1. e4",
			dataset.Chess960, "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1", 0},
	} {
		t.Run(name, func(t *testing.T) {
			before := "[Event \"good\"]\n\n1. e4 *\n\n"
			games := splitText(t, before+c.text)
			if len(games) != 2 {
				t.Fatalf("%d games, want 2", len(games))
			}
			line, r := new(Parser).Parse(games[1])
			if r == nil {
				t.Fatalf("kept: %v", line.Moves)
			}
			if r.Reason != c.want || r.Token != c.token || r.Ply != c.ply {
				t.Errorf("got %s %q after %d plies, want %s %q after %d", r.Reason, r.Token, r.Ply, c.want, c.token,
					c.ply)
			}
			if r.Number != 2 || r.Offset != int64(len(before)) {
				t.Errorf("game %d at %d, want 2 at %d", r.Number, r.Offset, len(before))
			}
			if whole := before + c.text; !strings.HasPrefix(whole[r.At:], c.token) {
				t.Errorf("byte %d is not where %q stands", r.At, c.token)
			}
			if text := r.Error(); !strings.Contains(text, string(c.want)) ||
				!strings.Contains(text, "number 2 at byte 25") {
				t.Errorf("the error does not say what and where: %s", text)
			}
		})
	}
}

func TestRejectTooLong(t *testing.T) {
	_, r := new(Parser).Parse(Game{Number: 3, Offset: 70, TooLong: true})
	if r == nil || r.Reason != dataset.TooLong || r.Number != 3 || r.Offset != 70 {
		t.Errorf("got %v", r)
	}
	shuffle := strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", MaxPlies/4)
	if line, r := parseOne(t, shuffle); r != nil || len(line.Moves) != MaxPlies {
		t.Errorf("%d plies are refused: %v", MaxPlies, r)
	}
	if _, r := parseOne(t, shuffle+"Nf3"); r == nil || r.Reason != dataset.TooLong {
		t.Errorf("more than %d plies: %v", MaxPlies, r)
	}
}

// TestParserReuse parses games after a rejected one with the same parser, and keeps earlier lines intact.
func TestParserReuse(t *testing.T) {
	text := "[White \"a\"]\n[WhiteElo \"2000\"]\n\n1. e4 e5 1-0\n\n[White \"b\"]\n\n1. d4 d5 2. xx\n\n[Black " +
		"\"c\"]\n\n1. c4 *\n"
	p := new(Parser)
	var lines []dataset.Line
	for _, g := range splitText(t, text) {
		if line, r := p.Parse(g); r == nil {
			lines = append(lines, line)
		}
	}
	want := "[{White a}] e2e4 e7e5 1-0 2000 | [{Black c}] c2c4 * 0"
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprint(l.Tags, " ", moveList(l.Moves), " ", l.Result, " ", l.WhiteElo))
	}
	if s := strings.Join(got, " | "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestParseAllocations(t *testing.T) {
	games := splitText(t,
		"[Event \"x\"]\n[White \"w\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 {hm} 4. Ba4 Nf6 (4... d6) 1-0\n")
	p := new(Parser)
	n := testing.AllocsPerRun(100, func() {
		if _, r := p.Parse(games[0]); r != nil {
			t.Fatal(r)
		}
	})
	if n > 3 {
		t.Errorf("%v allocations a game, want at most 3: moves, tags, their text", n)
	}
}
