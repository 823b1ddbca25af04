package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors are the rooms from the ground up: a package imports of ours what is in its own room, on its own floor or on a
// lower one. docs/9-development.md has the same picture with a line for each room.
var floors = [][]string{
	{"internal/child", "internal/durable", "internal/golden", "internal/ordered", "internal/plain",
		"internal/splitmix", "board"},
	{"internal/cache", "internal/page", "internal/remake", "dataset"},
	{"binpack", "lc0", "rows", "syzygy", "viriformat"},
	{"columnar", "pgn", "synth", "shards", "stockfish", "encode", "mates"},
	{"network"},
	{"evaluate"},
	{"train"},
	{"trial"},
	{"fleet"},
	{"play"},
	{"pipeline"},
	{"loop"},
	{"studio"},
	{"cmd", "scripts"},
}

// arrows are all imports of ours by each package, tests left out. One more is a decision: it is made here, by whoever
// needs it, and one that is not needed any more goes.
var arrows = map[string][]string{
	"binpack": {"board", "dataset"},
	"board":   {},
	"cmd/talbot": {
		"binpack", "board", "columnar", "dataset", "encode", "evaluate", "fleet", "fleet/searches", "internal/cache",
		"internal/durable", "internal/plain", "internal/remake", "loop", "network/backend", "network/builtin",
		"network/checkpoint",
		"network/model", "network/onnx", "network/ort", "network/predict", "network/recipe", "network/run",
		"network/schedule", "pipeline", "pipeline/aggregate", "pipeline/diff", "pipeline/endgames",
		"pipeline/exportdata", "pipeline/games", "pipeline/ingest", "pipeline/inspect", "pipeline/label",
		"pipeline/output", "pipeline/overlap", "pipeline/plan", "pipeline/predict", "pipeline/selfplay",
		"pipeline/solve", "pipeline/stats", "pipeline/tactics", "pipeline/verify", "play/console", "play/engine",
		"play/game", "play/match", "play/match/stats", "play/mcts", "play/player", "play/session", "play/tables",
		"play/uci", "rows", "stockfish", "studio", "synth", "syzygy", "train", "train/job", "train/loader", "trial",
	},
	"columnar":               {"board", "dataset", "pgn", "rows"},
	"dataset":                {"board", "internal/durable", "internal/ordered"},
	"encode":                 {"board", "dataset"},
	"evaluate":               {"board", "dataset", "encode", "internal/splitmix", "network/predict", "rows"},
	"fleet":                  {"dataset", "fleet/wire", "internal/durable"},
	"fleet/searches":         {"board", "dataset", "fleet", "fleet/wire", "internal/durable", "stockfish"},
	"fleet/wire":             {},
	"internal/cache":         {"internal/durable"},
	"internal/child":         {},
	"internal/durable":       {},
	"internal/golden":        {},
	"internal/ordered":       {},
	"internal/page":          {"board", "internal/plain"},
	"internal/page/pagetest": {"internal/plain"},
	"internal/plain":         {},
	"internal/remake":        {"internal/durable"},
	"internal/splitmix":      {},
	"loop": {
		"board", "dataset", "internal/cache", "internal/durable", "internal/page", "internal/remake",
		"network/checkpoint", "network/run", "pipeline/output", "play/game", "shards",
	},
	"mates":              {"board", "dataset"},
	"network/backend":    {"network/model", "network/ort"},
	"network/builtin":    {"network/checkpoint"},
	"network/checkpoint": {"internal/durable"},
	"network/model":      {"encode", "network/onnx"},
	"network/onnx":       {"network/checkpoint"},
	"network/ort":        {},
	"network/predict": {
		"board", "encode", "network/backend", "network/checkpoint", "network/model", "network/onnx", "network/ort",
		"network/recipe", "network/run",
	},
	"network/predict/tinyrun": {"network/checkpoint", "network/model", "network/recipe", "network/run"},
	"network/recipe":          {"encode", "network/model"},
	"network/run": {
		"dataset", "internal/durable", "network/builtin", "network/checkpoint", "network/model", "network/recipe",
		"network/schedule",
	},
	"network/schedule": {},
	"pgn":              {"board", "dataset"},
	"pipeline":         {"internal/page"},
	"pipeline/aggregate": {
		"board", "dataset", "internal/durable", "internal/ordered", "internal/remake", "pipeline", "pipeline/output",
		"shards",
	},
	"pipeline/diff": {"dataset", "internal/plain", "pipeline", "shards"},
	"pipeline/endgames": {
		"board", "dataset", "internal/ordered", "internal/remake", "pipeline", "pipeline/output", "synth",
	},
	"pipeline/exportdata": {
		"binpack", "board", "dataset", "encode", "internal/durable", "internal/ordered", "pipeline", "shards",
	},
	"pipeline/games": {
		"board", "dataset", "internal/ordered", "internal/remake", "pipeline", "pipeline/output", "play/game",
		"stockfish",
	},
	"pipeline/ingest": {
		"binpack", "board", "columnar", "dataset", "internal/cache", "internal/durable", "internal/ordered",
		"internal/plain", "internal/remake", "lc0", "pgn", "pipeline", "pipeline/output", "rows", "shards", "synth",
		"viriformat",
	},
	"pipeline/inspect": {
		"board", "dataset", "encode", "internal/ordered", "internal/page", "internal/plain", "pipeline", "shards",
	},
	"pipeline/internal/madeup": {"board", "dataset", "internal/durable", "pipeline/output", "shards"},
	"pipeline/label": {
		"board", "dataset", "encode", "fleet", "internal/durable", "internal/ordered", "internal/remake", "mates",
		"pipeline", "pipeline/output", "shards", "stockfish", "syzygy",
	},
	"pipeline/output":  {"dataset", "internal/durable", "internal/ordered", "internal/remake", "shards"},
	"pipeline/overlap": {"dataset"},
	"pipeline/plan": {
		"dataset", "pipeline", "pipeline/aggregate", "pipeline/ingest", "pipeline/stats", "pipeline/verify", "rows",
	},
	"pipeline/predict": {
		"board", "dataset", "encode", "internal/durable", "internal/ordered", "internal/remake", "pipeline",
		"pipeline/output", "shards",
	},
	"pipeline/selfplay": {
		"board", "dataset", "internal/ordered", "internal/remake", "internal/splitmix", "pipeline", "pipeline/output",
		"play/game", "play/mcts", "shards", "synth",
	},
	"pipeline/solve": {
		"board", "dataset", "evaluate", "internal/splitmix", "pipeline", "pipeline/ingest", "play/game", "rows",
		"shards",
	},
	"pipeline/stats": {
		"board", "dataset", "encode", "internal/ordered", "internal/page", "internal/plain", "internal/splitmix",
		"pipeline", "pipeline/overlap", "rows", "shards",
	},
	"pipeline/tactics": {"board", "dataset", "internal/remake", "pipeline", "pipeline/output", "shards"},
	"pipeline/verify":  {"board", "dataset", "encode", "pipeline", "pipeline/overlap", "shards"},
	"play/console":     {"board", "internal/page", "play/session"},
	"play/engine": {
		"board", "dataset", "encode", "network/backend", "network/builtin", "network/predict", "network/recipe",
		"network/run", "play/game", "play/match", "play/mcts", "play/pace", "play/player", "stockfish",
	},
	"play/internal/fakenet": {"board", "play/mcts", "play/player"},
	"play/game":             {"board", "dataset", "internal/child", "internal/splitmix", "stockfish/uci"},
	"play/match": {
		"board", "dataset", "internal/durable", "internal/page", "internal/remake", "internal/splitmix",
		"network/builtin", "pgn", "play/game", "play/match/stats", "rows", "stockfish", "stockfish/uci", "syzygy",
	},
	"play/match/stats":      {},
	"play/mcts":             {"board", "internal/splitmix"},
	"play/pace":             {"play/mcts"},
	"play/people":           {"board", "dataset", "encode", "play/engine", "play/mcts", "stockfish"},
	"play/player":           {"board", "dataset", "play/mcts", "play/pace"},
	"play/session":          {"board", "dataset", "play/game", "play/mcts", "play/pace", "play/player"},
	"play/tables":           {"board", "play/mcts", "stockfish", "syzygy"},
	"play/uci":              {"board", "dataset", "internal/plain", "play/mcts", "play/pace", "play/player"},
	"rows":                  {"board", "dataset"},
	"scripts/makegames":     {"board", "internal/ordered", "internal/splitmix", "play/game", "play/match", "shards"},
	"scripts/makeopenings":  {"board", "dataset", "stockfish"},
	"scripts/makerelease":   {},
	"scripts/makesample":    {},
	"scripts/measurepeople": {"board", "dataset", "encode", "play/engine", "play/people", "shards"},
	"shards":                {"board", "dataset", "internal/durable", "internal/ordered"},
	"stockfish":             {"board", "dataset", "internal/child", "stockfish/uci", "syzygy"},
	"stockfish/uci":         {"board", "dataset", "internal/child"},
	"studio": {
		"board", "dataset", "encode", "internal/cache", "internal/durable", "internal/page", "internal/plain",
		"network/backend", "network/builtin", "network/checkpoint", "network/model", "network/recipe", "network/run",
		"pgn", "pipeline", "pipeline/inspect", "pipeline/output", "pipeline/stats", "play/engine", "play/match",
		"play/mcts", "play/people", "play/player", "play/session", "stockfish", "train", "train/job", "train/loader",
		"train/report",
	},
	"synth":             {"board", "dataset"},
	"syzygy":            {"board", "internal/cache", "internal/durable", "internal/ordered"},
	"syzygy/syzygytest": {"board", "syzygy"},
	"train": {
		"encode", "internal/durable", "internal/splitmix", "network/backend", "network/checkpoint",
		"network/model", "network/recipe", "network/run", "network/schedule", "train/tensorboard",
	},
	"train/internal/madeup":     {"board", "dataset", "internal/durable", "shards"},
	"train/internal/testrecipe": {"board", "dataset", "encode", "network/model", "network/recipe"},
	"train/job": {
		"dataset", "encode", "evaluate", "internal/cache", "internal/durable", "internal/remake", "network/backend",
		"network/builtin", "network/checkpoint", "network/model", "network/predict", "network/recipe", "network/run",
		"rows", "shards", "train", "train/loader", "train/report",
	},
	"train/loader": {
		"board", "dataset", "encode", "evaluate", "internal/cache", "internal/durable", "internal/ordered",
		"internal/splitmix", "network/run", "rows", "shards", "train",
	},
	"train/report":      {"board", "evaluate", "internal/page", "network/recipe", "network/run", "train"},
	"train/tensorboard": {},
	"trial": {
		"internal/child", "internal/durable", "network/backend", "network/run", "train", "train/job", "train/loader",
	},
	"lc0":        {"board", "dataset"},
	"viriformat": {"board", "dataset"},
}

