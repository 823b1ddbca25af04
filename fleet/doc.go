// Package fleet spreads jobs over many machines, on NATS JetStream.
//
// A [Coordinator] has jobs, workers ([WorkerConfig]) do them. A job is the name of its kind, what it asks and a
// payload; what comes back is an answer. The package knows no more of a job: whoever has a kind registers it on both
// sides ([Kind], [Slots]).
//
// The coordinator is the truth and the queue a cache. Jobs lie in a stream in memory; when the process ends they are
// gone, and whoever offered them offers them again. A job that a worker holds is leased: the worker says again and
// again that it has it, and when it falls silent, by the coordinator's monotonic clock, the job is lost and whoever
// offered it is told. An answer carries what was asked under a ticket that only the coordinator can make, so that it
// counts whoever brings it and whenever, also after the coordinator was started anew.
//
// A worker is a stranger. It comes with the token of the join string ([Join]), is known by its Ed25519 key, may publish
// and subscribe to its own subjects only, and everything that it sends is decoded strictly and bounded. The coordinator
// is known by the hash of its key in the join string, which a worker checks before it sends the token. Messages go over
// TLS 1.3. A [Cluster] in place of the coordinator's own server guarantees less.
//
// A Coordinator starts the server's goroutines and one of its own, a worker two for each slot and one more; all end
// with Close or before Run returns.
package fleet
