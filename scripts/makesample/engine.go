package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// engine is a UCI engine with one thread. It trusts its engine to answer: this is a tool run by hand.
type engine struct {
	name  string // as the engine names itself
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	multi int // the present MultiPV
}

// searched is one line of a search.
type searched struct {
	cp   int // centipawns for the side to move; mates are ±(mateScore − moves)
	mate int // in moves, negative if the side to move is mated, 0 if there is none
	move string
}

const mateScore = 100_000

// found is the outcome of a search.
type found struct {
	lines []searched // best first
	depth int        // the depth from which the best move stayed the best
}

func startEngine(path string) (*engine, error) {
	e := &engine{cmd: exec.Command(path), multi: 1}
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.out = bufio.NewScanner(out)
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	e.send("uci")
	err = e.until("uciok", func(line string) {
		if name, ok := strings.CutPrefix(line, "id name "); ok {
			e.name = name
		}
	})
	e.send("setoption name Threads value 1")
	e.send("setoption name Hash value 16")
	return e, err
}

func (e *engine) close() {
	e.send("quit")
	e.cmd.Wait()
}

func (e *engine) send(format string, args ...any) { fmt.Fprintf(e.in, format+"\n", args...) }

// until reads lines up to one that starts with word, and shows each of them to see.
func (e *engine) until(word string, see func(string)) error {
	for e.out.Scan() {
		see(e.out.Text())
		if strings.HasPrefix(e.out.Text(), word) {
			return nil
		}
	}
	return errors.Join(fmt.Errorf("the engine ended before %q", word), e.out.Err())
}

// clear empties the engine's hash.
func (e *engine) clear() error {
	e.send("ucinewgame")
	e.send("isready")
	return e.until("readyok", func(string) {})
}

// search searches the position reached from start, a FEN, by the moves, for that many nodes. The side to move must have
// a legal move.
func (e *engine) search(start string, moves []string, nodes, multi int) (found, error) {
	if multi != e.multi {
		e.send("setoption name MultiPV value %d", multi)
		e.multi = multi
	}
	e.send("position fen %s moves %s", start, strings.Join(moves, " "))
	e.send("go nodes %d", nodes)
	var f found
	err := e.until("bestmove", func(line string) { f.info(strings.Fields(line)) })
	if err == nil && len(f.lines) == 0 {
		err = fmt.Errorf("no score for %q after %q", start, moves)
	}
	return f, err
}

// info takes an exact score from the words of an info line.
func (f *found) info(words []string) {
	if len(words) == 0 || words[0] != "info" {
		return
	}
	rank, depth, s, scored := 1, 0, searched{}, false
	for i := 1; i+1 < len(words); i++ {
		n, _ := strconv.Atoi(words[i+1])
		switch words[i] {
		case "string", "lowerbound", "upperbound":
			return
		case "depth":
			depth = n
		case "multipv":
			rank = n
		case "cp":
			s.cp, scored = n, true
		case "mate":
			s.mate, s.cp, scored = n, mateScore-n, true
			if n < 0 {
				s.cp = -mateScore - n
			}
		case "pv":
			s.move = words[i+1]
		}
	}
	if !scored || s.move == "" || rank > len(f.lines)+1 {
		return
	}
	if rank == 1 && (len(f.lines) == 0 || f.lines[0].move != s.move) {
		f.depth = depth
	}
	if rank > len(f.lines) {
		f.lines = append(f.lines, s)
	} else {
		f.lines[rank-1] = s
	}
}

// fresh searches with an empty hash.
func fresh(e *engine, start string, moves []string, nodes, multi int) (found, error) {
	if err := e.clear(); err != nil {
		return found{}, err
	}
	return e.search(start, moves, nodes, multi)
}
