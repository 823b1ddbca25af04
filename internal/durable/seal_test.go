package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

type sealedThing struct {
	Name string         `json:"name"`
	List []int          `json:"list"`
	Map  map[string]int `json:"map,omitempty"`
}

// TestSeal: what is sealed is plain JSON that comes back, and no byte of it can change unseen.
func TestSeal(t *testing.T) {
	want := sealedThing{Name: "a<b>\"checksum\": ", List: []int{1, 2}, Map: map[string]int{"x": 1}}
	data, err := Seal(want)
	if err != nil {
		t.Fatal(err)
	}
	var plain map[string]any
	if err := json.Unmarshal(data, &plain); err != nil || len(plain["checksum"].(string)) != 64 {
		t.Fatalf("%s: %v", data, err)
	}
	var got sealedThing
	if err := Unseal(data, &got); err != nil || got.Name != want.Name || len(got.List) != 2 {
		t.Fatalf("%v: %+v", err, got)
	}
	for i := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << bit
			if err := Unseal(bad, &got); !errors.Is(err, ErrChanged) {
				t.Errorf("byte %d, bit %d: %v", i, bit, err)
			}
		}
		if err := Unseal(data[:i], &got); !errors.Is(err, ErrChanged) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
	if err := Unseal([]byte(`{"name":"n"}`), &got); !errors.Is(err, ErrChanged) {
		t.Errorf("without a checksum: %v", err)
	}
	if more, err := Seal(map[string]int{"more": 1}); err != nil || Unseal(more, &got) == nil {
		t.Error("an unknown member was read")
	}
	for _, bad := range []any{1, []int{1}, struct{}{}, map[string]int{}} {
		if data, err := Seal(bad); err == nil {
			t.Errorf("%v sealed as %s", bad, data)
		}
	}
}

// TestUnsealVersion: a file of another version is refused, and so is one without its checksum.
func TestUnsealVersion(t *testing.T) {
	type file struct {
		Version int    `json:"version"`
		Name    string `json:"name"`
	}
	data, err := Seal(file{1, "n"})
	if err != nil {
		t.Fatal(err)
	}
	var got file
	if err := UnsealVersion(data, 1, &got); err != nil || got != (file{1, "n"}) {
		t.Errorf("%v %+v", err, got)
	}
	for _, version := range []int{0, -1, 2} {
		if err := UnsealVersion(data, version, &got); !errors.Is(err, ErrVersion) {
			t.Errorf("version %d: %v", version, err)
		}
	}
	for i := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << bit
			if err := UnsealVersion(bad, 1, &got); !errors.Is(err, ErrChanged) {
				t.Errorf("byte %d, bit %d: %v", i, bit, err)
			}
		}
	}
	for _, bad := range []string{`{"version":1,"name":"n"}`, `{"name":"n"}`, ``, `[]`} {
		if err := UnsealVersion([]byte(bad), 1, &got); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	more, err := Seal(map[string]any{"version": 1, "more": 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := UnsealVersion(more, 1, &got); err == nil {
		t.Error("an unknown member: no error")
	}
}
