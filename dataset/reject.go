package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// Reason says why a game or a puzzle was left out. The set is closed, so that rejects can be counted by reason.
type Reason string

const (
	IllegalMove Reason = "illegal_move" // a move that is illegal, ambiguous or no move of the position
	NullMove    Reason = "null_move"    // a move that passes, as “--” or “Z0”
	Variant     Reason = "variant"      // a game of another variant
	Chess960    Reason = "chess960"     // a Chess960 game, by its tag or by its castling rights
	BadFEN      Reason = "bad_fen"      // a start position that is malformed or impossible
	NoMoves     Reason = "no_moves"     // a game without moves, or a puzzle without a solution
	TooLong     Reason = "too_long"     // more text or more moves than any real game has
	BadSyntax   Reason = "bad_syntax"   // movetext that is no movetext, or an open comment or variation
	BadRow      Reason = "bad_row"      // a CSV row with broken quotes, missing columns or over the length limit
	// a game whose tag, movetext and final position say different results, where that is asked to be left out
	ResultConflict Reason = "result_conflict"
	// a game whose text contradicts its moves, as a move number that is not the board's does
	MoveConflict Reason = "move_conflict"
	// the rest of a chunk of binpack, from a chain on that breaks the format or has an illegal move
	BadChain Reason = "bad_chain"
	// the rest of a row group of Parquet, from damage on
	BadGroup Reason = "bad_group"
	// a game of lc0's training data whose chunk is damaged or breaks the format
	BadChunk Reason = "bad_chunk"
	BadEval  Reason = "bad_eval" // an evaluation that is no number or mate, or not in the unit of its table
)

// Duplicate is a line that was read, drawn or played before: the same start and moves, whatever the headers, or the
// same position with the colours swapped, of an endgame; of a puzzle, also the same best moves and moves to avoid. The
// first is kept. No reader gives it.
const Duplicate Reason = "duplicate"

// Reasons lists every reason of a reader.
var Reasons = [...]Reason{IllegalMove, NullMove, Variant, Chess960, BadFEN, NoMoves, TooLong, BadSyntax, BadRow,
	ResultConflict, MoveConflict, BadEval, BadChain, BadGroup, BadChunk}

// Reject is the error of one game or row that was left out; reading goes on after it.
type Reject struct {
	Reason Reason
	Number int64  // of the game or row, 1-based; headers, blank lines and remarks are not counted
	Offset int64  // of its first byte, in the decompressed input
	At     int64  // byte offset of what was wrong in it
	Ply    int    // plies read before that
	Token  string // the offending text, cut to 64 bytes; may be empty
	Err    error  // what was wrong with it; may be nil
}

// Place sets the number of the reject's row and where it begins, which At repeats, and returns the reject.
func (r *Reject) Place(number, offset int64) *Reject {
	r.Number, r.Offset, r.At = number, offset, offset
	return r
}

// Error names the reason, the place and the offending text.
func (r *Reject) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: number %d at byte %d", r.Reason, r.Number, r.Offset)
	if detail := r.Detail(); detail != "" {
		b.WriteString(": " + detail)
	}
	return b.String()
}

// Detail names the offending text, its place within the game and what is wrong with it; it is empty if the reason says
// it all.
func (r *Reject) Detail() string {
	why := ""
	if r.Err != nil {
		why = r.Err.Error()
	}
	if r.Token == "" {
		return why
	}
	text := strconv.Quote(r.Token)
	if strings.Contains(why, text) {
		text, why = why, ""
	}
	if r.At != r.Offset {
		text += fmt.Sprintf(" at byte %d", r.At)
	}
	if r.Ply > 0 {
		text += fmt.Sprintf(" after ply %d", r.Ply)
	}
	if why != "" {
		text += ": " + why
	}
	return text
}

// Unwrap returns what was wrong, or nil.
func (r *Reject) Unwrap() error { return r.Err }
