package studio

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// axe-core, and the SHA-256 of its script as it was published.
const (
	axeVersion = "axe-core@4.10.3"
	axeSum     = "880970c081707360e64f34cea25ff91892f5bc95675b0776925b9709dd8a68bb"
)

// axe returns the script of axe-core, which npm fetches; without npm or its registry the test is skipped.
func axe(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("SKIPPED: npm is missing, so axe-core cannot be fetched; on Debian: apt-get install npm")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, npm, "install", "--silent", "--ignore-scripts", "--no-save", axeVersion)
	install.Dir, install.WaitDelay = t.TempDir(), time.Second
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: axe-core cannot be fetched: %v: %s", err, out)
	}
	script, err := os.ReadFile(filepath.Join(install.Dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprintf("%x", sha256.Sum256(script)) != axeSum {
		t.Fatal("this is not the axe-core that was published")
	}
	return string(script)
}
