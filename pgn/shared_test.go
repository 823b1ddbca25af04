package pgn

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
)

// sharedData is where the test data lie that are not part of the repository.
const sharedData = "../../shared/data"

// tally is what reading a file gives.
type tally struct {
	games, kept, plies int
	rejects            map[dataset.Reason]int
	finals             string // first 16 hex digits of the SHA-256 of every kept game's final FEN and a line feed
	first              *dataset.Reject
}

// sharedFiles holds, for every shared PGN file, what python-chess 1.11.2 reads: games, games with at least one move
// and no error of a standard variant, their plies, and the hash of their final FENs. Where the numbers of the
// data's own README differ, why says so.
var sharedFiles = []struct {
	file               string
	games, kept, plies int
	finals             string
	rejects            map[dataset.Reason]int
	why                string
}{
	{"corpus/gm-corpus.pgn.zst", 328546, 328544, 26997831, "5da268b68cb7b1f3",
		map[dataset.Reason]int{dataset.IllegalMove: 2}, "212 games have two blank lines before their moves, at " +
			"which python-chess splits them"},
	{"corpus/tcec-evals.pgn.zst", 20657, 20655, 2944915, "a9162d67d63aa433",
		map[dataset.Reason]int{dataset.Chess960: 2}, "2 games start from Chess960 positions with rights for them " +
			"and without a Variant tag; python-chess reads them as standard"},
	{"pgn/dirty/alphazero-game92-bom.pgn", 1, 1, 103, "992cd83bae235b9f", nil, ""},
	{"pgn/dirty/notnil-chess/0001.pgn", 1, 1, 89, "6140a994bcbdbad6", nil, ""},
	{"pgn/dirty/notnil-chess/0002.pgn", 1, 1, 89, "6140a994bcbdbad6", nil, ""},
	{"pgn/dirty/notnil-chess/0003.pgn", 1, 1, 5, "1f4fc9cd6fb72cde", nil, ""},
	{"pgn/dirty/notnil-chess/0004.pgn", 1, 1, 26, "fd02b9e004397a4c", nil, ""},
	{"pgn/dirty/notnil-chess/0005.pgn", 1, 1, 41, "83b540a4b9f4dc77", nil, ""},
	{"pgn/dirty/notnil-chess/0006.pgn", 5, 5, 391, "e78f40287412939f", nil, ""},
	{"pgn/dirty/notnil-chess/0007.pgn", 5, 5, 514, "a514636ad4a4dbe6", nil, ""},
	{"pgn/dirty/notnil-chess/0008.pgn", 1, 1, 4, "d36837bf4bcf972f", nil, ""},
	{"pgn/dirty/notnil-chess/0009.pgn", 1, 1, 6, "f5595d14e9035f5a", nil, ""},
	{"pgn/dirty/notnil-chess/0010.pgn", 1, 1, 6, "f5595d14e9035f5a", nil, ""},
	{"pgn/dirty/notnil-chess/0011.pgn", 1, 1, 83, "5105c070c669797c", nil, ""},
	{"pgn/dirty/notnil-chess/0012.pgn", 1, 0, 0, "e3b0c44298fc1c14", map[dataset.Reason]int{dataset.NoMoves: 1}, ""},
	{"pgn/dirty/notnil-chess/0013.pgn", 3, 3, 52, "8ae92b3785bad851", nil, ""},
	{"pgn/dirty/notnil-chess/0014.pgn", 5, 5, 33, "9ce2bd2ca42a4034", nil, ""},
	{"pgn/dirty/notnil-chess/0015.pgn", 1, 1, 2, "825b646dfb06c8da", nil, ""},
	{"pgn/dirty/pgn-toys/game4.pgn", 1, 1, 17, "736ac3f2cf85d615", nil, ""},
	{"pgn/dirty/pgn-toys/game5.pgn", 1, 1, 8, "59fca8d525d9f028", nil, ""},
	{"pgn/dirty/pgn-toys/game6.pgn", 1, 1, 10, "ad5a188c3c2dc629", nil, ""},
	{"pgn/dirty/pgn-toys/game7.pgn", 1, 1, 155, "28aad041f044e212", nil, ""},
	{"pgn/dirty/pychess-lessons/lichess_study_2nd-part-game-puzzles-with-interactive-lessons_by_Francesco_Super_2018.01.03.pgn", 16, 16, 142, "e2f5c1cdb51d6cd5", nil, "game 15 is standard chess with castling rights Kq of a king on c1 and one on g8: dropped here, kept in python-chess’s FEN"},
	{"pgn/dirty/pychess-lessons/lichess_study_beautiful-chess-studies-1_by_thijscom_2018.03.05.pgn", 64, 64, 587,
		"dd478b97621ff05d", nil, ""},
	{"pgn/dirty/pychess-lessons/lichess_study_beta-lichess-practice-7th-rank-rook-pawn-with-a-passive-rook_by_arex_2018.04.04.pgn", 9, 7, 191, "c7f5d78a390a0a91", map[dataset.Reason]int{dataset.NoMoves: 2}, ""},
	{"pgn/dirty/pychess-lessons/lichess_study_beta-lichess-practice-queen-vs-7th-rank-pawn_by_arex_2018.04.02.pgn", 18,
		11, 229, "c95b1a95b4c272b1", map[dataset.Reason]int{dataset.NoMoves: 7}, ""},
	{"pgn/dirty/pychess-lessons/lichess_study_game-puzzles-with-interactive-lessons_by_Francesco_Super_2017.08.27.pgn",
		19, 19, 119, "a58c697e8426a002", nil, ""},
	{"pgn/dirty/pychess-puzzles/mate_in_2.pgn", 166, 166, 498, "21a61b972f9b993b", nil, ""},
	{"pgn/dirty/python-chess/anastasian-lewis.pgn", 1, 0, 0, "e3b0c44298fc1c14",
		map[dataset.Reason]int{dataset.NullMove: 1}, "a null move, played by python-chess (84 plies)"},
	{"pgn/dirty/python-chess/antichess-programfox.pgn", 2, 0, 0, "e3b0c44298fc1c14",
		map[dataset.Reason]int{dataset.Variant: 2}, "the README counts the 126 plies of the variant"},
	{"pgn/dirty/python-chess/chessbase-empty-line.pgn", 1, 1, 134, "b004dbc05c0a1d79", nil, ""},
	{"pgn/dirty/python-chess/cutechess-fischerrandom.pgn", 4, 0, 0, "e3b0c44298fc1c14",
		map[dataset.Reason]int{dataset.Chess960: 4}, "the README counts the 396 plies of Chess960"},
	{"pgn/dirty/python-chess/kasparov-deep-blue-1997.pgn", 6, 6, 519, "293d10a1badeaf9d", nil, ""},
	{"pgn/dirty/python-chess/knightvuillaume-jannlee-zh-lichess.pgn", 1, 0, 0, "e3b0c44298fc1c14",
		map[dataset.Reason]int{dataset.Variant: 1}, "the README counts the 48 plies of the variant"},
	{"pgn/dirty/python-chess/molinari-bordais-1979.pgn", 1, 1, 10, "e79a937bce8da634", nil, ""},
	{"pgn/dirty/python-chess/nepomniachtchi-liren-game1.pgn", 1, 1, 97, "c05dec9e135f85a7", nil, ""},
	{"pgn/dirty/python-chess/saturs-jannlee-zh-lichess.pgn", 1, 0, 0, "e3b0c44298fc1c14",
		map[dataset.Reason]int{dataset.Variant: 1}, "the README counts the 122 plies of the variant"},
	{"pgn/dirty/python-chess/stockfish-learning.pgn", 1, 1, 154, "0bbd238f1a4dbe1f", nil, ""},
	{"pgn/dirty/python-chess/uci-moves.pgn", 1, 1, 113, "433cb5928b11b528", nil, ""},
	{"pgn/dirty/python-chess/utf8-bom.pgn", 2, 0, 0, "e3b0c44298fc1c14", map[dataset.Reason]int{dataset.NoMoves: 2},
		""},
	{"pgn/gm/alphazero-vs-stockfish-all.pgn", 110, 110, 28575, "46aed3a80ba00829", nil, ""},
	{"pgn/gm/carlsen.pgn.zst", 4089, 4089, 374845, "abebce695e77d637", nil, ""},
	{"pgn/gm/gnuchess-book-g00001-30000.pgn.zst", 30000, 30000, 2313522, "ab4d13cdc9b72482", nil, ""},
	{"pgn/gm/karpov.pgn.zst", 3520, 3520, 294287, "383fc1c716fa9867", nil, ""},
	{"pgn/gm/kasparov.pgn.zst", 2128, 2128, 162894, "c4b34c8a4271005b", nil, ""},
	{"pgn/gm/tal-wins.pgn", 1189, 1189, 90003, "fac9f96cd4083fab", nil, ""},
	{"pgn/gm/tal.pgn.zst", 3110, 3108, 219722, "e0022af3f26b94ad", map[dataset.Reason]int{dataset.IllegalMove: 2},
		"the README counts 219,900 plies, those before the illegal moves included"},
	{"pgn/gm/torre-repetto.pgn", 175, 175, 12811, "f3300bf5e309c03c", nil, ""},
	{"pgn/lichess/broadcast-headers-only-45.pgn", 45, 0, 0, "e3b0c44298fc1c14",
		map[dataset.Reason]int{dataset.NoMoves: 45}, "45 tag blocks, as in the README; python-chess reads one game"},
	{"pgn/lichess/lichess-2021-10-g001-600.pgn.zst", 600, 592, 40428, "22d8dbb3ba95ac2a",
		map[dataset.Reason]int{dataset.NoMoves: 8}, ""},
	{"pgn/lichess/lichess-user-export-g0001-2000.pgn.zst", 2000, 2000, 148099, "8aed7d892ee0a548", nil, ""},
	{"pgn/tcec/TCEC_Cup_1_Final_5.pgn", 8, 8, 1322, "18aac0803c605901", nil, ""},
	{"pgn/tcec/TCEC_Match_1.pgn", 48, 48, 7348, "13c9592f6831b321", nil, ""},
	{"pgn/tcec/TCEC_Season_16_-_Frc_Sufi.pgn", 20, 0, 0, "e3b0c44298fc1c14",
		map[dataset.Reason]int{dataset.Chess960: 20}, "the README counts the 2,465 plies of Chess960"},
	{"pgn/tcec/TCEC_Season_5_-_Superfinal.pgn.zst", 48, 48, 6622, "d857dbed4d4855c0", nil, ""},
	{"pgn/tcec/TCEC_Season_6_-_Superfinal.pgn.zst", 64, 64, 7369, "6f109e540e7d8af3", nil, ""},
}

