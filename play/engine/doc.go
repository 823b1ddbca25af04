// Package engine makes a player of a trained network.
//
// It opens a run's folder, a checkpoint or an exported network ([Network]) and answers a search ([Evaluator]). A
// [Player] turns positions with their past, and limits or clocks, into moves: it is what the UCI engine, matches, the
// console and studio play with. A [TimeManager] decides after each batch whether a search goes on; a [TableProber]
// gives it the results of endgame tables; a [Session] is a game of a person against a network, without a screen.
//
// Package mcts knows no network: this is where play meets the trainer's packages. A [Network] has the goroutine of its
// [predict.Predictor] and may be used by many players at once. Players and sessions belong to one goroutine each.
package engine
