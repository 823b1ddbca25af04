package pgn

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"talbot/board"
	"talbot/formats/rows"
)

// sequels are games with something between their moves that begins another game by the splitter's rules.
var sequels = map[string]struct {
	text string
	want []string // of each piece: its moves, or the error of its reject, or the reason if it is another one
}{
	"star, a line":      {"1. e4 e5 2. Nf3 *\nNc6\n3. Bb5 a6", []string{errBetween.Error(), "illegal_move"}},
	"star, no line":     {"1. e4 e5 2. Nf3 * Nc6\n3. Bb5 a6", []string{errBetween.Error(), "illegal_move"}},
	"star, blank line":  {"1. e4 e5 2. Nf3 *\n\nNc6\n3. Bb5 a6", []string{errBetween.Error(), "illegal_move"}},
	"star, no numbers":  {"e4 e5 Nf3 *\nNc6 Bb5 a6", []string{errBetween.Error(), "illegal_move"}},
	"star, one a line":  {"1.\ne4\ne5\n2.\nNf3 *\nNc6\n3.\nBb5", []string{errBetween.Error(), "illegal_move"}},
	"star, comment":     {"1. e4 e5 2. Nf3 *\nNc6 {x} 3. Bb5 a6", []string{errBetween.Error(), "illegal_move"}},
	"star, legal twice": {"1. e4 e5 *\nNf3 Nc6\n3. Bb5 a6", []string{errBetween.Error(), "move_conflict"}},
	"result, a line":    {"1. e4 e5 2. Nf3 1-0\nNc6\n3. Bb5 a6", []string{errAfterResult.Error(), "illegal_move"}},
	"tag, Black's":      {"1. e4 e5 2. Nf3 [White \"x\"] Nc6 3. Bb5", []string{errTagged.Error(), "illegal_move"}},
	"tag, a line": {"1. e4 e5 2. Nf3\n[White \"x\"]\nNc6 3. Bb5",
		[]string{errTagged.Error(), "illegal_move"}},
	"tag, Black's number": {"1. e4 e5 2. Nf3\n[White \"x\"]\n2... Nc6 3. Bb5",
		[]string{errTagged.Error(), "move_conflict"}},
	"tag, White's": {"1. e4 e5 2. Nf3 Nc6\n[White \"x\"]\n[Black \"y\"]\n\n3. Bb5 a6",
		[]string{errTagged.Error(), "move_conflict"}},
	"tags, twice": {"1. e4 e5 2. Nf3\n[White \"x\"]\nNc6 3. Bb5\n[White \"x\"]\na6 4. Ba4",
		[]string{errTagged.Error(), "illegal_move", "illegal_move"}},
	"another game": {"1. e4 e5 2. Nf3 Nc6\n[White \"x\"]\n\n1. Nc3 a6",
		[]string{"e2e4 e7e5 g1f3 b8c6", "b1c3 a7a6"}},
	"another game without numbers": {"1. e4 e5 2. Nf3 Nc6\n[White \"x\"]\n\nNc3 a6 Nd5",
		[]string{"e2e4 e7e5 g1f3 b8c6", "b1c3 a7a6 c3d5"}},
	"one with a FEN": {"1. e4 e5 2. Nf3 Nc6\n[FEN \"" + board.StartFEN + "\"]\n\nNc3 a6",
		[]string{"e2e4 e7e5 g1f3 b8c6", "b1c3 a7a6"}},
	"a fragment behind a result": {"1. e4 e5 2. Nf3 Nc6 1-0\n[White \"x\"]\n\n3. Bb5 a6",
		[]string{"e2e4 e7e5 g1f3 b8c6", "move_conflict"}},
	"a fragment of another game": {"1. e4 e5 2. Nf3 Nc6\n[White \"x\"]\n\n12. Bb5 a6",
		[]string{"e2e4 e7e5 g1f3 b8c6", "move_conflict"}},
	"games without tags": {"1. e4 e5 2. Nf3 *\nd4 d5\nc4 *\n", []string{"e2e4 e7e5 g1f3", "d2d4 d7d5 c2c4"}},
}

