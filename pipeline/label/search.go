package label

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

// searchKey names a search: what the engine is given for it and has been given since its memory was last cleared. Two
// searches of one key under the same fingerprints are the same search. With [stockfish.PositionScope] that is the start
// of the line and the moves to the position; with [stockfish.LineScope] also which positions before it on the line were
// searched. Where only some moves are searched they belong to the key, in whatever order.
//
// It is the beginning of a chain of SHA-256: of the FEN of the start, then, for each move, of the link before and the
// move; and where a position is searched and the scope is the line, of the link before alone.
type searchKey [16]byte

// searchKeys appends the keys of the searches at ascending plies of a line. only has the moves that are searched at
// each ply; nil means all of them.
func searchKeys(dst []searchKey, scope stockfish.HashScope, line *dataset.Line, plies []int,
	only [][]board.Move) []searchKey {
	link := sha256.Sum256([]byte(line.Start.FEN()))
	var b [sha256.Size + 2]byte
	at := 0
	for i, ply := range plies {
		for ; at < ply; at++ {
			copy(b[:], link[:])
			binary.LittleEndian.PutUint16(b[sha256.Size:], uint16(line.Moves[at]))
			link = sha256.Sum256(b[:])
		}
		if scope == stockfish.LineScope {
			link = sha256.Sum256(link[:])
		}
		key := link
		if only != nil {
			key = sha256.Sum256(appendSorted(link[:], only[i]))
		}
		dst = append(dst, searchKey(key[:]))
	}
	return dst
}

// appendSorted appends moves to a copy of b, the lowest number first.
func appendSorted(b []byte, moves []board.Move) []byte {
	b = slices.Clone(b)
	for _, m := range slices.Sorted(slices.Values(moves)) {
		b = binary.LittleEndian.AppendUint16(b, uint16(m))
	}
	return b
}

// firstMoves returns the first moves of the searched lines of a label: the candidates, where only some were searched.
func firstMoves(l *dataset.Label) (moves []board.Move) {
	for i := range l.Lines {
		if pv := l.Lines[i].PV; len(pv) > 0 {
			moves = append(moves, pv[0])
		}
	}
	return moves
}

// searchResult has the labels of a search, one for each fingerprint.
type searchResult struct {
	labels []dataset.Label
	worker int // that searched; 0: an engine of this machine, or no search of this labelling
}

// labelsAt returns the labels of the k-th sample in all columns; nil unless all are labelled or all terminal.
func labelsAt(columns [][]dataset.Label, k int) []dataset.Label {
	if len(columns) == 0 {
		return nil
	}
	status := columns[0][k].Status
	if status != dataset.Labelled && status != dataset.Terminal {
		return nil
	}
	labels := make([]dataset.Label, len(columns))
	for i, c := range columns {
		if labels[i] = c[k]; labels[i].Status != status {
			return nil
		}
	}
	return labels
}

// terminalFrom returns the first ply of a line at which the game is over on the board, by mate, stalemate or
// insufficient material; later positions need no search. If there is none it is beyond the line.
func terminalFrom(line *dataset.Line) int {
	pos := line.Start
	for ply := 0; ; ply++ {
		if pos.IsDead() {
			return ply
		}
		if ply == len(line.Moves) {
			if pos.HasLegalMove() {
				ply++
			}
			return ply
		}
		if !pos.IsLegal(line.Moves[ply]) {
			return len(line.Moves) + 1 // the pool will report the error
		}
		pos.Play(line.Moves[ply])
	}
}

// terminalLabels returns n labels of a position where the game is over.
func terminalLabels(n int) []dataset.Label {
	labels := make([]dataset.Label, n)
	for i := range labels {
		labels[i].Status = dataset.Terminal
	}
	return labels
}
