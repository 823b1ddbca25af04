package pgn

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// blackStart is a position of move 5 with Black to move.
const blackStart = "[FEN \"4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 5\"]\n\n"

// kings is a position in which the king and a rook reach the same square.
const kings = "[FEN \"k7/p7/8/8/8/8/5K2/7R w - - 0 1\"]\n\n"

// mate is a position in which a knight reaches the square where a rook mates.
const mate = "[FEN \"8/8/2K1Bb2/2N1k3/1p4R1/1B3n1P/3r1P2/8 w - - 0 1\"]\n\n"

// fork is a position in which a knight gives check on a square that a rook reaches, too, without one.
const fork = "[FEN \"4k3/8/8/8/4N3/8/8/5R1K w - - 0 1\"]\n\n"

// TestMoveConflicts has texts that contradict their moves: each is a reject of its own reason, or kept and told.
func TestMoveConflicts(t *testing.T) {
	const tags = "[Event \"x\"]\n\n"
	for name, c := range map[string]struct {
		text, token string
		err         error
		kept        string // the moves if such games are kept; empty: it is rejected all the same
	}{
		"a fragment":           {tags + "12. Nf3 Nf6", "12.", errNumber, "g1f3 g8f6"},
		"a fragment of Black":  {tags + "12... Nf6 13. Nf3", "12...", errNumber, ""},
		"a move is missing":    {tags + "1. e4 e5 2. Nf3 3. d4 exd4", "3.", errNumber, ""},
		"White's is missing":   {tags + "1. e4 e5 2. Nf3 Nc6 3... a6 4. Bb5 Nf6", "3...", errNumber, ""},
		"White's, with a sign": {tags + "1. Nf3 Nf6 2… Nc3", "2", errNumber, "g1f3 g8f6 b1c3"},
		"two are missing":      {tags + "1. e4 e5 3. Nf3 Nc6", "3.", errNumber, "e2e4 e7e5 g1f3 b8c6"},
		"no dots":              {tags + "1 e4 e5 3 Nf3 Nc6", "3", errNumber, "e2e4 e7e5 g1f3 b8c6"},
		"a number twice": {tags + "1. e4 e5 2. Nf3 Nc6 2. Bb5 a6", "2.", errNumber,
			"e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"},
		"an evaluation": {tags + "1. e4 e5 +0.35 2. Nf3", "0.", errNumber, "e2e4 e7e5 g1f3"},
		"a great number": {tags + "1. e4 e5 99999999999999999999. Nf3", "99999999999999999999.", errNumber,
			"e2e4 e7e5 g1f3"},
		"behind a tag":         {tags + "2. Nf3 Nc6 1-0", "2.", errNumber, "g1f3 b8c6"},
		"neither FEN's nor 1":  {blackStart + "4... e6 5. e3", "4...", errNumber, "e7e6 e2e3"},
		"FEN's, then from 1":   {blackStart + "5... e6 2. e3", "2.", errNumber, "e7e6 e2e3"},
		"from 1, then FEN's":   {blackStart + "1... e6 6. e3", "6.", errNumber, "e7e6 e2e3"},
		"a capture of nothing": {tags + "1. e4 e5 2. Nxf3 Nc6", "Nxf3", errCapture, "e2e4 e7e5 g1f3 b8c6"},
		"by a king":            {blackStart + "5... Kxd7", "Kxd7", errCapture, "e8d7"},
		"by one of two":        {tags + "1. Nf3 d6 2. Nbxd2 1-0", "", nil, ""},
		"by a rank":            {tags + "1. e4 e5 2. N1xf3 Nc6", "N1xf3", errCapture, "e2e4 e7e5 g1f3 b8c6"},
		"with a check mark":    {tags + "1. e4 f5 2. Qxh5+ g6", "Qxh5+", errCapture, "e2e4 f7f5 d1h5 g7g6"},
		"with a colon":         {tags + "1. e4 e5 2. N:f3 Nc6", "N:f3", errCapture, "e2e4 e7e5 g1f3 b8c6"},
		"with one behind":      {tags + "1. e4 e5 2. Nf3: Nc6", "Nf3:", errCapture, "e2e4 e7e5 g1f3 b8c6"},
		"with a sign":          {tags + "1. e4 e5 2. N×f3 Nc6", "N×f3", errCapture, "e2e4 e7e5 g1f3 b8c6"},
		"no letter":            {tags + "1. e4 e5 2. xf3 Nc6", "xf3", errCapture, "e2e4 e7e5 f2f3 b8c6"},
		"in long notation":     {tags + "1. e2xe4 e5", "e2xe4", errCapture, "e2e4 e7e5"},
		"a Dutch knight":       {tags + "1. Pf3 Pf6", "Pf3", errLetters, "f2f3 f7f6"},
		"with kings": {tags + "1. e3 e6 2. Ke2 Ke7 3. Pf3 {Q} Pf6", "Pf3", errLetters,
			"e2e3 e7e6 e1e2 e8e7 f2f3 f7f6"},
		"a check by a Finnish knight": {fork + "1. Rf6+ Kd8", "Rf6", errLetters, "f1f6 e8d8"},
		"star": {tags + "1. e4 e5 2. Nf3 Nc6 * 3. Bb5 a6", "3. Bb5 a6", errBetween,
			"e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"},
		"star inside a move": {tags + "1. e4 e5 2. Nf3 * Nc6 3. Bb5", "Nc6 3. Bb5", errBetween,
			"e2e4 e7e5 g1f3 b8c6 f1b5"},
		"star, comment": {tags + "1. e4 e5 2. Nf3 * {x} Nc6 3. Bb5 *", "Nc6 3. Bb5 *", errBetween,
			"e2e4 e7e5 g1f3 b8c6 f1b5"},
	} {
		if c.err == nil {
			if _, r := parseOne(t, c.text); r == nil || r.Reason != dataset.IllegalMove {
				t.Errorf("%s: %v", name, r)
			}
			continue
		}
		games := splitText(t, c.text)
		if len(games) != 1 {
			t.Errorf("%s: %d games", name, len(games))
			continue
		}
		if _, r := parseOne(t, c.text); r == nil || r.Reason != dataset.MoveConflict || r.Err != c.err ||
			r.Token != c.token {
			t.Errorf("%s: %v", name, r)
		}
		p := &Parser{KeepConflicts: true}
		line, r := p.Parse(Game{Number: 1, Text: []byte(c.text)})
		if (c.kept == "") != (r != nil) || r == nil && (moveList(line.Moves) != c.kept || !p.Conflict().Moves) {
			t.Errorf("%s: kept %s, %+v, %v", name, moveList(line.Moves), p.Conflict(), r)
		}
	}
}