// TestSequels: a game whose moves go on behind what begins another one is rejected, and others are two.
func TestSequels(t *testing.T) {
	for name, c := range sequels {
		var got []string
		for _, g := range splitText(t, "[Event \"x\"]\n\n"+c.text) {
			line, r := new(Parser).Parse(g)
			switch {
			case r == nil:
				got = append(got, moveList(line.Moves))
			case r.Err == errBetween || r.Err == errAfterResult || r.Err == errTagged:
				got = append(got, r.Err.Error())
				if r.At < g.Offset+int64(len(g.Text)) || len(r.Token) == 0 {
					t.Errorf("%s: %v", name, r)
				}
				kept, r := (&Parser{KeepConflicts: true}).Parse(g)
				if (r == nil) != strings.Contains(got[0], "goes on") && (r == nil) != strings.Contains(got[0], "*") {
					t.Errorf("%s, kept: %s, %v", name, moveList(kept.Moves), r)
				}
			default:
				got = append(got, string(r.Reason))
			}
		}
		if strings.Join(got, ", ") != strings.Join(c.want, ", ") {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestSequelsRandom cuts random games in two by a star and a line end, or by a tag. Neither half is kept, but where the
// second one is a legal game without numbers.
func TestSequelsRandom(t *testing.T) {
	pairs := 0
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 6))
		pos, numbers := board.StartPosition(), rng.IntN(2) == 0
		plies := 6 + rng.IntN(40)
		cut, whole := 1+rng.IntN(plies-1), false
		var b strings.Builder
		b.WriteString("[Event \"x\"]\n\n")
		for ply := range plies {
			moves := pos.LegalMoves(nil)
			if len(moves) == 0 {
				whole = whole || ply <= cut
				break
			}
			if ply == cut {
				b.WriteString(pick(rng, "*\n", "[White \"x\"]\n", "\n[White \"x\"]\n", "\n[White \"x\"]\n\n"))
			}
			m := moves[rng.IntN(len(moves))]
			if numbers && ply%2 == 0 {
				fmt.Fprintf(&b, "%d. ", ply/2+1)
			}
			fmt.Fprint(&b, pos.SAN(m), pick(rng, " ", "\n"))
			pos.Play(m)
		}
		b.WriteString("1-0\n\n[Event \"y\"]\n\n1. e4 e5 1-0\n")
		games := splitChunks(t, b.String(), 1+rng.IntN(80))
		var p Parser
		kept := 0
		for _, g := range games {
			if _, r := p.Parse(g); r == nil || r.Err == errLetters {
				kept++
			}
		}
		switch {
		case whole || kept == 1: // of the game behind it
		case kept == 3 && len(games) == 3 && !numbers:
			pairs++
		default:
			t.Fatalf("seed %d: %d games of %d are kept:\n%s", seed, kept, len(games), b.String())
		}
	}
	t.Logf("%d of 1000 games are two legal ones without numbers", pairs)
}

// alphabets are the letters for pawn, knight, bishop, rook, queen and king in the table of the PGN standard, and in
// some other languages.
var alphabets = map[string]string{
	"Czech": "PJSVDK", "Danish": "BSLTDK", "Dutch": "OPLTDK", "Estonian": "PROVDK", "Finnish": "PRLTDK",
	"French": "PCFTDR", "German": "BSLTDK", "Hungarian": "GHFBVK", "Icelandic": "PRBHDK", "Italian": "PCATDR",
	"Polish": "PSGWHK", "Portuguese": "PCBTDR", "Romanian": "PCNTDR", "Spanish": "PCATDR", "Swedish": "BSLTDK",
	"Croatian": "PSLTDK", "Lithuanian": "PZRBVK", "Turkish": "PAFKVS", "Luxembourgish": "BPLTDK",
}

// TestLanguages writes random games, most of them short, in the letters of other languages, with letters for pawns or
// without, in front of another game in the same letters: none is read as another game. Those that are kept are those
// whose letters mean the same in English.
func TestLanguages(t *testing.T) {
	caught, kept := map[string]int{}, 0
	var p Parser
	for name, letters := range alphabets {
		for seed := range uint64(1000) {
			rng := rand.New(rand.NewPCG(seed, 7))
			pawns := rng.IntN(4) == 0
			head, words, played := shortGame(rng)
			for i := range words {
				words[i] = foreign(words[i], letters, pawns)
			}
			next := foreign("\n\n[Event \"y\"]\n\n1. e4 Nf6 2. Bd3 e5 3. Qe2 Rg8 1-0\n", letters, false)
			line, r := p.Parse(Game{Number: 1, Text: []byte(head + strings.Join(words, " ")), Next: []byte(next)})
			switch {
			case r != nil && r.Err == errLetters:
				caught[name]++
			case r == nil && moveList(line.Moves) != moveList(played):
				t.Errorf("%s: %s is read as %s", name, head+strings.Join(words, " "), moveList(line.Moves))
			case r == nil:
				kept++
			}
		}
	}
	if t.Logf("caught by legal moves in another language: %v; %d with moves of the same letters", caught, kept); len(
		caught) < 8 || kept == 0 {
		t.Fail()
	}
}

