// Package selfplay has a network play against itself and keeps what its searches found.
//
// A game begins with an opening, or with an endgame drawn at random. Every position is searched under a limit of nodes.
// What a network can learn from that is stored with the position: the policy of the search, its value as a label, and
// what the network alone had said. A share of the searches may be fast ones, which give no policy. No game depends on
// another: game n is a function of the network, its backend and batch, the settings, the seed and n, so neither the
// number of games at once nor interruptions change a byte.
//
// [Request] says what to play and returns a [Summary]. Its goroutines end before it returns.
package selfplay
