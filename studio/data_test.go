package studio

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/inspect/stats"
	"talbot/internal/testkit/madeup"
	"talbot/network/run"
	"talbot/shards"
)

// makeData writes games of a few moves as a dataset, of which every third is labelled, in shards of ten.
func makeData(t *testing.T, dir string, games int) {
	t.Helper()
	makeNamedData(t, dir, games, hostile, "Black "+hostile)
}

// makeNamedData is makeData with a name of input and engine, and one of the player with Black.
func makeNamedData(t *testing.T, dir string, games int, name, black string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	m := dataset.Manifest{Tool: "talbot test", Verb: "test", Splits: dataset.Splits{Train: 100},
		Fingerprints: []dataset.Fingerprint{{Engine: "Stockfish " + name, Build: "x", Limit: "nodes 7"}},
		Inputs:       []dataset.Input{{Name: name, Bytes: 1}}, Counts: dataset.Counts{GamesRead: int64(games)}}
	var lines []dataset.Line
	for i := range games {
		lines = append(lines, makeLine(t, i, black))
	}
	madeup.WriteShards(t, dir, m, lines, 10)
}

const hostile = "<script>alert(1)<!--\u202e\"'&"

// makeLine is a game of four half-moves, which White wins.
func makeLine(t *testing.T, i int, black string) dataset.Line {
	l := madeup.Line(t, board.StartFEN, "e2e4", "e7e5", "g1f3", "b8c6")
	l.Number, l.Result, l.WhiteElo = int64(i+1), dataset.WhiteWins, 2000+i
	l.Tags = []dataset.Tag{{Name: "Black", Value: black}, {Name: "White", Value: fmt.Sprint("Anna ", i)}}
	if i%3 == 0 {
		l.Labels = []dataset.LabelColumn{{Labels: []dataset.Label{{},
			madeup.Label(t, dataset.Centipawns(400), "e7e5"), {}, {}}}}
	}
	return l
}

// shown are the numbers of the samples of a page.
func shown(text string) (list []string) {
	for _, part := range strings.Split(text, `class="open" href="`)[1:] {
		_, part, _ = strings.Cut(part, "/sample/")
		list = append(list, part[:strings.IndexAny(part, `"?`)])
	}
	return list
}

// A dataset is shown in pages, as a whole and by filters, which the address keeps; hostile names are text.
func TestData(t *testing.T) {
	dir := t.TempDir()
	makeData(t, filepath.Join(dir, "games"), 30)
	s := serve(t, dir)
	at := "/data/" + s.key(aDataset)
	text := s.done(at)
	if got := shown(text); len(got) != cardsShown || got[0] != "0" || strings.Contains(text, "Stockfish <b>") ||
		!strings.Contains(text, "120 samples") {
		t.Errorf("%v: %s", got, text)
	}
	if got := shown(s.done(at + "?at=108")); len(got) != 12 || got[0] != "108" {
		t.Errorf("the last page has %v", got)
	}
	if got := shown(s.done(at + "?at=99999999")); len(got) != 12 || got[0] != "108" {
		t.Errorf("behind the end are %v", got)
	}
	for query, want := range map[string]string{
		"label=yes":                       "1 13 25 37 49 61 73 85 97 109",
		"label=yes&at=6":                  "1 13 25 37 49 61 73 85 97 109",
		"odd=result":                      "1 13 25 37 49 61 73 85 97 109", // Black stands better, and White won
		"score-from=3.9&score-to=4":       "1 13 25 37 49 61 73 85 97 109",
		"score-from=4.01":                 "",
		"player=anna+29":                  "116 117 118 119",
		"elo-from=2028&elo-to=2028":       "112 114",
		"men-to=31":                       "",
		"source=puzzle":                   "",
		"split=val":                       "",
		"result=black":                    "",
		"past=made":                       "",
		"player=ANNA+3&source=game":       "12 13 14 15",
		"result=white&elo-from=2029":      "116 118",
		"men-from=32&player=anna+7&at=-5": "28 29 30 31",
	} {
		text := s.done(at + "?" + query)
		if got := strings.Join(shown(text), " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{"score-from=NaN", "score-to=1e999", "label=x", "men-from=x", "source=%00",
		"player=" + strings.Repeat("x", 5000)} {
		if text := s.done(at + "?" + query); !strings.Contains(text, `class="notice"`) {
			t.Errorf("%.30s: no notice", query)
		}
	}
}

// A sample is shown with its past, labels, targets and moves, and leads to its neighbours among those of a filter.
func TestSample(t *testing.T) {
	dir := t.TempDir()
	makeData(t, filepath.Join(dir, "games"), 12)
	s := serve(t, dir)
	at := "/data/" + s.key(aDataset)
	s.has(at+"/sample/13", "Black to move", "14 of 48", "/sample/12", "/sample/14", "&#43;4.00", "best e5", "1… e5",
		"plane 16, Black to move: 64 squares", `<th scope="row">e5</th>`, "2003", "value</dt><dd>&#43;0.81")
	s.done(at + "?label=yes")
	s.has(at+"/sample/13?label=yes", "/sample/1?label=yes", "/sample/25?label=yes", "2 of 4")
	s.statuses(at, map[string]int{"/sample/48": 404, "/sample/-1": 404, "/sample/x": 404,
		"/sample/99999999999999999999": 404, "/goto?sample=1%20000": 303, "/goto?sample=x": 404, "/sample/0": 200,
		"/sample/47?label=%zz": 400})
}

// A dataset that vanishes, is exchanged or damaged gets the right answer.
func TestDataChanges(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "games")
	makeData(t, path, 30)
	s := serve(t, dir)
	at := "/data/" + s.key(aDataset)
	s.done(at)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	makeData(t, path, 3)
	later()
	if text := s.done(at); !strings.Contains(text, "12 samples") {
		t.Errorf("exchanged: %s", text)
	}
	shard := filepath.Join(path, shards.Name(0))
	text, err := os.ReadFile(shard)
	if err != nil {
		t.Fatal(err)
	}
	text[40] ^= 1
	put(t, string(text), shard)
	for _, query := range []string{"", "?player=nobody", "?men-to=5"} {
		if text := s.done(at + query); !strings.Contains(text, "checksum") || strings.Contains(text, "No sample") ||
			strings.Contains(text, dir) {
			t.Errorf("damaged, %s: %s", query, text)
		}
	}
	if status, text := s.ask("GET", at+"/sample/1", nil, nil); status != 404 || strings.Contains(text, dir) {
		t.Errorf("damaged: %d %s", status, text)
	}
	if err := os.Remove(filepath.Join(path, dataset.ManifestName)); err != nil {
		t.Fatal(err)
	}
	later()
	s.statuses(at, map[string]int{"?at=12": 404}) // it has vanished
}

