// Package job is one function a verb: it joins datasets, backend and network into a training run ([Train]) and into
// its evaluation ([Eval]).
//
// Folders and settings become a run folder and figures. Callbacks are called from the goroutine of Run. No
// goroutine is left when Run returns.
package job
