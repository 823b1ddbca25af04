package fleet

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"talbot/dataset"
)

// canaries are positions on which another build of the engine has to agree to the byte: openings, a middlegame with
// tactics, castling and promotion, and endgames with long and short mates.
var canaries = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
	"r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"8/8/1k6/8/2pP4/8/5K2/8 b - d3 0 1",
	"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
}

// prove judges a worker's engine: its labels must belong under the pool's fingerprints.
func (p *Pool) prove(text []byte) error {
	is, err := decodeJSON[proof](text, maxTerms)
	if err != nil {
		return err
	}
	if len(is.Fingerprints) != len(p.prints) {
		return fmt.Errorf("the worker makes %d labels for a position, the coordinator %d", len(is.Fingerprints),
			len(p.prints))
	}
	otherBuild := false
	for i, f := range is.Fingerprints {
		want := p.prints[i]
		if f.ID() == want.ID() {
			continue
		}
		build := f.Build
		f.Build = want.Build
		if f.ID() != want.ID() || !p.share.AllowBuilds {
			f.Build = build
			return mismatch(want, f, p.share.AllowBuilds)
		}
		if !hexBuild(build) {
			return fmt.Errorf("the build %.40q is none", build)
		}
		otherBuild = true
	}
	if !otherBuild {
		return nil
	}
	if !bytes.Equal(is.Labels, p.canary) {
		return fmt.Errorf("build %s of the engine gives other labels than the coordinator's build %s",
			is.Fingerprints[0].Build, p.prints[0].Build)
	}
	return p.fleet.roster.addBuild(is.Fingerprints[0].Build)
}

// hexBuild reports whether a text can be the build of a fingerprint.
func hexBuild(s string) bool {
	return len(s) == 16 && strings.Trim(s, "0123456789abcdef") == ""
}

// mismatch describes how two fingerprints differ.
func mismatch(here, there dataset.Fingerprint, allowed bool) error {
	settings := func(f dataset.Fingerprint) map[string]string {
		all := map[string]string{"engine": f.Engine, "author": f.Author, "build": f.Build, "limit": f.Limit}
		for _, o := range f.Options {
			all["option "+clip(o.Name, 64)] = clip(o.Value, 200)
		}
		return all
	}
	ours, theirs := settings(here), settings(there)
	names := maps.Clone(ours)
	maps.Copy(names, theirs)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if ours[name] != theirs[name] {
			all = append(all, fmt.Sprintf("%s: coordinator %q, worker %q", name, ours[name], clip(theirs[name], 200)))
		}
	}
	text := "the worker's engine is not the coordinator's: " + strings.Join(all, "; ")
	if !allowed && len(all) == 1 && here.Build != there.Build {
		text += " (--allow-builds lets in other builds whose labels agree)"
	}
	return errors.New(clip(text, 8<<10))
}
