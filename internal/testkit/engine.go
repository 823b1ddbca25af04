package testkit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"talbot/board"
)

// Environment variables that the engine heeds.
const (
	FailOn     = "TALBOT_TEST_FAIL_ON"     // the position, as EPD, on which it ends
	HasMemory  = "TALBOT_TEST_MEMORY"      // if set, scores depend on all searches since the memory was cleared
	SearchTime = "TALBOT_TEST_SEARCH_TIME" // milliseconds that a search takes; 1 without it
	Lie        = "TALBOT_TEST_LIE"         // a number N: of one position in N the score is wrong

	searchLog = "TALBOT_TEST_SEARCHES" // file to which it adds a line for each search: the limit and the position
)

// Engine makes the children that the test starts engines, and returns the engine's path.
func Engine(t testing.TB) string {
	t.Helper()
	t.Setenv(childVariable, "engine")
	return self(t)
}

// EngineInChild is [Engine] in a child.
func EngineInChild() (string, error) {
	if err := os.Setenv(childVariable, "engine"); err != nil {
		return "", err
	}
	return os.Executable()
}

// EngineScript writes a program that is the engine with settings such as "NAME=VALUE": another build of it.
func EngineScript(t testing.TB, name, settings string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	text := fmt.Sprintf("#!/bin/sh\n%s=engine %s exec %q\n", childVariable, settings, self(t))
	OK(t, os.WriteFile(path, []byte(text), 0o700))
	return path
}

// Searches has engines log what they search, and returns a function that counts the log and empties it.
func Searches(t testing.TB) func() int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "searches")
	t.Setenv(searchLog, path)
	return func() int {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		OK(t, os.WriteFile(path, nil, 0o666))
		return bytes.Count(text, []byte("\n"))
	}
}

func logSearch(limit string, p *board.Position) {
	path := os.Getenv(searchLog)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "%s: %s\n", limit, p.FEN())
}

// Score is what the engine gives a position.
func Score(fen string) int {
	h := fnv.New32a()
	h.Write([]byte(fen))
	return int(h.Sum32()%400) - 200
}

// engine is a UCI engine whose score is a function of the position alone.
func engine() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	p := board.StartPosition()
	var since []string // searched since the memory was cleared
	for in.Scan() {
		f := strings.Fields(in.Text())
		switch f[0] {
		case "ucinewgame":
			since = nil
		case "uci":
			fmt.Println("id name Test Engine\nid author nobody\noption name Threads type spin default 1 min 1 max " +
				"8\noption name Hash type spin default 16 min 1 max 64\noption name SyzygyPath type string\nuciok")
		case "isready":
			fmt.Println("readyok")
		case "position":
			p = position(f[1:])
		case "d": // what tables say; not a word of the search
			logSearch("d", &p)
			fmt.Println("Tablebases WDL: " + [...]string{"Loss", "Draw", "Win"}[p.Key()%3] + " (Success)")
			fmt.Println("Tablebases DTZ: 1 (Success)")
		case "go":
			if f := os.Getenv(FailOn); f != "" && p.EPD() == f {
				os.Exit(1)
			}
			logSearch(in.Text(), &p)
			if milliseconds, err := strconv.Atoi(os.Getenv(SearchTime)); err == nil {
				time.Sleep(time.Duration(milliseconds) * time.Millisecond)
			} else {
				time.Sleep(time.Millisecond)
			}
			m := p.LegalMoves(nil)[0]
			if _, only, ok := strings.Cut(in.Text(), " searchmoves "); ok {
				m, _ = p.ParseUCI(strings.Fields(only)[0])
			}
			seen := ""
			if os.Getenv(HasMemory) != "" {
				seen = fmt.Sprint(since)
				since = append(since, p.FEN())
			}
			score := Score(seen + p.FEN())
			if n, err := strconv.Atoi(os.Getenv(Lie)); err == nil && p.Key()%uint64(n) == 0 {
				score++
			}
			fmt.Printf("info depth 3 seldepth 4 multipv 1 score cp %d nodes 77 nps 1000 time 1 pv %v\nbestmove %v\n",
				score, m, m)
		case "quit":
			return
		}
	}
}

func position(f []string) board.Position {
	p := board.StartPosition()
	if f[0] == "fen" {
		p = Must(board.ParseFEN(strings.Join(f[1:7], " ")))
		f = f[6:]
	}
	if len(f) > 1 && f[1] == "moves" {
		Must(p.PlayUCI(f[2:]...))
	}
	return p
}
