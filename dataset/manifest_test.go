package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func goodManifest() *Manifest {
	return &Manifest{
		Format: 1, Tool: "talbot 0.1.0", Verb: "ingest", Flags: []Tag{{"min-plies",
			"60"}}, Seed: 1 << 63, Splits: DefaultSplits,
		Inputs: []Input{{Name: "a<b>&é.pgn", Bytes: 12, SHA256: strings.Repeat("0", 64), Games: 3},
			{Name: "cut.pgn.gz", Bytes: 7, LeftOut: "damaged"},
			{Name: "t.csv", Bytes: 9, Table: &Table{Unit: "pawns", View: "white", Median: 35}}},
		Parents: []Parent{},
		Counts: Counts{GamesRead: 3, GamesKept: 1, Rejects: map[Reason]int64{NoMoves: 1, BadFEN: 1}, Positions: 5,
			Samples: 4, Labelled: 4},
		Fingerprints: []Fingerprint{{Engine: "Stockfish 15.1", Author: "the Stockfish developers (see AUTHORS file)",
			Build:   "0123456789abcdef",
			Options: []Tag{{"Hash", "16"}, {"Threads", "1"}}, Limit: "nodes 20000"}},
		Shards: []ShardInfo{{File: "shard-00000.talbot.zst", Bytes: 99, SHA256: strings.Repeat("a", 64), Lines: 1,
			Positions: 5, Samples: 4}},
	}
}

