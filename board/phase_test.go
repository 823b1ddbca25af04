package board

import "testing"

func TestPhase(t *testing.T) {
	for fen, want := range map[string]string{
		StartFEN: "opening",
		"r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 w - - 0 10": "opening",
		"r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 w - - 0 11": "middlegame",
		"r2q1rk1/pp3ppp/2n2n2/8/8/2N2N2/PP3PPP/R2Q1RK1 w - - 0 8":              "middlegame", // ten pieces
		"r2qnrk1/pp3ppp/2n2n2/8/8/2N2N2/PP3PPP/R2Q1RK1 w - - 0 8":              "opening",
		"r1b1k1n1/8/8/8/8/8/8/R1BQKB2 w - - 0 30":                              "middlegame", // seven
		"r1b1k1n1/8/8/8/8/8/8/R1BQK3 w - - 0 30":                               "endgame",
		"r5k1/5ppp/2n5/8/8/2N5/5PPP/R5K1 w - - 0 8":                            "endgame",
	} {
		p := mustParse(t, fen)
		if got := p.Phase().String(); got != want {
			t.Errorf("%s: %s, want %s", fen, got, want)
		}
	}
}
