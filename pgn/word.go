package pgn

import (
	"bytes"
	"errors"

	"talbot/dataset"
)

// word reads the word at index from, a move as a rule, and plays it.
func (p *Parser) word(from int) *dataset.Reject {
	i, plain := from, true
	for i < len(p.text) && (i == from || moveBytes[p.text[i]] || p.text[i] >= 0x80) {
		size := 1
		if p.text[i] >= 0x80 {
			var ok bool
			if _, size, ok = letterAt(p.text[i:]); !ok {
				break
			}
			plain = false
		}
		i += size
	}
	// a promotion in parentheses, e8(Q) or e8=(Q), belongs to the move
	sign := false
	if t := p.text[i:]; len(t) >= 3 && t[0] == '(' && t[2] == ')' && classes[t[1]] == letterByte && i-from >= 2 {
		sign = p.text[i-1] == '='
		i += 3
	}
	token := p.text[from:i]
	if sign {
		p.spelt = append(append(p.spelt[:0], token[:len(token)-4]...), token[len(token)-3:]...)
		token = p.spelt
	}
	if !plain {
		token = p.spell(token)
	}
	if p.language != nil {
		token = p.translate(token, from, plain)
	}
	p.i = i
	move, err := p.pos.ParseSAN(token)
	if err != nil {
		if token = p.trimWord(token); len(token) == 0 {
			return nil
		}
		if string(token) == "TN" {
			return nil
		}
		if len(token) == 1 && (token[0] == 'N' || token[0] == 'D') {
			if p.hidesPiece(from, p.i) {
				return p.reject(dataset.BadSyntax, from, i, errLoneLetter)
			}
			return nil // marks of novelties and diagrams
		}
		if move, err = p.pos.ParseSAN(token); err != nil {
			return p.badWord(from, i, token, err)
		}
	}
	if len(p.moves) == MaxPlies {
		return p.reject(dataset.TooLong, from, i, errors.New("more moves than a game can have"))
	}
	if bytes.ContainsAny(token, "x:") && !p.pos.IsCapture(move) {
		if r := p.contradict(from, i, errCapture); r != nil {
			return r
		}
	}
	p.pos.Play(move)
	p.moves = append(p.moves, move)
	if p.language != nil && !p.agreesWithMarks(p.text[from:i]) {
		return p.reject(dataset.MoveConflict, from, i, errLetters)
	}
	return nil
}

// isLegal reports whether a word is a legal move here.
func (p *Parser) isLegal(token []byte) bool {
	_, err := p.pos.ParseSAN(token)
	return err == nil
}

// spell returns a word with its characters outside of ASCII in the spelling of SAN. It is valid until the next call.
func (p *Parser) spell(word []byte) []byte {
	p.spelt = p.spelt[:0]
	for i := 0; i < len(word); {
		letter, size := word[i], 1
		if letter >= 0x80 {
			letter, size, _ = letterAt(word[i:])
		}
		if letter != 0 {
			p.spelt = append(p.spelt, letter)
		}
		i += size
	}
	return p.spelt
}

// trimWord takes off a word what is no part of a move: a result glued to it, glyphs, “ep”, and the
// words of old books. It sets the result if there is one.
func (p *Parser) trimWord(token []byte) []byte {
	for i := range token {
		if result, n := resultAt(token[i:]); n > 0 && i+n == len(token) {
			p.result, p.ended = result, true
			token = token[:i]
			break
		}
	}
	if p.i < len(p.text) && p.text[p.i] == '.' && bytes.HasSuffix(token, []byte("e")) &&
		bytes.HasPrefix(p.text[p.i:], []byte(".p")) {
		token = token[:len(token)-1] // exd6e.p. or a word of its own
		p.i += 2
	}
	if len(token) > 4 {
		token = bytes.TrimSuffix(bytes.TrimRight(token, "+#"), []byte("ep"))
	}
	for _, word := range [...]string{"ch", "mate", "dbl", "dis"} { // Nc6ch, Nc6dblch
		if n := len(token) - len(word); n >= 2 && string(token[n:]) == word {
			token = token[:n]
		}
	}
	if n := len(token); n >= 2 && token[n-1] == '-' && isCastlingByte(token[n-2]) {
		return token // half of O-O-O
	}
	token = bytes.TrimRight(token, "=+-/#")
	if n := len(token) - 1; n >= 2 && token[n] == 'N' && p.isLegal(token[:n]) { // a novelty, Nf3N
		return token[:n]
	}
	switch string(token) {
	case "ep", "ch", "dbl", "dis", "mate":
		return nil
	}
	return token
}

func isCastlingByte(c byte) bool { return c == 'O' || c == '0' || c == 'o' }

// badWord says why a word is no move here.
func (p *Parser) badWord(from, to int, token []byte, err error) *dataset.Reject {
	switch {
	case bytes.IndexByte(token, '@') >= 0:
		return p.reject(dataset.Variant, from, to, errDrop)
	case string(token) == "Z0" || bytes.EqualFold(token, []byte("null")) || bytes.EqualFold(token, []byte("pass")):
		return p.reject(dataset.NullMove, from, to, nil)
	case looksLikeMove(token):
		return p.reject(dataset.IllegalMove, from, to, err)
	case p.nested:
		return p.reject(dataset.BadSyntax, from, to, errNested)
	default:
		return p.reject(dataset.BadSyntax, from, to, errText)
	}
}

// looksLikeMove reports whether a word is castling or names a square.
func looksLikeMove(token []byte) bool {
	if isCastlingByte(token[0]) {
		return true
	}
	for i := 0; i+1 < len(token); i++ {
		if token[i] >= 'a' && token[i] <= 'h' && token[i+1] >= '1' && token[i+1] <= '8' {
			return true
		}
	}
	return false
}