// TestNoMoveConflicts has texts that do not contradict their moves, whatever else is odd about them.
func TestNoMoveConflicts(t *testing.T) {
	for name, c := range map[string]struct{ text, moves string }{
		"numbers of the FEN":       {blackStart + "5... e6 6. e3", "e7e6 e2e3"},
		"numbers from 1":           {blackStart + "1... e6 2. e3 Kd8 3. e4", "e7e6 e2e3 e8d8 e3e4"},
		"Black's with one dot":     {blackStart + "5. e6 6. e3", "e7e6 e2e3"},
		"the first one later":      {blackStart + "e6 2. e3", "e7e6 e2e3"},
		"dots apart":               {"1. e4 1. ... e5 2 . Nf3", "e2e4 e7e5 g1f3"},
		"no numbers":               {"[Event \"x\"]\n\ne4 e5 Nf3", "e2e4 e7e5 g1f3"},
		"some numbers":             {"1. e4 e5 Nf3 Nc6 3. Bb5", "e2e4 e7e5 g1f3 b8c6 f1b5"},
		"in a variation":           {"1. e4 e5 (7. d4 9... d5) 2. Nf3", "e2e4 e7e5 g1f3"},
		"in a comment":             {"1. e4 e5 {7. d4} 2. Nf3", "e2e4 e7e5 g1f3"},
		"behind the last move":     {"1. e4 e5 2. 1-0", "e2e4 e7e5"},
		"glued":                    {"1.e4 e5 2.Nf3 2...Nc6 3.Bb5", "e2e4 e7e5 g1f3 b8c6 f1b5"},
		"en passant":               {"1. e4 a6 2. e5 d5 3. exd6 cxd6", "e2e4 a7a6 e4e5 d7d5 e5d6 c7d6"},
		"captures without a mark":  {"1. e4 d5 2. ed Qd5", ""},
		"a pawn no knight reaches": {"1. Pe3 Pe6 2. Ke2 Ke7", "e2e3 e7e6 e1e2 e8e7"},
		"kings with K":             {"1. e4 e5 2. Ke2 Ke7 3. Ke1 Ke8 1/2-1/2", "e2e4 e7e5 e1e2 e8e7 e2e1 e7e8"},
		"mate with a rook":         {mate + "1. Re4#", "g4e4"},
		"UCI":                      {"e2e4 e7e5 g1e2 a7a6", "e2e4 e7e5 g1e2 a7a6"},
		"figurines":                {"1. e4 e5 2. ♘e2 ♞e7", "e2e4 e7e5 g1e2 g8e7"},
		"pawns with P":             {"1. Pe4 Pe5 2. Nf3 Pd6", "e2e4 e7e5 g1f3 d7d6"},
		"pawns with P, captures":   {"1. Pe4 Pd5 2. Pexd5 Qxd5", "e2e4 d7d5 e4d5 d8d5"},
		"a pawn's figurine":        {"1. ♙f3 ♟f6", "f2f3 f7f6"},
		"castling, then a star":    {"1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 *", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1"},
		"both lost": {"[Result \"0-0\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 0-0\n",
			"e2e4 e7e5 g1f3 g8f6 f1c4 f8c5"},
		"both lost, blanks": {"[Result \"0 - 0\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 0 – 0",
			"e2e4 e7e5 g1f3 g8f6 f1c4 f8c5"},
		"both lost, castled": {"[Result \"0-0\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 0-0 0-0\n",
			"e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8"},
		"castled": {"[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0",
			"e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1"},
		"a novelty, glued":  {"1. e4 e5N 2. Nf3N Nc6+N 3. Bb5", "e2e4 e7e5 g1f3 b8c6 f1b5"},
		"a novelty, apart":  {"1. e4 N e5 2. Nf3 N Nc6 TN 3. Bb5", "e2e4 e7e5 g1f3 b8c6 f1b5"},
		"en passant, check": {"1. e4 a6 2. e5 d5 3. exd6ep+ h6", "e2e4 a7a6 e4e5 d7d5 e5d6 h7h6"},
		"result, blanks":    {"1. e4 e5 1 - 0", "e2e4 e7e5"},
		"result of a loss":  {"1. e4 e5 0 - 1", "e2e4 e7e5"},
		"result, tabs":      {"1. e4 e5 1/2\t-\t1/2", "e2e4 e7e5"},
		"result, colon":     {"1. e4 e5 1 : 0", "e2e4 e7e5"},
		"result, no-break":  {"1. e4 e5 ½\u00a0–\u00a0½", "e2e4 e7e5"},
		"Latin-1 blanks":    {"1.\xa0e4\xa0e5 2.\xa0Nf3\xa0Nc6\xa01-0", "e2e4 e7e5 g1f3 b8c6"},
		"blanks before tags": {"\u00a0[Event\u00a0\"x\"]\n\u00a0[Round \"1\"]\n\u00a0\n\u00a01.\u00a0e4 e5\u00a01-0",
			"e2e4 e7e5"},
		"a diagram of a queen": {"1. e4 e5 D 2. Nf3", "e2e4 e7e5 g1f3"},
	} {
		games := splitText(t, c.text)
		if len(games) != 1 {
			t.Errorf("%s: %d games", name, len(games))
			continue
		}
		var p Parser
		line, r := p.Parse(games[0])
		if c.moves == "" {
			if r == nil || r.Reason == dataset.MoveConflict {
				t.Errorf("%s: %v", name, r)
			}
			continue
		}
		if r != nil || moveList(line.Moves) != c.moves || p.Conflict().Moves {
			t.Errorf("%s: %s, %v", name, moveList(line.Moves), r)
		}
	}
}

// TestLettersBehind: what stands behind a short game says whether moves that are legal in another language, too, are to
// be trusted; if nothing does they are English.
func TestLettersBehind(t *testing.T) {
	const game = "\n\n[Event \"y\"]\n\n1. e4 e5 2. "
	for name, c := range map[string]struct{ text, foreign string }{
		"a French king":     {kings + "1. Re1 a5", "Cf3"},
		"a Finnish knight":  {"1. h4 a5 2. Rh3", "Dxh5"},
		"a Romanian bishop": {"1. e4 e5 2. Ne2 *", "Cf3"},
		"a German tempo":    {"1. e4 e6 2. d4 d5 3. Nd2", "Sf3"}, // of another language than the one that fits
		"a Turkish rook":    {"[FEN \"4k3/8/8/8/8/8/8/4K2R w - - 0 1\"]\n\n1. Kf1", "Ff3"},
	} {
		for next, trusted := range map[string]bool{
			"": true, game + "Nf3": true, game + "Qh5": true, game + "Nf3 {" + c.foreign + "} Nc6": true,
			"\n\n[Site \"" + c.foreign + " \"]\n\n1. e4": true, game + "Nf3 ; " + c.foreign + "\nNc6": true,
			game + c.foreign: false, game + c.foreign + " Nc6": false, "\n\n1.e4 e5 2." + c.foreign + "\n": false,
			game + "Nf3 (2. " + c.foreign + ") Nc6": false, game + c.foreign + "+ Ke7": false,
			game + c.foreign + " Nc6 3. Qe2": true,
		} {
			line, r := new(Parser).Parse(Game{Number: 1, Text: []byte(c.text), Next: []byte(next)})
			if trusted && (r != nil || len(line.Moves) == 0) || !trusted && (r == nil || r.Err != errLetters) {
				t.Errorf("%s in front of %q: %s, %v", name, next, moveList(line.Moves), r)
			}
		}
	}
}

// TestBlanksInResults: the result counts, and the game behind it is another one.
func TestBlanksInResults(t *testing.T) {
	text := "[White \"a\"]\n\n1. e4 e5 2. Nf3 Nc6 1 - 0 1. d4 d5 0 : 1\n\n" +
		"1. c4 ½ – ½ 1. b4 1/2 - 1/2\n1. Nf3 * 1. Nc3 0 -1"
	var got []string
	for _, g := range splitText(t, text) {
		line, r := new(Parser).Parse(g)
		if r != nil {
			t.Fatal(r)
		}
		got = append(got, fmt.Sprint(moveList(line.Moves), " ", line.Result))
	}
	want := []string{"e2e4 e7e5 g1f3 b8c6 1-0", "d2d4 d7d5 0-1", "c2c4 1/2-1/2", "b2b4 1/2-1/2", "g1f3 *", "b1c3 0-1"}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	line, r := parseOne(t, "[Result \"0 - 1\"]\n\n1. e4")
	if r != nil || line.Result != dataset.BlackWins {
		t.Errorf("%v, %v", line.Result, r)
	}
}

// TestNumbersRandom numbers random games in the ways that programs do, which are read, and takes one move away, which
// is never read.
func TestNumbersRandom(t *testing.T) {
	conflicts := 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		pos := board.StartPosition()
		play := func() (san string) {
			moves := pos.LegalMoves(nil)
			if len(moves) == 0 {
				return ""
			}
			m := moves[rng.IntN(len(moves))]
			san = pos.SAN(m)
			pos.Play(m)
			return san
		}
		head := "[Event \"x\"]\n"
		shift := 0
		if rng.IntN(2) == 0 {
			for range rng.IntN(30) {
				play()
			}
			if head += fmt.Sprintf("[FEN %q]\n", pos.FEN()); rng.IntN(2) == 0 {
				shift = pos.FullmoveNumber() - 1
			}
		}
		var tokens []string // moves, and the numbers in front of them
		var places []int    // of moves with a number behind them
		form := rng.IntN(4)
		for i := range 20 + rng.IntN(40) {
			number, black := pos.FullmoveNumber()-shift, pos.Turn() == board.Black
			san := play()
			if san == "" {
				break
			}
			switch {
			case !black && form == 3:
				tokens = append(tokens, fmt.Sprint(number))
			case !black:
				tokens = append(tokens, fmt.Sprint(number, "."))
			case form == 1 || i == 0:
				tokens = append(tokens, fmt.Sprint(number, "..."))
			case form == 2:
				tokens = append(tokens, fmt.Sprint(number, ". ..."))
			}
			places = append(places, len(tokens))
			tokens = append(tokens, san)
		}
		if len(places) == 0 {
			continue
		}
		line, r := parseOne(t, head+"\n"+strings.Join(tokens, " "))
		if r != nil || len(line.Moves) != len(places) {
			t.Fatalf("seed %d: %d moves of %d, %v", seed, len(line.Moves), len(places), r)
		}
		if len(places) < 8 {
			continue
		}
		k := places[rng.IntN(len(places)-4)]
		text := head + "\n" + strings.Join(append(append([]string{}, tokens[:k]...), tokens[k+1:]...), " ")
		if line, r = parseOne(t, text); r == nil {
			t.Fatalf("seed %d: without %s at %d: %v is kept:\n%s", seed, tokens[k], k, line.Moves, text)
		}
		if r.Reason == dataset.MoveConflict {
			conflicts++
		}
	}
	t.Logf("%d of 2000 games with a move missing are rejected for their numbers", conflicts)
}
