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

// arrows says which of our rooms each room may import; "train/*" are all rooms inside one. A room inside a room that is
// not named here has the arrows of the room around it, and such rooms may import each other.
var arrows = map[string][]string{
	"board":             {},
	"internal/child":    {},
	"internal/golden":   {},
	"internal/durable":  {},
	"internal/cache":    {"internal/durable"},
	"internal/ordered":  {},
	"internal/plain":    {},
	"internal/page":     {"board", "internal/plain"},
	"dataset":           {"board", "internal/durable", "internal/ordered"},
	"rows":              {"board", "dataset"},
	"pgn":               {"board", "dataset", "rows"},
	"synth":             {"board", "dataset"},
	"shards":            {"board", "dataset", "internal/durable", "internal/ordered"},
	"syzygy":            {"board", "internal/cache", "internal/durable", "internal/ordered"},
	"stockfish":         {"board", "dataset", "syzygy", "internal/child"},
	"encode":            {"board", "dataset"},
	"train/model":       {"encode", "train/onnx"},
	"train/ort":         {},
	"train/backend":     {"train/model", "train/ort"},
	"train/checkpoint":  {"internal/durable"},
	"train/tensorboard": {},
	"train/onnx":        {"train/checkpoint"},
	"train/schedule":    {},
	"train/recipe":      {"encode", "train/model"},
	"train/run": {"dataset", "encode", "internal/durable", "train/model", "train/recipe", "train/checkpoint",
		"train/schedule"},
	"train/predict": {"encode", "train/model", "train/backend", "train/checkpoint", "train/onnx", "train/ort",
		"train/recipe", "train/run"},
	"train/evaluate": {"board", "dataset", "rows", "encode", "train/predict"},
	"train": {"encode", "internal/durable", "train/model", "train/backend",
		"train/checkpoint", "train/tensorboard", "train/recipe", "train/run", "train/schedule"},
	"train/loader": {"board", "dataset", "rows", "shards", "encode", "internal/cache", "internal/durable",
		"internal/ordered", "train", "train/run", "train/evaluate"},
	"train/report": {"board", "internal/page", "train", "train/run", "train/evaluate"},
	"train/job": {"dataset", "rows", "shards", "encode", "internal/cache", "internal/durable", "train",
		"train/*"},
	"train/trial":      {"internal/child", "internal/durable", "train", "train/*"},
	"train/internal":   {"board", "dataset", "shards", "encode", "train/model", "train/recipe", "internal/durable"},
	"pipeline":         {},
	"pipeline/output":  {"dataset", "shards", "internal/durable", "internal/ordered"},
	"pipeline/overlap": {"board", "dataset"},
	"pipeline/ingest": {"board", "dataset", "rows", "pgn", "shards", "synth", "pipeline", "pipeline/output",
		"internal/durable", "internal/ordered", "internal/plain"},
	"pipeline/endgames": {"board", "dataset", "synth", "pipeline", "pipeline/output", "internal/ordered"},
	"fleet":             {"board", "dataset", "stockfish", "internal/durable"},
	"pipeline/label": {"board", "dataset", "shards", "syzygy", "stockfish", "fleet", "encode", "pipeline",
		"pipeline/output", "internal/durable", "internal/ordered"},
	"pipeline/tactics": {"board", "dataset", "shards", "pipeline", "pipeline/output", "pipeline/label"},
	"pipeline/aggregate": {"board", "dataset", "shards", "pipeline", "pipeline/output", "internal/durable",
		"internal/ordered"},
	"pipeline/predict": {"board", "dataset", "shards", "encode", "pipeline", "pipeline/output", "internal/durable",
		"internal/ordered"},
	"pipeline/stats": {"board", "dataset", "rows", "shards", "encode", "pipeline", "pipeline/overlap",
		"internal/ordered",
		"internal/page", "internal/plain"},
	"pipeline/verify":   {"board", "dataset", "shards", "encode", "pipeline", "pipeline/overlap"},
	"pipeline/diff":     {"board", "dataset", "shards", "pipeline", "internal/plain"},
	"pipeline/inspect":  {"board", "dataset", "shards", "encode", "pipeline", "internal/plain"},
	"pipeline/plan":     {"board", "dataset", "rows", "pgn", "shards", "pipeline", "pipeline/ingest"},
	"pipeline/internal": {"board", "dataset", "shards", "pipeline/output", "internal/durable"},
	"play/mcts":         {"board"},
	"play/pace":         {"play/mcts"},
	"play/player":       {"board", "dataset", "play/mcts", "play/pace"},
	"play/tables":       {"board", "syzygy", "stockfish", "play/mcts"},
	"play/uci":          {"board", "internal/plain", "play/mcts", "play/pace", "play/player"},
	"play/console":      {"board", "play/match", "play/mcts", "play/pace", "play/player"},
	"play/engine": {"board", "dataset", "encode", "stockfish", "play/match", "play/mcts", "play/pace", "play/player",
		"train/predict", "train/backend", "train/checkpoint", "train/recipe", "train/run"},
	"play/internal":    {"board", "play/mcts", "play/player"},
	"play/match/stats": {},
	"play/match": {"board", "dataset", "rows", "pgn", "syzygy", "stockfish", "internal/child", "internal/durable",
		"play/match/stats"},
	"cmd": {"board", "dataset", "rows", "shards", "synth", "syzygy", "stockfish", "fleet", "encode", "train", "train/*",
		"pipeline", "pipeline/*", "internal/cache", "internal/durable", "internal/plain", "play/*"},
	"scripts": {"board", "dataset", "stockfish"},
}

// roomOf returns the room with arrows of its own that a package or file of ours is in.
func roomOf(path string) (room string, ok bool) {
	for room = path; room != "." && room != "/"; room = filepath.ToSlash(filepath.Dir(room)) {
		if _, ok := arrows[room]; ok {
			return room, true
		}
	}
	return "", false
}

// TestArrows keeps the imports of the rooms in their direction, and GoMLX in
// train.
func TestArrows(t *testing.T) {
	root := "../.."
	files := 0
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
		room, ok := roomOf(filepath.ToSlash(filepath.Dir(rel)))
		may := arrows[room]
		if !ok {
			t.Errorf("%s is in no room", rel)
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if strings.HasPrefix(name, "github.com/gomlx/") && !strings.HasPrefix(room, "train") &&
				rel != filepath.Join("cmd", "talbot", "setup_xla.go") {
				t.Errorf("%s imports %s", rel, name)
			}
			ours, found := strings.CutPrefix(name, "talbot/")
			other, _ := roomOf(ours)
			around, _, _ := strings.Cut(other, "/")
			if found && other != room && !slices.Contains(may, other) && !slices.Contains(may, around+"/*") {
				t.Errorf("%s imports %s: the arrow turns back", rel, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("only %d files were looked at", files)
	}
}
