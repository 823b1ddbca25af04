// Package aggregate counts which moves were played in each position, by the rating of the side to move.
//
// In go datasets of games ([Request]), out comes a dataset of positions: a line for each position and band of ratings,
// whose policy is how often each move was played. What is too much for memory is sorted on disk, in files beside the
// shards:
//
//  1. All lines are read once, and a table of small counters ([sieve]) finds which positions can have been seen often
//     enough. It may take a rare position for a frequent one, never the other way round.
//  2. All lines are read again. What was played in those positions is sorted and counted, some million plies at a
//     time, into files of [partitions] sections.
//  3. Each section is gathered from all files. Positions are compared whole there, so that no two are ever taken for
//     one, and those that were seen often enough become lines.
//
// Each file of the second pass and each shard of the third is a place where an interrupted command goes on; only the
// first pass is repeated if the second was not finished. The result does not depend on the number of workers.
//
// The package starts its workers and ends them before Run returns.
package aggregate
