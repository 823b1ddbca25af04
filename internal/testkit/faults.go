package testkit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"talbot/internal/testkit/madeup"
)

// Full reports whether long tests do all that they can, with TALBOT_FULL=1.
func Full() bool { return os.Getenv("TALBOT_FULL") != "" }

// Kill runs a job that makes the dataset out in children that it kills at random moments, until at least one was
// killed, or 100 with TALBOT_FULL=1. Each time what is left in the end must be the dataset want, to the byte, and pass
// check. Run is the job in this process.
func Kill(t *testing.T, job any, want, out string, run func(context.Context) error, check func()) {
	t.Helper()
	kills, most := 0, 8
	if Full() {
		most = 100
	}
	for runs := 1; kills == 0 || Full() && kills < most; runs++ {
		if runs > 50*most {
			t.Fatal("never killed")
		}
		OK(t, os.RemoveAll(out))
		n, _ := KillUntilDone(t, job, out, most-kills, 40*time.Millisecond, run)
		kills += n
		madeup.Verify(t, out)
		Same(t, want, out)
		check()
	}
	t.Logf("killed %d times", kills)
}

// FailingWrites lets steps of writing fail in turn, every stride-th alone, and every stride-th with all after it as on
// a full disk; with TALBOT_FULL=1 each step in both ways. See [madeup.FailSteps].
func FailingWrites(t *testing.T, stride int64, least int, job func(dir string) (run func() error, check func())) {
	t.Helper()
	if Full() {
		stride = 1
	}
	for i, first := range []int64{1, 1 + stride/2} {
		t.Run(fmt.Sprint("all after it ", i == 1), func(t *testing.T) {
			failed := madeup.FailSteps(t, first, stride, i == 1, job)
			t.Logf("failed at %d steps", failed)
			if failed < least/int(stride) {
				t.Errorf("only %d failures", failed)
			}
		})
	}
}

// Interrupted repeats a run, which ends its context by calling stop, until it is done: not at once, and not after more
// than a hundred times.
func Interrupted(t testing.TB, run func(ctx context.Context, stop func()) error) (times int) {
	t.Helper()
	for ; ; times++ {
		ctx, stop := context.WithCancel(t.Context())
		err := run(ctx, stop)
		stop()
		switch {
		case err == nil && times == 0:
			t.Error("never interrupted")
			return times
		case err == nil:
			return times
		case !errors.Is(err, context.Canceled) || times == 100:
			t.Fatal(err)
		}
	}
}
