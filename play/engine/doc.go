// Package engine makes a player of a trained network.
//
// It opens a run's folder, a checkpoint or an exported network, and gives answers to a search ([Network.Evaluator], an
// [mcts.Evaluator]) and players of games ([player.Player]). It is where play meets the trainer's packages: package mcts
// knows no network, and packages uci, match and console know this one's players alone.
//
// A [Network] has the goroutine of its [predict.Predictor], and may be used by many players at once.
package engine
