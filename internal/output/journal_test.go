package output

import (
	"fmt"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/fault"
)

// TestJournalError: where a journal cannot be gone on with, the hint says what to remove and what that costs.
func TestJournalError(t *testing.T) {
	err := &JournalError{Path: "a b/x", Again: "it searches again", Err: dataset.ErrDamaged}
	status, text := fault.Of(fmt.Errorf("outer: %w", err))
	if status != fault.ExitDamaged || !strings.HasPrefix(text, "`rm 'a b/x'`") || !strings.Contains(text, err.Again) {
		t.Errorf("status %d, %q", status, text)
	}
}
