package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/pipeline/ingest"
)

const contradicting = `[Event "tag and movetext"]
[Result "1-0"]

1. e4 e5 2. Nf3 0-1

[Event "mate"]
[Result "1-0"]

1. f3 e5 2. g4 Qh4 1-0

[Event "a copy of it"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "agreement"]
[Result "1/2-1/2"]

1. d4 d5 1/2-1/2
`

// TestResultConflict: what disagrees is counted under every rule, in the summary and in the manifest, and the rule
// decides the results and is a flag of the manifest.
func TestResultConflict(t *testing.T) {
	for rule, want := range map[dataset.ResultRule]string{
		dataset.TagResult: "1-0 1-0 1/2-1/2", dataset.MovetextResult: "0-1 1-0 1/2-1/2",
		dataset.BoardResult:   "1-0 0-1 1/2-1/2",
		dataset.DropConflicts: "0-1 1/2-1/2", // the copy agrees with itself
	} {
		sum, d, lines := IngestText(t, "a.pgn", contradicting, ingest.Request{Results: rule})
		var got []string
		for _, l := range lines {
			got = append(got, l.Result.String())
		}
		counts := dataset.ResultConflicts{Movetext: 1, Board: 1}
		if strings.Join(got, " ") != want || sum.ResultConflicts != counts ||
			d.Manifest.Counts.ResultConflicts != counts {
			t.Errorf("%v: %v, %+v, %+v; want %s", rule, got, sum.ResultConflicts, d.Manifest.Counts.ResultConflicts,
				want)
		}
		flag := fmt.Sprintf("{result-conflict %v}", rule)
		if has := strings.Contains(fmt.Sprint(d.Manifest.Flags), flag); has != (rule != dataset.TagResult) {
			t.Errorf("%v: flags %v", rule, d.Manifest.Flags)
		}
		if n := sum.Rejects[dataset.ResultConflict]; n != 0 && rule != dataset.DropConflicts || n != 2 &&
			rule == dataset.DropConflicts {
			t.Errorf("%v: %d left out", rule, n)
		}
	}
}

// TestBookEvals counts what is no evaluation, and makes no label of it.
func TestBookEvals(t *testing.T) {
	sum, _, lines := IngestText(t, "a.pgn",
		"{wv=1.00} 1. e4 {d=1, n=0, wv=0.00} e5 {d=1, wv=0.00} 2. Nf3 {d=9, wv=0.25} "+
			"Nc6 {d=9, wv=-99.99} 3. a3 {d=9, wv=#7} 1-0\n", ingest.Request{ImportEvals: true})
	if want := (ingest.Evals{Imported: 2, Unread: 1, Book: 2, Sentinel: 1}); sum.Evals != want {
		t.Errorf("%+v, want %+v", sum.Evals, want)
	}
	if got := fmt.Sprint(lines[0].Labels[0].Labels[4].Lines[0].Score); got != "mate 7" {
		t.Errorf("the mate is %s", got)
	}
}
