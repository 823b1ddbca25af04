// Package selfplay lets a network play against itself and stores what its searches found.
//
// A game begins with an opening, or with an endgame drawn at random. Every position is searched under a limit of nodes.
// What a network can learn from that is stored with the position: the policy of the search as whole weights from 0 to
// 255, its value as a label of a fingerprint of its own, and what the network alone had said as a prediction. The
// game's result stands with the line. Some searches may be fast ones ([Style.FastShare]), which give a value and no
// policy.
//
// A game is a function of the network, its backend, batch and kind of processor, the settings, the seed and the game's
// number. So neither the number of games at once nor interruptions change a byte, and machines that share nothing can
// play a part each ([dataset.Part], [Join]). Each game asks about one position at a time, and the positions of all
// games together fill the network's batches.
//
// [Request] says what to play and returns a [Summary]. Its goroutines end before it returns.
package selfplay
