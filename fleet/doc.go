// Package fleet spreads one labelling over many machines, on NATS JetStream: a [Pool] takes the place of a
// [stockfish.Pool] and shares its work with workers elsewhere ([WorkerConfig]).
//
// A job is some positions with the lines that lead to them, whole lines where the engine's memory is kept for a line;
// an answer is the labels. Answers count by position, once, whichever worker delivers them and whenever. What no worker
// manages is searched by the pool's own engines.
//
// The coordinator is the truth and the queue a cache. Jobs lie in a stream in memory; when the process ends they are
// gone, and its successor offers them again. A job that a worker holds is leased: the worker keeps renewing the lease,
// and if it falls silent, by the coordinator's monotonic clock, the job is lost and offered again. An answer carries
// its query under a ticket that only the coordinator can make, so that it counts no matter who delivers it and when,
// even after a restart of the coordinator.
//
// A worker is not trusted. It comes with the token of the join string ([Join]), is known by its Ed25519 key, may
// publish and subscribe to its own subjects only, and everything that it sends is decoded strictly and bounded. Its
// labels must be legal and complete, and under a limit of nodes or depth a share of them is searched again by another
// worker or by the pool's own engines. If two searches differ, the pool's own engines decide, and the worker that is
// wrong is banned: [Pool.Label] then ends with a [WithdrawnError], and callers that hold labels of that worker have
// them searched again. Workers know the coordinator by the hash of its key in the join string, which they check before
// they send the token. Messages go over TLS 1.3. A [Cluster] in place of the coordinator's own server guarantees less.
//
// A coordinator starts the server's goroutines and one of its own; a worker starts two for each engine and one more.
// All end with Close or before Run returns.
package fleet
