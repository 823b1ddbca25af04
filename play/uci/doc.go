// Package uci is the engine's side of the Universal Chess Interface.
//
// It reads lines of commands and writes lines of answers; an [engine.Player] chooses the moves. [Engine.Run] starts
// one goroutine that reads, one that carries out commands in their order and searches, and one at a time that loads the
// network, and ends them before it returns, but for a reader whose input does not end and a network that does not
// answer.
//
// What a program may send is taken as follows.
//
//   - Lines may be up to 1 MiB long; a longer one is left out. Commands, words and options that are not known are
//     ignored, and so is a known option with a value that it cannot have. An info string says so.
//   - After a position that cannot be read there is none: go is answered by "bestmove (none)" until another comes. Of a
//     list of moves what comes before the first illegal one is played.
//   - The network is loaded and compiled at the first isready or go, and again when an option asks for another batch or
//     WeightsFile for another network. isready is answered once that is done, and at once where a go has no
//     answer yet.
//   - Each go is answered by exactly one bestmove, whatever happens: also by a network that fails, by quit and by the
//     end of the input. A go during a search ends that one first.
//   - quit ends a search. The end of the input ends only one without a limit.
package uci
