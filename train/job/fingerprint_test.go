package job

import (
	"testing"

	"talbot/network/run"
	"talbot/train/loader"
)

// The fingerprint of a run says what it computes, not where.
func TestFingerprint(t *testing.T) {
	of := func(change func(*run.Config, *loader.Identity)) string {
		c, err := run.New("talbotbot", "")
		if err != nil {
			t.Fatal(err)
		}
		id := loader.Identity{Splits: "90,5,5", Sets: []loader.SetIdentity{
			{Dir: "/a", CardData: run.CardData{Manifest: "12"}},
			{Dir: "/b", CardData: run.CardData{Manifest: "34", Weight: 0.5}}}}
		change(&c, &id)
		text, err := fingerprint(c, id)
		if err != nil || len(text) != 16 {
			t.Fatalf("%q, %v", text, err)
		}
		return text
	}
	same := of(func(*run.Config, *loader.Identity) {})
	for name, change := range map[string]func(*run.Config, *loader.Identity){
		"folder":  func(_ *run.Config, id *loader.Identity) { id.Sets[0].Dir = "/elsewhere" },
		"origin":  func(c *run.Config, _ *loader.Identity) { c.From.Path = "/run" },
		"backend": func(_ *run.Config, id *loader.Identity) { id.Backend, id.Kind = "go", "go" },
	} {
		if of(change) != same {
			t.Errorf("%s changes it", name)
		}
	}
	for name, change := range map[string]func(*run.Config, *loader.Identity){
		"seed":     func(c *run.Config, _ *loader.Identity) { c.Seed++ },
		"blocks":   func(c *run.Config, _ *loader.Identity) { set(c, "blocks", 21) },
		"weights":  func(c *run.Config, _ *loader.Identity) { c.From.Sum = "ab" },
		"manifest": func(_ *run.Config, id *loader.Identity) { id.Sets[1].Manifest = "35" },
		"weight":   func(_ *run.Config, id *loader.Identity) { id.Sets[1].Weight = 0.25 },
		"dataset":  func(_ *run.Config, id *loader.Identity) { id.Sets = id.Sets[:1] },
		"label":    func(_ *run.Config, id *loader.Identity) { id.Label = "abc" },
		"copies":   func(_ *run.Config, id *loader.Identity) { id.MaxCopies = 3 },
	} {
		if of(change) == same {
			t.Errorf("%s does not change it", name)
		}
	}
}
