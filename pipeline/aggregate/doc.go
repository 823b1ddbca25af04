// Package aggregate counts which moves were played in each position, by the rating of the side to move.
//
// [Request] reads datasets of games and writes a dataset of positions: a line for each position and rating band, whose
// policy is how often each move was played. What does not fit into memory is sorted on disk, in files beside the
// shards:
//
//  1. All lines are read once, and a table of small counters ([sieve]) finds which positions may have been seen often
//     enough. It may take a rare position for a frequent one, but never the other way round.
//  2. All lines are read again. The moves played in those positions are sorted and counted, a few million plies at a
//     time, into files of [partitions] sections.
//  3. Each section is gathered from all files. Here positions are compared in full, so that two are never mistaken for
//     one, and those that were seen often enough become lines.
//
// An interrupted command resumes after the last file of the second pass or the last shard of the third; only the first
// pass is repeated, if the second was not finished. The result does not depend on the number of workers.
//
// The workers end before Run returns.
package aggregate
