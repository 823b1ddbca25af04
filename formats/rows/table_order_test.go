package rows

import (
	"errors"
	"io"
	"strings"
	"testing"

	"talbot/dataset"
)

// TestTableOrder: rows and rejects come in ascending order, whatever lies between; a reader that resumes behind a
// number relies on it.
func TestTableOrder(t *testing.T) {
	var b strings.Builder
	b.WriteString("FEN,Evaluation\n")
	for i := range 400 {
		switch {
		case i%7 == 3 || i > 395:
			b.WriteString("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,nonsense\n")
		case i%11 == 5:
			b.WriteString("8/8/8/8/8/8/8/8 w - - 0 1,3\n")
		default:
			b.WriteString("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1," + strings.Repeat("1", 1+i%3) +
				"\n")
		}
	}
	r := NewTableReader(strings.NewReader(b.String()), TableForm{})
	last, rejects := int64(0), 0
	for {
		l, _, err := r.Next()
		if err == io.EOF {
			break
		}
		number := l.Number
		if reject, ok := errors.AsType[*dataset.Reject](err); ok {
			number = reject.Number
			rejects++
		} else if err != nil {
			t.Fatal(err)
		}
		if number <= last {
			t.Fatalf("number %d comes behind %d", number, last)
		}
		last = number
	}
	if last != 400 || rejects < 50 {
		t.Errorf("the last number is %d, %d rejects", last, rejects)
	}
}
