package fault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

type journalError struct{ error }

func (journalError) Remedy() string { return "remove the journal" }

func (e journalError) Unwrap() error { return e.error }

func TestOf(t *testing.T) {
	damaged := New(ExitDamaged, "damaged", "make it again")
	for _, c := range []struct {
		err    error
		exit   int
		remedy string
	}{
		{errors.New("x"), ExitFailed, ""},
		{damaged, ExitDamaged, "make it again"},
		{fmt.Errorf("x: %w", damaged), ExitDamaged, "make it again"},
		{Hint(damaged, "restore it"), ExitDamaged, "restore it"},
		{Usage(damaged, ""), ExitUsage, "make it again"},
		{fmt.Errorf("%w: %w", journalError{damaged}, fs.ErrNotExist), ExitDamaged, "remove the journal"},
		{fmt.Errorf("x: %w", context.Canceled), ExitInterrupted, ""},
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}, ExitFailed, CheckPath},
		{errors.Join(errors.New("x"), damaged), ExitDamaged, "make it again"},
	} {
		exit, remedy := Of(c.err)
		if exit != c.exit || remedy != c.remedy {
			t.Errorf("%v: %d, %q; want %d, %q", c.err, exit, remedy, c.exit, c.remedy)
		}
	}
	if !errors.Is(Hint(damaged, "x"), damaged) || Hint(nil, "x") != nil {
		t.Error("a remedy changes the error")
	}
}
