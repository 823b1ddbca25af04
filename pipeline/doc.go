// Package pipeline is the house of the verbs that make or read datasets: a folder for each, around output, which makes
// a dataset's folder resumably. The package itself has only what all of them say on their way ([Progress]).
//
//	ingest     files of games, puzzles, EPD and tables → dataset
//	endgames   a seed → dataset
//	label      dataset → dataset with labels, and their parts, audits and measures
//	tactics    dataset with labels → dataset of tactics
//	aggregate  datasets of games → dataset of positions with what was played in them, by rating
//	predict    dataset → dataset with what a network says of its samples
//	stats      dataset → figures
//	verify     datasets → what is wrong with them
//	diff       two datasets → how they differ
//	inspect    dataset → samples as training sees them
//	plan       files → what all of it would take
//	overlap    keys of positions → copies, and what splits share
//	output     lines → a dataset's folder
package pipeline
