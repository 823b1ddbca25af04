// Package match plays games between chess programs and says what the results are worth.
//
// In go players (any UCI engine, a random mover, or what the caller makes), openings and limits; out come games in
// pairs with colours reversed, as a journal and as PGN with evaluations, and figures (see package stats). Players are
// not trusted: every wait has an end, every move is checked on the board, and a crash, an illegal move, silence or
// exceeded time loses the game and is counted.
//
// [Match.Run] starts one goroutine for each game that is played at the same time, and ends them before it returns.
// Players that are engines have two more each (see package internal/child).
package match
