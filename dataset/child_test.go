package dataset

import (
	"reflect"
	"testing"
)

// TestChild: of every field of a manifest it is said what a dataset made from another has of it. A new field is added
// here, and to Empty or Child if it is not taken over.
func TestChild(t *testing.T) {
	const taken, own, dropped = "taken over", "its own", "dropped"
	fields := map[string]string{
		"Format": dropped, "Tool": dropped, "Verb": own, "Flags": own, "Seed": taken, "Splits": taken, "Inputs": taken,
		"Parents": own, "Counts": dropped, "Fingerprints": taken, "Networks": taken, "Shards": dropped,
	}
	m := predictedManifest()
	m.Parents = []Parent{{Manifest: "p", Name: "before"}}
	before := m.Hash()
	child, empty := m.Child("a/lines/", "label", Tag{"limit", "nodes 1"}), m.Empty()
	want := map[string]any{"Verb": "label", "Flags": Flags{{"limit", "nodes 1"}},
		"Parents": []Parent{{Manifest: before, Name: "lines"}}}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Manifest]()) {
		of := func(m *Manifest) any { return reflect.ValueOf(m).Elem().FieldByIndex(f.Index).Interface() }
		if reflect.ValueOf(of(m)).IsZero() {
			t.Errorf("%s: nothing to see, the manifest of this test has none", f.Name)
		}
		inChild, inEmpty := of(m), of(m)
		switch fields[f.Name] {
		case taken:
		case own:
			inChild = want[f.Name]
		case dropped:
			inEmpty = reflect.Zero(f.Type).Interface()
			inChild = inEmpty
		default:
			t.Errorf("%s: is it taken over, its own or dropped?", f.Name)
		}
		if got := of(&child); !reflect.DeepEqual(got, inChild) {
			t.Errorf("%s of a child: %v, want %v", f.Name, got, inChild)
		}
		if got := of(&empty); !reflect.DeepEqual(got, inEmpty) {
			t.Errorf("%s before the first shard: %v, want %v", f.Name, got, inEmpty)
		}
	}
	child.Inputs[0].Games++
	child.Fingerprints[0].Engine, child.Networks[0].Recipe = "other", "other"
	if m.Hash() != before {
		t.Error("a change of the child changes its parent")
	}
}
