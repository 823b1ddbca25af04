// Package mcts chooses moves by search with a neural network that it knows only as an [Evaluator].
package mcts
