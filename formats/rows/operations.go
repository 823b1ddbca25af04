package rows

import (
	"slices"
	"strings"
	"unicode/utf8"

	"talbot/board"
)

// epdOperations are the operations that count; moves as they stand in the text.
type epdOperations struct {
	best, avoid []string
	id          string
	clocks      [2]string // hmvc and fmvn
}

// opcodes are those of the EPD standard, without the comments c0 … c9 and the variables v0 … v9.
var opcodes = []string{
	"acd", "acn", "acs", "am", "bm", "ce", "dm", "draw_accept", "draw_claim", "draw_offer", "draw_reject", "eco",
	"fmvn",
	"hmvc", "id", "nic", "noop", "pm", "pv", "rc", "resign", "sm", "sv", "tcgs", "tcri", "tcsi",
}

// isNumbered reports whether word is the letter and a digit, as the opcodes c0 … c9 and v0 … v9 are.
func isNumbered(word string, letter byte) bool {
	return len(word) == 2 && word[0] == letter && word[1] >= '0' && word[1] <= '9'
}

// readOperations reads operations, which end in semicolons or where the next standard opcode follows. An operation
// that is nothing but legal moves belongs to the bm or am before it.
func readOperations(p *board.Position, text string) (ops epdOperations) {
	var list *[]string // of the operation before
	for text != "" {
		var op string
		op, text = cutOperation(text)
		words := operationWords(op)
		if len(words) == 0 {
			continue
		}
		if list != nil && !isOpcode(p, words, 0) {
			end := operandEnd(p, words, 0, false)
			moves := joinMoves(words[:end])
			if !slices.ContainsFunc(moves, func(m string) bool { return !isMoveOf(p, m) }) {
				*list = append(*list, moves...)
				words = words[end:]
			}
		}
		for len(words) > 0 {
			code := words[0]
			end := operandEnd(p, words, 1, isFreeText(code, words))
			operand := words[1:end]
			words = words[end:]
			switch list = nil; code {
			case "bm":
				list = &ops.best
				*list = append(*list, joinMoves(operand)...)
			case "am":
				list = &ops.avoid
				*list = append(*list, joinMoves(operand)...)
			case "hmvc":
				ops.clocks[0] = strings.Join(operand, " ")
			case "fmvn":
				ops.clocks[1] = strings.Join(operand, " ")
			case "id":
				ops.id = strings.ToValidUTF8(strings.Trim(strings.Join(operand, " "), `"`), string(utf8.RuneError))
			}
		}
	}
	return ops
}

// isFreeText reports whether the operand of the first word, an opcode, is text without quotes, in which opcodes may
// occur as words. Opcodes that are not of the standard are taken for such.
func isFreeText(code string, words []string) bool {
	if len(words) > 1 && words[1][0] == '"' {
		return false
	}
	return code == "id" || isNumbered(code, 'c') || !isNumbered(code, 'v') && !slices.Contains(opcodes, code)
}

// operandEnd returns the place of the first word from the given one on that begins an operation. In free text only
// bm and am before a legal move do.
func operandEnd(p *board.Position, words []string, from int, freeText bool) int {
	for i := from; i < len(words); i++ {
		if !freeText && isOpcode(p, words, i) {
			return i
		}
		if freeText && (words[i] == "bm" || words[i] == "am") && i+1 < len(words) && isMoveOf(p, words[i+1]) {
			return i
		}
	}
	return len(words)
}

// isOpcode reports whether a word is an opcode of the standard. Of those of comments c1 … c8 are squares too, to which
// a pawn may move: they are opcodes before text in quotes.
func isOpcode(p *board.Position, words []string, i int) bool {
	word := words[i]
	switch {
	case isNumbered(word, 'c'):
		return word == "c0" || word == "c9" || i+1 < len(words) && words[i+1][0] == '"'
	case isNumbered(word, 'v'):
		return true
	}
	return slices.Contains(opcodes, word)
}

// cutOperation cuts the text at the first semicolon outside quotes; quotes that are not closed do not count.
func cutOperation(text string) (op, rest string) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ';':
			return text[:i], text[i+1:]
		case '"':
			if n := strings.IndexByte(text[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		}
	}
	return text, ""
}

// operationWords cuts an operation at its blanks; text in quotes is one word.
func operationWords(op string) (words []string) {
	for {
		op = strings.TrimLeft(op, " \t")
		if op == "" {
			return words
		}
		end := strings.IndexAny(op, " \t")
		if end < 0 {
			end = len(op)
		}
		if op[0] == '"' {
			if n := strings.IndexByte(op[1:], '"'); n >= 0 {
				end = n + 2
			}
		}
		words = append(words, op[:end])
		op = op[end:]
	}
}

// joinMoves returns the moves of a list, without the marks that stand alone and with promotions put together.
func joinMoves(words []string) (moves []string) {
	glue := false
	for _, word := range strings.FieldsFunc(strings.Join(words, " "),
		func(r rune) bool { return r == ' ' || r == ',' }) {
		switch {
		case word == "=":
			glue = true
			continue
		case len(moves) > 0 && glue:
			moves[len(moves)-1] += "=" + word
		case len(moves) > 0 && word[0] == '=' && len(word) > 1:
			moves[len(moves)-1] += word
		case strings.Trim(word, "+#!?") == "":
		default:
			moves = append(moves, word)
		}
		glue = false
	}
	return moves
}

func isMoveOf(p *board.Position, text string) bool {
	_, err := p.ParseSAN([]byte(text))
	return err == nil
}