// knowGoMLX are the rooms that may import GoMLX, and the file that sets its plugins up.
var knowGoMLX = []string{"network", "train", "trial", "cmd/talbot/setup_xla.go"}

// floorOf returns the floor of a package, counted from 0; −1 for one in no room.
func floorOf(path string) int {
	return slices.IndexFunc(floors, func(rooms []string) bool {
		return slices.ContainsFunc(rooms, func(room string) bool { return insideRoom(path, room) })
	})
}

// insideRoom reports whether a path is that of a room or of something in it.
func insideRoom(path, room string) bool { return path == room || strings.HasPrefix(path, room+"/") }

// importsOf returns what the files of each package import, tests left out.
func importsOf(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		file := filepath.ToSlash(rel)
		from := filepath.ToSlash(filepath.Dir(rel))
		if _, ok := found[from]; !ok {
			found[from] = nil
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if strings.HasPrefix(name, "github.com/gomlx/") &&
				!slices.ContainsFunc(knowGoMLX, func(room string) bool { return insideRoom(file, room) }) {
				t.Errorf("%s imports %s", file, name)
			}
			if to, ok := strings.CutPrefix(name, "talbot/"); ok && !slices.Contains(found[from], to) {
				found[from] = append(found[from], to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestArrows keeps the imports of the packages in their direction and as they are written down, and GoMLX in its rooms.
func TestArrows(t *testing.T) {
	found := importsOf(t, "../..")
	if len(found) < 50 {
		t.Errorf("only %d packages were looked at", len(found))
	}
	for from, list := range found {
		may, known := arrows[from]
		if !known || floorOf(from) < 0 {
			t.Errorf("%s is in no room: see docs/9-development.md", from)
		}
		for _, to := range list {
			if !slices.Contains(may, to) {
				t.Errorf("%s imports %s, which is not written down", from, to)
			}
			if floorOf(to) > floorOf(from) {
				t.Errorf("%s imports %s: the arrow turns back", from, to)
			}
		}
		for _, to := range may {
			if !slices.Contains(list, to) {
				t.Errorf("%s does not import %s any more", from, to)
			}
		}
	}
	for from := range arrows {
		if _, ok := found[from]; !ok {
			t.Errorf("%s is written down and not there", from)
		}
	}
}
