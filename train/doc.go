// Package train trains a network and keeps its checkpoints; packages predict and evaluate use them.
//
// From a [run.Config], a [Source] of batches and a run folder it makes checkpoints, metrics.jsonl and a [Result].
// [Run] starts one goroutine that fetches batches ahead and copies them to the device, and stops it before it returns;
// nothing else here starts any. A backend has its own threads.
//
// # A run folder
//
//	run.json            the configuration, sealed; a resumption may change how often something is written
//	metrics.jsonl       one JSON object a line, kinds "train" and "val", each with a checksum
//	tensorboard/        the same as event files, one run for each kind: `tensorboard --logdir RUN/tensorboard`
//	report.html         curves and figures for display, written by package job
//	eval.json           the verdict and the figures of that page, for package studio
//	checkpoints/        step-000001000.safetensors …, best.safetensors
//	data.json           what it and the runs that it continues were trained on, sealed, written by package loader
//	run.lock            held while a process trains in the folder
//
// A checkpoint holds the configuration too, and decides: a run.json that tells of another computation is
// [run.ErrDamaged].
//
// # Averaged weights
//
// With Config.EMA a run keeps a running average of its weights, a ← d·a + (1−d)·w after step t, with d the smaller of
// Config.EMA and (1+t)/(10+t). The average is what is validated, predicted with and evaluated; training continues with
// the weights themselves. Normalisations in evaluation mode use running statistics of the activations, which belong to
// the weights that made them, so before each validation and checkpoint the average gets statistics of its own from
// fixed batches of train samples. A checkpoint holds both networks.
//
// # Several devices
//
// With Config.Devices an equal share of each batch goes to each of several GPUs of one host. They compute what one
// does, batch normalisation over the whole batch included, but for the order of sums. The number may change on
// resuming.
//
// # Resuming
//
// A checkpoint holds everything a step depends on: weights, running statistics, moments, averages, step, the source's
// state, the best metric and the sums of the unfinished log line. The learning rate and the dropout masks are functions
// of the seed and the step alone. A resumed run therefore equals the uninterrupted one to the bit on the backends "go"
// and "xla:cpu" with the same number of devices, and on a GPU with Config.Deterministic, as XLA promises; metrics.jsonl
// does too, but for its wall-clock fields.
package train