// refused checks that a manifest is not written, whichever way it is spoilt.
func refused[T any](t *testing.T, good func() *Manifest, part func(*Manifest) *T, ways map[string]func(*T)) {
	t.Helper()
	for name, spoil := range ways {
		m := good()
		spoil(part(m))
		if err := WriteManifest(t.TempDir(), m); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

// aggregated is the manifest of aggregated positions.
func aggregated() *Manifest {
	m := goodManifest()
	m.Inputs = []Input{{Name: "positions", Games: 1, Aggregate: &Aggregate{
		GamesRead: 9, GamesUsed: 7, Rejects: map[Reason]int64{TimeControl: 2}, Moves: 40,
		MovesDropped: Drops{UnknownElo: 3},
		Bands:        []Band{{To: 1500, Elo: 1250}, {From: 1500, Elo: 1750, Samples: 1, Moves: 40}}}}}
	return m
}

// predictedManifest is the manifest of a dataset with predictions.
func predictedManifest() *Manifest {
	m := goodManifest()
	m.Networks = []Network{{Recipe: "prior", Checkpoint: strings.Repeat("c", 64), Step: 7, Backend: "go", Prior: true,
		Value: true, Top: 20}, {Recipe: "napoleon", Checkpoint: "d", Backend: "xla:cpu", Rating: 1500, Value: true}}
	return m
}

// TestManifestOfPredictions: a network says what it is.
func TestManifestOfPredictions(t *testing.T) {
	m := predictedManifest()
	if a, b := m.Networks[0].ID(), m.Networks[1].ID(); len(a) != 16 || a == b {
		t.Errorf("networks %s and %s", a, b)
	}
	if n, err := m.PriorOf(""); n != 0 || err != nil {
		t.Errorf("priors of network %d, %v", n, err)
	}
	if n, err := m.PriorOf(m.Networks[0].ID()); n != 0 || err != nil {
		t.Errorf("priors of network %d, %v", n, err)
	}
	if _, err := m.PriorOf(m.Networks[1].ID()); !errors.Is(err, ErrNoPredictions) ||
		!strings.Contains(err.Error(), m.Networks[0].ID()) {
		t.Errorf("priors of a network that has none: %v", err)
	}
	first := func(m *Manifest) *Network { return &m.Networks[0] }
	refused(t, predictedManifest, first, map[string]func(*Network){
		"recipe":   func(n *Network) { n.Recipe = "" },
		"sum":      func(n *Network) { n.Checkpoint = "" },
		"rating":   func(n *Network) { n.Rating = 1 << 16 },
		"step":     func(n *Network) { n.Step = -1 },
		"top":      func(n *Network) { n.Top = -1 },
		"says nil": func(n *Network) { n.Prior, n.Value = false, false },
	})
}

// TestManifestOfAggregate: the figures must agree.
func TestManifestOfAggregate(t *testing.T) {
	first := func(m *Manifest) *Aggregate { return m.Inputs[0].Aggregate }
	refused(t, aggregated, first, map[string]func(*Aggregate){
		"games":           func(a *Aggregate) { a.GamesUsed++ },
		"negative":        func(a *Aggregate) { a.MovesDropped[UnknownElo] = -1 },
		"moves":           func(a *Aggregate) { a.Moves++ },
		"open above":      func(a *Aggregate) { a.Bands[1].To = 2000 },
		"gap":             func(a *Aggregate) { a.Bands[1].From = 1600 },
		"begins":          func(a *Aggregate) { a.Bands[0].From = 1 },
		"negative reject": func(a *Aggregate) { a.Rejects[TimeControl], a.Rejects[Bot] = 3, -1 },
	})
}

func TestManifestRoundTrip(t *testing.T) {
	for name, m := range map[string]*Manifest{"full": goodManifest(), "empty": {Splits: DefaultSplits},
		"aggregate": aggregated(), "predicted": predictedManifest(),
		"bare": {Splits: DefaultSplits, Inputs: []Input{{Aggregate: &Aggregate{}}}}} {
		dir := t.TempDir()
		if err := WriteManifest(dir, m); err != nil {
			t.Fatal(name, err)
		}
		got, err := ReadManifest(dir)
		if err != nil {
			t.Fatal(name, err)
		}
		if name != "empty" && name != "bare" && !reflect.DeepEqual(got, m) {
			t.Errorf("%+v\nwant %+v", got, m)
		}
		file, err := os.ReadFile(filepath.Join(dir, ManifestName))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(file)
		if got.Hash() != hex.EncodeToString(sum[:]) || m.Hash() != got.Hash() {
			t.Errorf("%s: Hash is not that of the file", name)
		}
		// The checksum as the format describes it.
		at := bytes.LastIndex(file, []byte(`"checksum": "`)) + len(`"checksum": "`)
		sum = sha256.Sum256(append(bytes.Clone(file[:at]), file[at+64:]...))
		if string(file[at:at+64]) != hex.EncodeToString(sum[:]) || string(file[at+64:]) != "\"\n}\n" {
			t.Errorf("%s: checksum in\n%s", name, file)
		}
		if bytes.Contains(file, []byte("null")) || !json.Valid(file) {
			t.Errorf("%s: null in\n%s", name, file)
		}
	}
}

// TestManifestFlips flips each byte and cuts at each length.
func TestManifestFlips(t *testing.T) {
	good := goodManifest().encode()
	for i := range good {
		for _, mask := range []byte{1, 0x20, 0xff} {
			bad := bytes.Clone(good)
			bad[i] ^= mask
			if _, err := decodeManifest(bad); !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d %q flipped by %#x: error %v", i, good[i], mask, err)
			}
		}
		if _, err := decodeManifest(good[:i]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d: error %v", i, err)
		}
	}
	if _, err := decodeManifest(append(good, '\n')); !errors.Is(err, ErrDamaged) {
		t.Errorf("a line feed more: error %v", err)
	}
}

func TestManifestErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadManifest(dir); !errors.Is(err, ErrNoDataset) || !strings.Contains(err.Error(), dir) {
		t.Errorf("empty folder: %v", err)
	}
	path := filepath.Join(dir, ManifestName)
	changed := func(old, new string) []byte {
		return bytes.Replace(goodManifest().encode(), []byte(old), []byte(new), 1)
	}
	for name, c := range map[string]struct {
		text []byte
		want error
	}{
		"empty":         {nil, ErrDamaged},
		"no JSON":       {[]byte("PK"), ErrDamaged},
		"other JSON":    {[]byte("{}"), ErrDamaged},
		"version 2":     {sealed(changed(`"format": 1`, `"format": 2`)), ErrVersion},
		"bad version 2": {changed(`"format": 1`, `"format": 2`), ErrDamaged},
		"unknown key":   {sealed(changed(`"verb"`, `"more": 1,`+"\n"+`  "verb"`)), ErrVersion},
		"unknown key in a shard": {sealed(changed(`"file"`, `"more": 1,`+"\n"+`      "file"`)),
			ErrVersion},
		"unknown key, changed": {changed(`"verb"`, `"more"`), ErrDamaged},
		"contradiction":        {(&Manifest{Splits: DefaultSplits, Counts: Counts{GamesRead: 1}}).encode(), ErrDamaged},
		"folder as shard": {(&Manifest{Splits: DefaultSplits, Shards: []ShardInfo{{File: "../x"}}}).encode(),
			ErrDamaged},
	} {
		if err := os.WriteFile(path, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifest(dir); !errors.Is(err, c.want) || c.want == ErrVersion && errors.Is(err, ErrDamaged) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	whole := func(m *Manifest) *Manifest { return m }
	refused(t, goodManifest, whole, map[string]func(*Manifest){
		"splits":  func(m *Manifest) { m.Splits.Train++ },
		"read":    func(m *Manifest) { m.Counts.GamesRead++ },
		"rejects": func(m *Manifest) { m.Counts.Rejects[NoMoves] = -1 },
		"samples": func(m *Manifest) { m.Counts.Samples++ },
		"failed":  func(m *Manifest) { m.Counts.Failed = -1 },
		"bytes":   func(m *Manifest) { m.Shards[0].Bytes = -1 },
		"file":    func(m *Manifest) { m.Shards[0].File = "/etc/passwd" },
		"twice":   func(m *Manifest) { m.Shards = append(m.Shards, ShardInfo{File: m.Shards[0].File}) },
	})
}

// sealed puts the right checksum into a manifest.
func sealed(b []byte) []byte {
	at := len(b) - len("\"\n}\n") - 64
	sum := sha256.Sum256(append(bytes.Clone(b[:at]), b[at+64:]...))
	return append(append(bytes.Clone(b[:at]), hex.EncodeToString(sum[:])...), b[at+64:]...)
}

func TestFingerprintID(t *testing.T) {
	f := goodManifest().Fingerprints[0]
	text := `{"engine":"Stockfish 15.1","author":"the Stockfish developers (see AUTHORS file)","build":"0123456789abcdef",` +
		`"options":[{"name":"Hash","value":"16"},{"name":"Threads","value":"1"}],"limit":"nodes 20000"}`
	sum := sha256.Sum256([]byte(text))
	if want := hex.EncodeToString(sum[:8]); f.ID() != want {
		t.Errorf("%s, want %s", f.ID(), want)
	}
	g := f
	g.Options = []Tag{f.Options[1], f.Options[0]}
	if g.ID() != f.ID() || g.Options[0].Name != "Threads" {
		t.Error("the order of options counts, or ID sorts the caller's")
	}
	for _, spoil := range []func(*Fingerprint){
		func(f *Fingerprint) { f.Engine = "x" }, func(f *Fingerprint) { f.Author = "x" },
		func(f *Fingerprint) { f.Build = "x" },
		func(f *Fingerprint) { f.Options = nil }, func(f *Fingerprint) { f.Limit = "x" },
	} {
		g := f
		spoil(&g)
		if g.ID() == f.ID() {
			t.Errorf("%+v has the same ID", g)
		}
	}
}

// FuzzManifest checks that what is read is what would be written.
func FuzzManifest(f *testing.F) {
	f.Add(goodManifest().encode())
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, reseal(data)} {
			m, err := decodeManifest(data)
			if err != nil {
				if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
					t.Fatal(err)
				}
				continue
			}
			if !bytes.Equal(m.encode(), data) {
				t.Fatalf("%q", data)
			}
		}
	})
}

// reseal gives a changed manifest the form and checksum it needs to be looked at more closely.
func reseal(data []byte) []byte {
	var m Manifest
	if json.Unmarshal(data, &m) != nil {
		return nil
	}
	return m.encode()
}
