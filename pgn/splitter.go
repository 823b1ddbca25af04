package pgn

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"talbot/dataset"
)

const (
	// MaxGame is the longest text of one game, in bytes; a longer one is returned without its text.
	MaxGame = 16 << 20

	batchSize = 256 << 10 // a batch is handed out once its games reach this size
	readSize  = 256 << 10 // asked from the reader at a time
	nextSize  = 4 << 10   // of the text after a game that goes with it
	maxLine   = 1 << 20   // a longer line is read in pieces of at most this size
	eagerSize = 64 << 10  // once a game has this much movetext, it is searched for the start of the next one
)

// Game is the raw text of one game: its tag block and movetext, from its first tag (or move) up to the next game.
type Game struct {
	Number  int64  // 1-based, counting every game of the input, good or bad
	Offset  int64  // of the first byte, in the decompressed input
	Text    []byte // owned by the batch; nil if TooLong
	TooLong bool   // longer than MaxGame
	Next    []byte // what stands after the text, up to 4 KiB; owned by the batch

	// Lost, if not nil, stands in place of games that a reader could not read.
	Lost *dataset.Reject
}

// Batch is a run of consecutive games, about 256 KiB of text or one longer game.
type Batch struct {
	Games []Game

	buf  []byte
	pool *sync.Pool // of *memory
}

// memory is what a batch gives back.
type memory struct {
	buf   []byte
	games []Game
}

// Release gives the memory of the batch back to the splitter; the texts of its games must not be used afterwards.
// It may be called from any goroutine, at most once, and may be left out.
func (b *Batch) Release() {
	if b.pool == nil || cap(b.buf) > 4*batchSize {
		return
	}
	clear(b.Games)
	b.pool.Put(&memory{buf: b.buf, games: b.Games[:0]})
	b.buf, b.Games, b.pool = nil, nil, nil
}

// state is the part of a game in which the splitter is.
type state uint8

const (
	outside state = iota // before the first game
	inTags               // in a tag block
	inMoves              // in movetext
)

// span is a found game: buf[start:end], or only its place if tooLong.
type span struct {
	start, end int
	offset     int64
	tooLong    bool
}

// Splitter cuts a stream of PGN text into games. It reads line by line and resolves nothing but what the borders
// of games need; its result does not depend on how the reader cuts the stream into reads.
//
// A new game starts
//   - at a tag once the game has movetext, with or without a blank line or a result between, on a line of its own or
//     not;
//   - at an Event tag, or a tag whose name the block has already, after a blank line in a tag block (so a single
//     blank line inside a tag block does no harm), and at a second Event tag without a blank line;
//   - at a tag line after a blank line inside a brace comment: the comment is taken as not closed;
//   - after a result (and comments, variations, marks) at a first move: one without a number, or with White's number
//     1, on the same line or a later one. Any other move number after a result starts no game, and [Parser.Parse]
//     refuses both pieces as one. Words that are no moves belong to the game that ended, unless moves without White's
//     number 1 follow on the same line; these are then a game with words in it, which is refused;
//   - at White's number 1 (“1.”) at the start of a line, after a blank line;
//   - in a game without tags, or whose tags follow one, at White's number 1 once it has two moves, and, if it has no
//     move numbers, at a move after a blank line. Moves without numbers and results on consecutive lines are one
//     movetext, wrapped.
//
// A brace comment that is not closed, or closed only after the opening brace of another one, ends where a game that
// ends in it is followed by another one by these rules; so does a variation that is not closed, and a semicolon
// comment on a line with several games, which would hide those after it. That is looked for within 64 KiB. Lines may
// be of any length, with any number of games on them.
//
// Text before the first game that is only comments and “%” lines is skipped and is no game.
//
// A Splitter starts no goroutine and is not safe for concurrent use. Its memory is bounded by
// six times MaxGame; without overlong games it needs about three batches.
type Splitter struct {
	r       io.Reader
	maxGame int
	maxLine int
	chunk   int
	pool    sync.Pool

	buf    []byte // buf[:n] has been read
	n      int
	base   int64 // offset of buf[0] in the stream
	pos    int   // start of the next line
	lf, cr int   // next line feed and carriage return at or after pos; n if none
	idle   int   // empty reads in a row
	eof    bool
	err    error // the reader's error, io.EOF included

	state  state
	start  int     // of the present game in buf; of what is left of it if it is too long
	offset int64   // of the present game in the stream
	tags   bool    // the present game has a tag
	event  bool    // the present game has an Event tag
	free   bool    // the present game started after moves without tags: its tags may be a stray one among such games
	blank  bool    // the line before was blank
	broken bool    // the line at pos goes on after the end that line found
	moves  scanner // of the present game's movetext

	spans   []span
	pending int // bytes in spans
	number  int64
}

// NewSplitter returns a splitter of the PGN text in r, which is read in large chunks.
func NewSplitter(r io.Reader) *Splitter {
	return &Splitter{r: r, maxGame: MaxGame, maxLine: maxLine, chunk: readSize}
}

