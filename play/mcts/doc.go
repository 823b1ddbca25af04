// Package mcts searches.
package mcts
