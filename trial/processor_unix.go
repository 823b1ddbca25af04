//go:build unix

package trial

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is how long this process has been on a processor.
func processorTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