// Next returns the next batch, never empty, or io.EOF after the last one. When the reader fails, the games
// that were read whole come first; the error then names the byte offset in the decompressed stream, and the
// game that was cut is not handed out.
func (s *Splitter) Next() (*Batch, error) {
	for {
		s.scan()
		if s.eof && s.err == io.EOF {
			s.finish()
		} else {
			s.trim()
		}
		// Games that wait keep what is after them in memory, however long that gets.
		if s.eof || s.pending >= batchSize || len(s.spans) > 0 && s.n-s.spans[0].start > 4*batchSize {
			if ready := s.ready(); ready > 0 {
				return s.emit(ready), nil
			}
		}
		if s.eof {
			if s.err != io.EOF {
				return nil, fmt.Errorf("reading games at byte %d: %w", s.base+int64(s.n), s.err)
			}
			return nil, io.EOF
		}
		s.fill()
	}
}

// finish ends the last game.
func (s *Splitter) finish() {
	if s.state != outside {
		s.endGame(s.n)
	}
	s.state, s.pos, s.start = outside, s.n, s.n
}

// ready returns how many of the found games have enough text after them.
func (s *Splitter) ready() int {
	n := len(s.spans)
	for n > 0 && !s.eof && s.spans[n-1].end+nextSize > s.n {
		n--
	}
	return n
}

// emit turns the first found games into a batch that owns the buffer, and carries the rest over into a new one.
func (s *Splitter) emit(ready int) *Batch {
	old, _ := s.pool.Get().(*memory)
	if old == nil {
		old = &memory{}
	}
	b := &Batch{Games: slices.Grow(old.games, ready), buf: s.buf, pool: &s.pool}
	for _, sp := range s.spans[:ready] {
		s.number++
		g := Game{Number: s.number, Offset: sp.offset, TooLong: sp.tooLong}
		if !sp.tooLong {
			to := min(sp.end+nextSize, s.n)
			g.Text, g.Next = s.buf[sp.start:sp.end:sp.end], s.buf[sp.end:to:to]
		}
		b.Games = append(b.Games, g)
		s.pending -= sp.end - sp.start
	}
	s.spans = append(s.spans[:0], s.spans[ready:]...)
	keep := s.keepAll()
	next := old.buf[:cap(old.buf)]
	if size := s.n - keep + s.chunk; len(next) < size {
		next = make([]byte, max(size, 3*batchSize))
	}
	copy(next, s.buf[keep:s.n])
	s.buf = next
	s.rebase(keep)
	return b
}

// keepFrom returns the index of the first byte that is still needed.
func (s *Splitter) keepFrom() int {
	if s.state == outside {
		return s.pos
	}
	return min(s.start, s.pos)
}

// keepAll is keepFrom, and keeps the games that wait.
func (s *Splitter) keepAll() int {
	if len(s.spans) > 0 {
		return min(s.keepFrom(), s.spans[0].start)
	}
	return s.keepFrom()
}

// rebase moves every index by what was dropped from the front of the buffer.
func (s *Splitter) rebase(dropped int) {
	for i := range s.spans {
		s.spans[i].start -= dropped
		s.spans[i].end -= dropped
	}
	s.n -= dropped
	s.pos -= dropped
	s.lf -= dropped
	s.cr -= dropped
	s.start -= dropped
	s.moves.rebase(dropped)
	s.base += int64(dropped)
}

// trim looks for the next game in a long movetext, and drops what is not needed any more of a game that is too long.
func (s *Splitter) trim() {
	if s.state == inMoves && s.pos-s.start > eagerSize {
		s.advance(s.pos)
	}
	if s.state != outside && s.tooLong(s.pos) {
		s.start = s.pos
		if s.state == inMoves {
			s.start = s.moves.keepFrom()
		}
	}
}

// tooLong reports whether the present game is too long if it reaches to the index end.
func (s *Splitter) tooLong(end int) bool {
	return s.base+int64(end)-s.offset > int64(s.maxGame)
}

// fill reads once, making room first.
func (s *Splitter) fill() {
	if len(s.buf)-s.n < s.chunk {
		keep := s.keepAll()
		old := s.buf
		if s.n-keep+s.chunk > len(s.buf)/2 {
			s.buf = make([]byte, max(2*len(s.buf), s.chunk, 3*batchSize))
		}
		copy(s.buf, old[keep:s.n])
		s.rebase(keep)
	}
	n, err := s.r.Read(s.buf[s.n : s.n+s.chunk])
	if s.idle++; n > 0 || err != nil {
		s.idle = 0
	} else if s.idle == 100 {
		err = io.ErrNoProgress
	}
	if s.lf == s.n {
		s.lf += indexOrLen(s.buf[s.n:s.n+n], '\n')
	}
	if s.cr == s.n {
		s.cr += indexOrLen(s.buf[s.n:s.n+n], '\r')
	}
	s.n += n
	if err != nil {
		s.eof, s.err = true, err
	}
}
