// Package enginegames has an engine play against itself and keeps its evaluation of each position.
//
// A game begins with an opening and a few random moves. From there the engine searches every position under a limit of
// nodes, which gives the position's label. Its best move is played, but now and then a weaker one on purpose, so that
// positions after a blunder occur, too ([Style]). No game depends on another: game n is a function of the engine, the
// settings, the seed and n, so neither the number of workers nor interruptions change a byte.
//
// [Request] says what to play and returns a [Summary]. Its goroutines and engines end before it returns.
package enginegames
