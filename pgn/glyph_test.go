package pgn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"talbot/board"
)

// inserts are single characters that tools, fonts and code pages leave in movetext: every byte that is no ASCII letter
// or digit, and characters of Unicode. Left out are what ends or hides the text behind it by the rules of PGN (a
// result, a comment or an escape to the end of the line, a brace that finds a partner), and letters, which make other
// moves.
var inserts = func() (all []string) {
	for c := range 256 {
		if c >= 0x80 || c == 0 || c == 0x1a || strings.IndexByte(" \t!\"#$&'()+,-./:<=>?@[\\]^_`{|}~", byte(c)) >= 0 {
			all = append(all, string([]byte{byte(c)}))
		}
	}
	for _, r := range annotations + "♔♕♖♗♘♙♚♛♜♝♞♟" + "…¤×÷°´`’“„‘•·§¶€™\ufffd\ue000\ue041\uf0a7\ufe0e\ufe0f" +
		"КФЛСНПрафлскеасхоѕΒΡΠΑΙΚΔaéüłŞ王後馬兵ｎＮｆ³④🐴😀\U0001fa00\u00a0\u00ad\u2009\u200b\u200d\u200e\u202f\u3000\ufeff" {
		if r >= 0x80 {
			all = append(all, string(r))
		}
	}
	return all
}()

// separators stand between a move and what is before it, so that one in the place of a piece letter is no damage that
// could be seen.
const separators = " \t.,…\u00a0\u00ad\u2009\u200b\u200d\u200e\u202f\u3000\ufeff"

// randomGame plays random legal moves and returns the words that move writes of them.
func randomGame(r *rand.Rand, plies int, write func(p *board.Position, m board.Move) string) (words []string,
	moves []board.Move) {
	p := board.StartPosition()
	for len(moves) < plies {
		legal := p.LegalMoves(nil)
		if len(legal) == 0 {
			break
		}
		m := legal[r.IntN(len(legal))]
		if r.IntN(3) == 0 { // castling and captures are rare otherwise
			for _, other := range legal {
				if s := p.SAN(other); s[0] == 'O' || strings.Contains(s, "x") {
					m = other
				}
			}
		}
		words, moves = append(words, write(&p, m)), append(moves, m)
		p.Play(m)
	}
	return words, moves
}

// spellings are the ways of writing moves that the tests go through.
var spellings = map[string]func(p *board.Position, m board.Move) string{
	"SAN": func(p *board.Position, m board.Move) string { return p.SAN(m) },
	"zeros": func(p *board.Position, m board.Move) string {
		return strings.ReplaceAll(p.SAN(m), "O", "0")
	},
	"figurines": func(p *board.Position, m board.Move) string {
		return strings.NewReplacer("K", "♔", "Q", "♕", "R", "♖", "B", "♗", "N", "♘").Replace(p.SAN(m))
	},
	"coordinates": func(p *board.Position, m board.Move) string { return m.String() },
	"long": func(p *board.Position, m board.Move) string {
		san, from := p.SAN(m), m.From().String()
		if san[0] == 'O' {
			return san
		}
		letter, promotion := "", ""
		if san[0] <= 'Z' {
			letter = san[:1]
		}
		if i := strings.IndexByte(san, '='); i >= 0 {
			promotion = san[i : i+2]
		}
		return letter + from + "-" + m.To().String() + promotion
	},
}

// layouts join the words of a game.
var layouts = map[string]func(ply int) string{
	"numbers":       func(ply int) string { return [...]string{fmt.Sprintf(" %d. ", ply/2+1), " "}[ply%2] },
	"glued numbers": func(ply int) string { return [...]string{fmt.Sprintf("\n%d.", ply/2+1), " "}[ply%2] },
	"no dots":       func(ply int) string { return [...]string{fmt.Sprintf(" %d ", ply/2+1), "\n"}[ply%2] },
	"bare":          func(int) string { return " " },
}

// TestNoOtherMoves damages one place of generated games with every byte and many characters: before, inside and behind
// a move, and in the place of its piece letter. What comes out are the moves that went in, or a reject, never others.
func TestNoOtherMoves(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 2))
	kept, rejected := 0, 0
	for spelling, write := range spellings {
		for layout, join := range layouts {
			for range 2 {
				words, moves := randomGame(r, 60, write)
				check := func(ply int, damaged, how string) {
					t.Helper()
					var text strings.Builder
					for i, w := range words {
						if i == ply {
							w = damaged
						}
						text.WriteString(join(i) + w)
					}
					line, reject := new(Parser).Parse(Game{Number: 1, Text: []byte(text.String() + " *")})
					switch {
					case reject != nil:
						rejected++
					case !slices.Equal(line.Moves, moves):
						t.Fatalf("%s, %s: %s makes %q of %q:\n%s\ngives %v\nnot   %v", spelling, layout, how, damaged,
							words[ply], text.String(), line.Moves, moves)
					default:
						kept++
					}
				}
				check(0, words[0], "nothing")
				if kept == 0 {
					t.Fatal("undamaged games are rejected")
				}
				for _, insert := range inserts {
					ply := r.IntN(len(words))
					word := words[ply]
					if first, size := utf8.DecodeRuneInString(word); (first <= 'Z' || first >= '♔') &&
						!strings.Contains(separators, insert) && !isChessman(insert) {
						check(ply, insert+word[size:], "replacing")
					}
					for at := 0; at <= len(word); at++ {
						if at < len(word) && !utf8.RuneStart(word[at]) || isChessman(insert) && at == 0 {
							continue
						}
						check(ply, word[:at]+insert+word[at:], "inserting")
						run := insert + inserts[r.IntN(len(inserts))]
						if !isChessman(run[len(insert):]) {
							check(ply, word[:at]+run+word[at:], "inserting")
						}
					}
				}
			}
		}
	}
	if kept < rejected/100 {
		t.Errorf("%d damaged games are kept, %d rejected: glyphs are not skipped", kept, rejected)
	}
	t.Logf("%d games kept, %d rejected", kept, rejected)
}

func isChessman(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= '♔' && r <= '♟'
}
