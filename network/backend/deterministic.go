package backend

import (
	"fmt"
	"os"
	"strings"
)

// XLA reads its options from this variable when the first plugin is loaded.
const xlaFlags = "XLA_FLAGS"

// deterministicOps makes XLA take kernels on a GPU that give the same bits each time, and choose them without
// measuring.
const deterministicOps = "xla_gpu_deterministic_ops"

// MakeDeterministic makes XLA's GPU backends give the same bits each time, in this process and in the next; the
// backends on the processor do so anyway. It is to be called before [Open]. What else XLA_FLAGS holds stays; it is an
// error if that says the contrary.
func MakeDeterministic() error {
	flags, err := deterministicFlags(os.Getenv(xlaFlags))
	if err != nil {
		return err
	}
	return os.Setenv(xlaFlags, flags)
}

// deterministicFlags adds to the value of XLA_FLAGS.
func deterministicFlags(flags string) (string, error) {
	flags = strings.TrimSpace(flags)
	if flags != "" && !strings.HasPrefix(flags, "-") { // XLA takes it for the name of a file
		return "", fmt.Errorf("%s=%q is a file of options; add --%s=true to it and leave out --deterministic",
			xlaFlags, flags, deterministicOps)
	}
	for flag := range strings.FieldsSeq(flags) {
		name, value, given := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if name != deterministicOps {
			continue
		}
		if given && value != "true" && value != "1" {
			return "", fmt.Errorf("%s contains %s, which cannot be used with --deterministic", xlaFlags, flag)
		}
		return flags, nil
	}
	return strings.TrimSpace(flags + " --" + deterministicOps + "=true"), nil
}
