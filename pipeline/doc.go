// Package pipeline contains the verbs that make or read datasets, one folder each, around output, which writes a
// dataset's folder so that interrupted work can be resumed. The package itself has what all verbs report: [Progress],
// and the wording of numbers.
//
//	ingest     files of games, puzzles, EPD and tables → dataset
//	endgames   a seed → dataset of random endgames
//	games      an engine → dataset of its own games, with labels
//	selfplay   a network → dataset of its games with itself
//	label      dataset → dataset with labels; parts, audits and measurements of labelling
//	tactics    dataset with labels → dataset of tactics
//	aggregate  datasets of games → dataset of positions with what was played in them, by rating
//	predict    dataset → dataset with a network's predictions for its samples
//	stats      dataset → figures
//	verify     datasets → their damage, and whether splits leak
//	diff       two datasets → how they differ
//	inspect    dataset → samples as training sees them
//	exportdata dataset → a file of another program's format
//	solve      puzzles and a player → which it solves
//	plan       files → what all of it would take
//	overlap    keys of positions → copies, and what splits share
//	output     lines → a dataset's folder
package pipeline
