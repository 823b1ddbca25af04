// Package games has an engine play with itself, and keeps what it said about each position.
//
// A game begins with an opening and a few random moves. From there the engine searches every position under a limit of
// nodes; what it says is the position's label, and its choice is played, but now and then a weaker move on purpose, so
// that positions occur in which somebody has blundered ([Style]). Nothing of a game depends on another one: game n is a
// function of the engine, the settings, the seed and n, so the number of workers and interruptions change no byte.
//
// [Request] says what to play and returns a [Summary]. Its goroutines and engines end before it returns.
package games
