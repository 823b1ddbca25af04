// Package pipeline holds the verbs that make datasets, one folder each. They write through internal/output, so that
// interrupted work can be resumed:
//
//	ingest      files of games or positions → dataset
//	endgames    a seed → dataset of random endgames
//	enginegames an engine → dataset of its own games, with labels
//	selfplay    a network → dataset of its games with itself
//	label       dataset → dataset with labels; parts, audits and measurements of labelling
//	tactics     dataset with labels → dataset of tactics
//	aggregate   datasets of games → dataset of positions with what was played in them, by rating
//	predict     dataset → dataset with a network's predictions for its samples
//	export      dataset → a file of another program's format
//	loop        generations of a network that learns from its own games
package pipeline
