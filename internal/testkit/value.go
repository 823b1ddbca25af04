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
	return Value(request.Run(t.Context()))(t)
}

// Value returns a value that comes without an error, or ends the test, as in Value(os.ReadFile(path))(t).
func Value[T any](value T, err error) func(t testing.TB) T {
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
	return Value(dataset.ReadManifest(dir))(t)
}

// WriteFile writes a file and returns its path.
func WriteFile[Content []byte | string](t testing.TB, path string, content Content) string {
	t.Helper()
	OK(t, os.WriteFile(path, []byte(content), 0o666))
	return path
}
