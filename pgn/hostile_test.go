package pgn

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"talbot/dataset"
	"talbot/formats/rows"
)

// repeated is that many bytes of a text that repeats.
type repeated struct {
	text string
	left int64
	at   int
}

func repeat(text string, size int64) io.Reader { return &repeated{text: text, left: size} }

func (r *repeated) Read(p []byte) (n int, err error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.left)]
	for n < len(p) {
		k := copy(p[n:], r.text[r.at:])
		n, r.at = n+k, (r.at+k)%len(r.text)
	}
	r.left -= int64(n)
	return n, nil
}

// TestHostile reads what no tool writes, each between two good games, plain and as a zstd bomb: nothing takes more
// memory than the splitter says, and the game behind it is read.
func TestHostile(t *testing.T) {
	const huge = 100 << 20
	for name, c := range map[string]struct {
		middle func() io.Reader
		want   dataset.Reason // of the game in the middle; "": it is read
	}{
		"a comment of 100 MB": {func() io.Reader {
			return around("[Event \"x\"]\n\n1. e4 {", repeat("x", huge), "} e5 1-0\n")
		}, dataset.TooLong},
		"a line of 100 MB": {func() io.Reader {
			return around("[Event \"x\"]\n\n", repeat("1. Nf3 Nf6 2. Ng1 Ng8 ", huge), "1-0\n")
		}, dataset.TooLong},
		"a tag of 100 MB": {func() io.Reader {
			return around("[Event \"", repeat("y", huge), "\"]\n\n1. e4 1-0\n")
		}, dataset.TooLong},
		"100 MB of lines": {func() io.Reader {
			return around("[Event \"x\"]\n\n", repeat("1. Nf3 Nf6\n", huge), "1-0\n")
		}, dataset.TooLong},
		"100 MB of blank lines": {func() io.Reader {
			return around("[Event \"x\"]\n\n", repeat("\n", huge), "1. e4 1-0\n")
		}, dataset.TooLong},
		"100 MB of zeros": {func() io.Reader {
			return around("[Event \"x\"]\n\n1. e4 ", repeat("\x00", huge), " 1-0\n")
		}, dataset.TooLong},
		"100,000 nested variations": {func() io.Reader {
			return around("[Event \"x\"]\n\n1. e4 ", repeat("(1. d4 ", 700_000), strings.Repeat(")", 100_000)+" 1-0\n")
		}, ""},
		"variations never closed": {func() io.Reader {
			return around("[Event \"x\"]\n\n1. e4 ", repeat("(1. d4 ", 700_000), " 1-0\n")
		}, dataset.BadSyntax},
		"a tag block of 10 MB": {func() io.Reader {
			return around("[Event \"x\"]\n", repeat("[A \"b\"]\n", 10<<20), "\n1. e4 1-0\n")
		}, ""},
		"1,000,000 opening brackets": {func() io.Reader {
			return around("[Event \"x\"]\n", repeat("[", 1<<20), "\n\n1. e4 1-0\n")
		}, ""},
	} {
		for _, packed := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " packed"}[packed], func(t *testing.T) {
				file := io.MultiReader(strings.NewReader(cleanGame+"\n"), c.middle(), strings.NewReader("\n"+cleanGame))
				if packed {
					var bomb bytes.Buffer
					w, err := zstd.NewWriter(&bomb, zstd.WithEncoderLevel(zstd.SpeedFastest),
						zstd.WithEncoderConcurrency(1))
					if err != nil {
						t.Fatal(err)
					}
					if _, err := io.Copy(w, file); err != nil {
						t.Fatal(err)
					}
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
					file = &bomb
				}
				in, err := rows.NewInput("hostile", file)
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				var reasons []dataset.Reason
				var p Parser
				var m runtime.MemStats
				err = eachGame(NewSplitter(in), func(g Game) {
					_, reject := p.Parse(g)
					reason := dataset.Reason("")
					if reject != nil {
						reason = reject.Reason
					}
					reasons = append(reasons, reason)
					if runtime.ReadMemStats(&m); m.HeapInuse > 6*MaxGame+64<<20 {
						runtime.GC() // what is left is no garbage
						if runtime.ReadMemStats(&m); m.HeapInuse > 6*MaxGame+64<<20 {
							t.Errorf("%d MiB in use", m.HeapInuse>>20)
						}
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				if len(reasons) != 3 || reasons[0] != "" || reasons[1] != c.want || reasons[2] != "" {
					t.Errorf("%q, want %q between good games", reasons, c.want)
				}
			})
		}
	}
}

func around(before string, middle io.Reader, behind string) io.Reader {
	return io.MultiReader(strings.NewReader(before), middle, strings.NewReader(behind))
}
