package shards_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"talbot/board"
	"talbot/dataset"
	"talbot/shards"
)

// A line is written to a shard, which is there once it is committed, and read back.
func Example() {
	dir, err := os.MkdirTemp("", "shards")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	w, err := shards.Create(dir, 0, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Commit
	line := dataset.Line{Start: board.StartPosition(), Source: dataset.SourceGame, WhiteElo: 2700,
		Tags: []dataset.Tag{{Name: "White", Value: "Tal"}}}
	for _, uci := range []string{"e2e4", "e7e5", "g1f3"} {
		p := line.Start
		for _, m := range line.Moves {
			p.Play(m)
		}
		m, err := p.ParseUCI(uci)
		if err != nil {
			log.Fatal(err)
		}
		line.Moves = append(line.Moves, m)
	}
	if err := w.Write(&line); err != nil {
		log.Fatal(err)
	}
	info, err := w.Commit()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.File, info.Lines, "line", info.Samples, "samples")

	r, err := shards.Open(filepath.Join(dir, info.File), shards.Tags)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for l, err := range r.Lines() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(l.Tags, l.Moves, l.WhiteElo) // ratings were not asked for
	}
	// Output:
	// shard-00000.talbot.zst 1 line 3 samples
	// [{White Tal}] [e2e4 e7e5 g1f3] 0
}
