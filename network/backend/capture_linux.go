package backend

import (
	"os"

	"golang.org/x/sys/unix"
)

// logLevel is how much XLA's runtime writes to standard error: 3, go-xla's default, is nothing, not even why a plugin
// does not find a GPU; 2 is errors.
const logLevel = "TF_CPP_MIN_LOG_LEVEL"

// captureErrors keeps what is written to standard error from people until the function is called, which returns the
// errors in it.
func captureErrors() (end func() string, err error) {
	if level := os.Getenv(logLevel); level == "" || level == "3" {
		if err := os.Setenv(logLevel, "2"); err != nil {
			return nil, err
		}
	}
	file, err := os.CreateTemp("", "talbot-xla-*.log")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // it lives as long as it is open
	const stderr = 2
	saved, err := unix.Dup(stderr)
	if err != nil {
		return nil, err
	}
	if err := unix.Dup3(int(file.Fd()), stderr, 0); err != nil {
		return nil, err
	}
	return func() string {
		_ = unix.Dup3(saved, stderr, 0)
		_ = unix.Close(saved)
		defer file.Close()
		text := make([]byte, 64<<10)
		n, _ := file.ReadAt(text, 0)
		return reasons(string(text[:n]))
	}, nil
}
