// Package match plays games between chess programs (see package play/game) and says what the results are worth.
//
// It takes players as they are named on a command line, openings and limits, and gives games in pairs with colours
// reversed, as a journal and as PGN with evaluations, and figures (see package stats). What a player does wrong loses
// that game and is counted.
//
// [Match.Run] starts one goroutine for each game that is played at the same time, and ends them before it returns.
package match