// readAll reads a whole input with one parser.
func readAll(r io.Reader) (tally, error) {
	got := tally{rejects: map[dataset.Reason]int{}}
	p, hash := new(Parser), sha256.New()
	err := eachGame(NewSplitter(r), func(g Game) {
		got.games++
		line, reject := p.Parse(g)
		if reject != nil {
			got.rejects[reject.Reason]++
			if got.first == nil {
				got.first = reject
			}
			return
		}
		got.kept++
		got.plies += len(line.Moves)
		end := final(&line)
		io.WriteString(hash, end.FEN()+"\n")
	})
	got.finals = hex.EncodeToString(hash.Sum(nil))[:16]
	return got, err
}

// final is the position after all moves.
func final(l *dataset.Line) board.Position {
	p := l.Start
	for _, m := range l.Moves {
		p.Play(m)
	}
	return p
}

func TestSharedFiles(t *testing.T) {
	if _, err := os.Stat(sharedData); err != nil {
		t.Skipf("SKIPPED: the shared test data are not here: %v", err)
	}
	for _, c := range sharedFiles {
		t.Run(c.file, func(t *testing.T) {
			if testing.Short() && strings.HasPrefix(c.file, "corpus/") {
				t.Skip("SKIPPED: 30 million plies take too long for -short")
			}
			in, err := rows.Open(sharedData + "/" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			if head, err := in.Head(); !LooksLikeGames(head) || err != nil {
				t.Errorf("it does not look like games (%v)", err)
			}
			got, err := readAll(in)
			if err != nil {
				t.Fatal(err)
			}
			if got.games != c.games || got.kept != c.kept || got.plies != c.plies {
				t.Errorf("%d games, %d kept, %d plies; want %d, %d, %d; first reject: %v",
					got.games, got.kept, got.plies, c.games, c.kept, c.plies, got.first)
			}
			if c.rejects == nil && len(got.rejects) > 0 || c.rejects != nil && !maps.Equal(got.rejects, c.rejects) {
				t.Errorf("rejects %v, want %v; the first: %v", got.rejects, c.rejects, got.first)
			}
			if got.finals != c.finals {
				t.Errorf("final positions hash to %s, want %s", got.finals, c.finals)
			}
		})
	}
}
