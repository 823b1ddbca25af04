package testkit

import (
	"context"
	"os"
	"testing"

	"talbot/dataset"
)

// Run runs what must not fail.
func Run[S any](t testing.TB, request interface {
	Run(ctx context.Context) (S, error)
}) S {
	t.Helper()
	return Must(request.Run(t.Context()))(t)
}

// Must returns a value that comes without an error, as in Must(os.ReadFile(path))(t).
func Must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// Manifest reads the manifest of a dataset.
func Manifest(t testing.TB, dir string) *dataset.Manifest {
	t.Helper()
	return Must(dataset.ReadManifest(dir))(t)
}

// WriteFile writes a file and returns its path.
func WriteFile[Content []byte | string](t testing.TB, path string, content Content) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// NoError ends the test at an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
