// Package train trains a network, keeps its checkpoints, and uses it for prediction and evaluation.
//
// In go a [Config], a [Source] of batches and a run folder; out come checkpoints, metrics.jsonl and a [Result].
// [Run] starts one goroutine that fetches batches ahead and stops it before it returns; nothing else here starts any.
// A backend brings threads of its own.
//
// # A run folder
//
//	run.json            the configuration, written once
//	metrics.jsonl       one JSON object a line, kinds "train" and "val"
//	tensorboard/        the same as event files, one run for each kind: `tensorboard --logdir RUN/tensorboard`
//	report.html         curves and figures for the eye, written by package job
//	checkpoints/        step-000001000.safetensors …, best.safetensors
//	run.lock            held while a process trains in the folder
//
// # Resuming
//
// A checkpoint holds everything a step depends on: weights, running statistics, moments, step, the source's state, the
// best metric and the sums of the unfinished log line. The learning rate and the dropout masks are functions of the seed
// and the step alone. A resumed run therefore equals the uninterrupted one to the bit on the backends "go" and
// "xla:cpu"; metrics.jsonl does too, but for its wall-clock fields.
package train
