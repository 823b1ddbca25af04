// Package pipeline joins the rooms of talbot: one function for each verb that
// makes or reads a dataset.
//
// In: files of games and puzzles, a seed, or a dataset's folder. Out: another
// dataset's folder, or figures. A folder that is being made holds progress.json
// beside its finished shards; repeating the same command continues from there,
// and only a finished folder has a manifest.json. Each verb starts its workers
// and ends them before it returns.
package pipeline
