package match

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/fault"
	"talbot/pgn"
)

// Openings are different ones: no two lead to the same position.
type Openings struct {
	List []Opening
	// LeftOut counts what was read and is not in List: openings that lead to a position that an earlier one leads to,
	// games that end within the opening, and what could not be read.
	Copies, Ended, Unreadable int
	// FirstUnreadable says where the first one is that could not be read, and why.
	FirstUnreadable *dataset.Reject

	seen map[string]bool // positions that they lead to, as EPD
}

// add takes an opening that is new and not over.
func (o *Openings) add(start board.Position, moves []board.Move) {
	g := board.NewGame(start)
	for i := 0; ; i++ {
		if _, over := Over(g); over {
			o.Ended++
			return
		}
		if i == len(moves) {
			break
		}
		g.Push(moves[i])
	}
	key := g.Position().EPD()
	if o.seen[key] {
		o.Copies++
		return
	}
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[key] = true
	o.List = append(o.List, Opening{Start: start, Moves: slices.Clone(moves)})
}

// refuse counts what could not be read.
func (o *Openings) refuse(why *dataset.Reject) {
	if o.Unreadable++; o.Unreadable == 1 {
		o.FirstUnreadable = why
	}
}

// LeftOut says what was read and is not in List, or nothing.
func (o *Openings) LeftOut() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{o.Copies, "lead where an earlier one leads"}, {o.Ended, "end the game"}, {o.Unreadable, "cannot be read"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	text := strings.Join(parts, ", ")
	if o.FirstUnreadable != nil {
		text += fmt.Sprintf(" (the first: %v)", o.FirstUnreadable)
	}
	return text
}

// maxOpenings bounds the memory of a list.
const maxOpenings = 5_000_000

const otherOpenings = "give a file of games in PGN or of positions in EPD or FEN"

var errTooManyOpenings = fmt.Errorf("more than %d openings", maxOpenings)

// ReadOpenings reads openings from a file of games or of positions (EPD or FEN), packed or not, or takes those of an
// ECO code ([ecoCode]). Of a game it takes the first plies moves, or all of them where plies is 0. Rows and games that
// cannot be read are counted and left out.
func ReadOpenings(path string, plies int) (*Openings, error) {
	if ecoCode.MatchString(path) {
		return openingsOf(path)
	}
	in, err := rows.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head, err := in.Head()
	if err != nil {
		return nil, err
	}
	var o Openings
	switch {
	case rows.LooksLikeEPD(head):
		err = o.readPositions(in)
	case pgn.LooksLikeGames(head):
		err = o.readGames(in, plies)
	default:
		err = fault.Hint(errors.New("neither games in PGN nor positions in EPD or FEN"), otherOpenings)
	}
	if err == nil && len(o.List) == 0 {
		err = errors.New("no opening that can be used")
		if why := o.LeftOut(); why != "" {
			err = fmt.Errorf("%w: %s", err, why)
		}
		err = fault.Hint(err, otherOpenings)
	}
	if err != nil {
		return nil, fmt.Errorf("openings %q: %w", path, err)
	}
	return &o, nil
}

func (o *Openings) readPositions(in io.Reader) error {
	r := rows.NewPositionReader(in)
	for {
		line, _, err := r.Next()
		var reject *dataset.Reject
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &reject):
			o.refuse(reject)
		case err != nil:
			return err
		default:
			o.add(line.Start, nil)
		}
		if len(o.List) > maxOpenings {
			return errTooManyOpenings
		}
	}
}

func (o *Openings) readGames(in io.Reader, plies int) error {
	s, p := pgn.NewSplitter(in), new(pgn.Parser)
	for {
		batch, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for _, g := range batch.Games {
			line, reject := p.Parse(g)
			if reject != nil {
				o.refuse(reject)
				continue
			}
			moves := line.Moves
			if plies > 0 {
				moves = moves[:min(plies, len(moves))]
			}
			o.add(line.Start, moves)
		}
		batch.Release()
		if len(o.List) > maxOpenings {
			return errTooManyOpenings
		}
	}
}

// Shuffle brings the openings into an order that the seed decides.
func (o *Openings) Shuffle(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, openingStream))
	rng.Shuffle(len(o.List), func(i, k int) { o.List[i], o.List[k] = o.List[k], o.List[i] })
}

// openingStream sets the numbers that shuffle openings apart from those of the games.
const openingStream = 0x6f70656e

// hash writes what the openings are, in order.
func (o *Openings) hash(w io.Writer) {
	var b []byte
	for _, opening := range o.List {
		b = opening.Start.AppendFEN(b[:0])
		for _, m := range opening.Moves {
			b = m.AppendUCI(append(b, ' '))
		}
		w.Write(append(b, '\n')) // a hash does not fail
	}
}

// book has a line of text for each opening, its moves from the start position in UCI form, packed with zstd. The first
// move of each side is any legal one; each other was drawn from the eight best by 3,000 nodes of Stockfish that are at
// most 60 centipawns below the best. Kept were lines to different positions without a check that 20,000 nodes score at
// most 50 centipawns either way. The program that made them: git show 14583662:scripts/makeopenings/main.go.
//
//go:embed openings.txt.zst
var book []byte

// Book returns the openings that talbot has with it: lines of eight plies from the start position, drawn by talbot from
// good moves and balanced by Stockfish (see docs/log.md).
func Book() (*Openings, error) {
	text, err := unpacked("the openings of talbot", book)
	if err != nil {
		return nil, err
	}
	var o Openings
	for line := range strings.Lines(text) {
		p := board.StartPosition()
		moves, err := p.PlayUCI(strings.Fields(line)...)
		if err != nil {
			return nil, fmt.Errorf("the openings of talbot: %w", err)
		}
		o.add(board.StartPosition(), moves)
	}
	return &o, nil
}

// unpacked returns the text of lines that are packed with zstd.
func unpacked(name string, packed []byte) (string, error) {
	in, err := rows.NewInput(name, bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	return string(text), err
}

// eco has a line for each opening that has a name: its code in the Encyclopaedia of Chess Openings, a tab, and its
// moves. They are the columns eco and pgn of https://github.com/lichess-org/chess-openings (CC0, commit 51b88624),
// packed with zstd.
//
//go:embed eco.txt.zst
var eco []byte

// ecoCode matches a code, such as B90, or the beginning of several, such as B9. A file that is named so is given as
// ./B90.
var ecoCode = regexp.MustCompile(`^[A-E][0-9]{0,2}$`)

// openingsOf returns the openings whose codes begin so.
func openingsOf(code string) (*Openings, error) {
	text, err := unpacked("the openings of the ECO", eco)
	if err != nil {
		return nil, err
	}
	var o Openings
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, code) {
			continue
		}
		p := board.StartPosition()
		var moves []board.Move
		for _, word := range strings.Fields(line)[1:] {
			if strings.HasSuffix(word, ".") { // the number of a move
				continue
			}
			m, err := p.ParseSAN([]byte(word))
			if err != nil {
				return nil, fmt.Errorf("the openings of the ECO: %w", err)
			}
			p.Play(m)
			moves = append(moves, m)
		}
		o.add(board.StartPosition(), moves)
	}
	return &Openings{List: o.List}, nil // some are the same by another order of moves, or end in a mate
}
