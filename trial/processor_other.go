//go:build !unix

package trial

import "time"

func processorTime() time.Duration { return 0 }