// shortGame returns the beginning of a text up to its moves, and one to twelve random moves, in SAN too.
func shortGame(rng *rand.Rand) (head string, words []string, played []board.Move) {
	pos := board.StartPosition()
	head = "[Event \"x\"]\n"
	if rng.IntN(2) == 0 { // a few pieces
		for range 100 + rng.IntN(300) {
			moves := pos.LegalMoves(nil)
			if len(moves) == 0 || rng.IntN(100) == 0 {
				break
			}
			pos.Play(moves[rng.IntN(len(moves))])
		}
		head += fmt.Sprintf("[FEN %q]\n", pos.FEN())
	}
	for range 1 + rng.IntN(1+rng.IntN(12)) {
		moves := pos.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		m := moves[rng.IntN(len(moves))]
		words, played = append(words, pos.SAN(m)), append(played, m)
		pos.Play(m)
	}
	return head + "\n", words, played
}

// TestShortEnglish: no game in English letters is left out for them, whatever other language they fit: random ones,
// with check marks or without, and the beginnings of real ones, alone and in front of another.
func TestShortEnglish(t *testing.T) {
	var p Parser
	games := 0
	check := func(text, next string, played []board.Move) {
		games++
		line, r := p.Parse(Game{Number: 1, Text: []byte(text), Next: []byte(next)})
		if r != nil || moveList(line.Moves) != moveList(played) {
			t.Errorf("%s in front of %q: %s, %v", text, next, moveList(line.Moves), r)
		}
	}
	const next = "\n\n[Event \"y\"]\n[Site \"De4 Sf3\"]\n\n1. e4 {Sf3 Cf3} Nf6 (1... Nc6) 2. Nf3 ; Df3\nNg8 *\n"
	for seed := range uint64(20000) {
		rng := rand.New(rand.NewPCG(seed, 8))
		head, words, played := shortGame(rng)
		if len(words) == 0 {
			continue
		}
		text := strings.Join(words, " ")
		if rng.IntN(2) == 0 {
			text = strings.NewReplacer("+", "", "#", "").Replace(text)
		}
		check(head+text, pick(rng, "", next), played)
	}
	if _, err := os.Stat(sharedData); err != nil {
		t.Skipf("SKIPPED: real games, as the shared test data are not here: %v", err)
	}
	for _, file := range []string{"rated/openings20.pgn.zst", "rated/mixed.pgn.zst"} {
		in, err := rows.Open(sharedData + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewSplitter(in).Next()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range b.Games {
			line, r := new(Parser).Parse(g)
			if r != nil {
				continue
			}
			text := fmt.Sprintf("[FEN %q]\n\n", line.Start.FEN())
			for n, m := range line.Moves[:min(len(line.Moves), 12)] {
				text += line.Start.SAN(m) + " "
				line.Start.Play(m)
				check(text, "", line.Moves[:n+1])
			}
		}
		in.Close()
	}
	t.Logf("%d games", games)
}

// foreign writes a move with other letters.
func foreign(san, letters string, pawns bool) string {
	if strings.HasPrefix(san, "O") {
		return san
	}
	out := strings.Map(func(c rune) rune {
		if i := strings.IndexRune("PNBRQK", c); i >= 0 {
			return rune(letters[i])
		}
		return c
	}, san)
	if pawns && san[0] >= 'a' {
		out = letters[:1] + out
	}
	return out
}

// TestNextPieces: what goes with a game is the same whatever the reads are.
func TestNextPieces(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "[Event \"%d\"]\n\n1. e4 %s e5 1-0\n\n", i, strings.Repeat("{comment} ", 10*(i%13)))
	}
	text := b.String()
	for _, chunk := range []int{97, 5000, 1 << 20} {
		games := splitChunks(t, text, chunk)
		if len(games) != 400 {
			t.Fatal(len(games))
		}
		for i, g := range games {
			end := int(g.Offset) + len(g.Text)
			if want := text[end:min(end+nextSize, len(text))]; string(g.Next) != want {
				t.Fatalf("reads of %d, game %d: %d bytes follow, want %d", chunk, i, len(g.Next), len(want))
			}
		}
	}
}
