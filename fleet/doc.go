// Package fleet spreads jobs over many machines, on NATS JetStream.
//
// A [Coordinator] has jobs, and workers ([WorkerConfig]) do them. A job is the name of its kind, a query and a payload;
// its result is an answer. The package knows no more of a job: each kind is registered on both sides ([Kind], [Slots]).
//
// The coordinator is the truth and the queue a cache. Jobs lie in a stream in memory; when the process ends they are
// gone, and its successor offers them again. A job that a worker holds is leased: the worker keeps renewing the lease,
// and if it falls silent, by the coordinator's monotonic clock, the job is lost and listed for the program that offered
// it ([Coordinator.LostJobs]). An answer carries its query under a ticket that only the coordinator can make, so that
// it counts no matter who delivers it and when, even after a restart of the coordinator.
//
// A worker is not trusted. It comes with the token of the join string ([Join]), is known by its Ed25519 key, may
// publish and subscribe to its own subjects only, and everything that it sends is decoded strictly and bounded. The
// coordinator is known by the hash of its key in the join string, which a worker checks before it sends the token.
// Messages go over TLS 1.3. A [Cluster] in place of the coordinator's own server guarantees less.
//
// A Coordinator starts the server's goroutines and one of its own; a worker starts two for each slot and one more. All
// end with Close or before Run returns.
package fleet