// Statistics are those of `talbot stats`, drawn by the same code.
func TestStatistics(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "games")
	makeData(t, path, 30)
	counts, err := stats.Request{Dir: path}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	if err := counts.Page("").WritePart(&want); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir)
	if text := s.done("/data/" + s.key(aDataset) + "/statistics"); !strings.Contains(text, want.String()) {
		t.Errorf("%s", text)
	}
	if text := s.has("/static/look.css", ".tiles"); strings.Contains(text, "<") {
		t.Error(text)
	}
}

// A sample is shown as any recipe sees it, with what any run says of it; what cannot be is said.
func TestSampleSeen(t *testing.T) {
	dir := t.TempDir()
	makeData(t, filepath.Join(dir, "games"), 3)
	makeNetwork(t, filepath.Join(dir, "one"), 1, "talbotbot", "blocks=1", "filters=4")
	makeNetwork(t, filepath.Join(dir, "two"), 1, "napoleon")
	makeRun(t, filepath.Join(dir, "empty"), func(*run.Config) {})
	s := serve(t, dir)
	at := "/data/" + s.keyOf("games") + "/sample/1"
	for recipe, want := range map[string]string{"tahl": "plane 24, 1 plies ago: 2 squares",
		"lynx": "plane 28, own pawns:", "napoleon": "plane 33, mobility:", "nosearch": "<dt>onto h</dt><dd>0</dd>",
		"prior": "plane 17, rating: 0 squares", "probability": "cannot be shown by that recipe",
		"talbotbot": "plane 16, Black to move: 64 squares", "%3Cb%3E": "cannot be shown by that recipe"} {
		s.has(at+"?recipe="+recipe, want)
	}
	text := s.has(at+"?run="+s.keyOf("one")+"&recipe=prior", `<bdi>one</bdi>: value <b>`,
		"/sample/2?recipe=prior&amp;run="+s.keyOf("one"))
	_, table, _ := strings.Cut(text, "Table of legal moves")
	sum := 0.0
	for _, part := range strings.Split(table, " %</td>")[:20] {
		x, err := strconv.ParseFloat(part[strings.LastIndex(part, ">")+1:], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += x
	}
	if sum < 99.8 || sum > 100.2 {
		t.Errorf("the moves have %g %%", sum)
	}
	text = s.has(at+"?run="+s.keyOf("two"), `<bdi>two</bdi>: value <b>`)
	if strings.Contains(text, "probabilities are") {
		t.Error(text)
	}
	text = s.has(at+"?run="+s.keyOf("empty"), `<bdi>empty</bdi>: `)
	if strings.Contains(text, "value <b>") || strings.Contains(text, dir) {
		t.Error(text)
	}
	if text := s.has(at + "?run=..%2fx"); strings.Contains(text, `id="prediction"`) {
		t.Error(text)
	}
}
