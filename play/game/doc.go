// Package game plays single games between players and says how they end.
//
// [Seats.Play] takes two [Player]s (a UCI engine, a random mover, or what the caller makes), their limits, an opening
// and a [Referee], and returns a [Record]. [Over] knows the ends of games by the rules of chess. Players are not
// trusted: every wait has an end, every move is checked on the board, and a crash, an illegal move, silence or exceeded
// time loses the game.
//
// The package starts no goroutines of its own; an [Engine] has two while its process lives (see package
// internal/child).
package game
