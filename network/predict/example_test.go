package predict_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/backend"
	"talbot/network/predict"
)

// A network says how likely each legal move is, and the value of a position.
func Example() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	b, err := backend.Open("go") // or backend.OpenForInference("auto")
	if err != nil {
		log.Fatal(err)
	}
	defer b.Finalize()
	p, err := predict.Open(b, tiny(dir), predict.Options{Batches: []int{1}}) // the folder of a run
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()

	encoder, view := p.Encoder(), new(encode.View)
	layout := encoder.Layout()
	view.Play(board.NewGame(board.StartPosition()), 0, 0)
	q := predict.Input{Packed: make([]uint64, layout.Words)}
	encoder.Pack(q.Packed, view)
	for _, m := range view.Legal() {
		q.Codes = append(q.Codes, view.EncodeMove(encoder, layout.Codes, m)...)
	}
	answers := make([]predict.Output, 1)
	if err := p.Predict(context.Background(), []predict.Input{q}, answers); err != nil {
		log.Fatal(err)
	}
	sum := 0.0
	for _, logarithm := range answers[0].Prior {
		sum += math.Exp(float64(logarithm))
	}
	fmt.Printf("%s: the probabilities of %d moves sum to %.3f\n", encoder.Name(), len(answers[0].Prior), sum)
	fmt.Println("a value within -1 and 1:", math.Abs(float64(answers[0].Value)) <= 1)
	// Output:
	// talbotbot: the probabilities of 20 moves sum to 1.000
	// a value within -1 and 1: true
}

// tiny writes the run of a small network, which was never trained.
func tiny(dir string) string {
	t := folder{dir: dir}
	c := tinyrun.Config(t, "talbotbot", "blocks=1", "filters=8")
	run, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
	return run
}

// folder is a [testing.TB] for an example, which gets none.
type folder struct {
	testing.TB
	dir string
}

func (folder) Helper()           {}
func (f folder) TempDir() string { return f.dir }
func (folder) Fatal(args ...any) { log.Fatal(args...) }
