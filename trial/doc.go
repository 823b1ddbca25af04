// Package trial puts a machine to the test: it trains on its GPU, breaks what can break, compares with others,
// measures, and writes one report.
//
// A [Trial] goes through steps, each of which is one or several programs: talbot itself, Python with PyTorch,
// nvidia-smi. So a step that dies takes nothing with it, none holds the GPU's memory while the next one runs, and what
// a user would run is what is tested. What each step found is kept in the folder at once, and the report is written
// again after each; a trial that is interrupted continues with the first step that is not done. The package starts no
// goroutines but those that wait for programs.
package trial
