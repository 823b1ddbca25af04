// Package match plays games between chess programs and rates them.
//
// [Seats.Play] plays one game: it takes two [Player]s (a UCI engine, a random mover, or what the caller makes), their
// limits, an opening and a [Referee], and returns a [Game]. [Over] knows the ends of games by the rules of chess.
// Players are not trusted: every wait has an end, every move is checked on the board, and a crash, an illegal move,
// silence or exceeded time loses the game.
//
// [Match.Run] plays many: players as they are named on a command line, openings and limits; games in pairs with colours
// reversed, kept as a journal and written as PGN with evaluations; figures by package stats. It starts one goroutine
// for each game that is played at the same time, and ends them before it returns; an [Engine] has two while its process
// lives (see package internal/child).
package match
