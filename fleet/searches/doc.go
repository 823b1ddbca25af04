// Package searches is the kind of job by which many machines label positions: a [Pool] takes the place of a
// [stockfish.Pool] and shares its work, [Slots] is a worker's side.
//
// A job is some positions with the lines that lead to them, whole lines where the engine's memory is kept for a line;
// an answer is the labels. Answers count by position, once, whichever worker delivers them and whenever. What no worker
// manages is searched by the pool's own engines.
//
// A worker's labels are not trusted: they must be legal and complete, and under a limit of nodes or depth a share of
// them is searched again by another worker or by the pool's own engines. If two searches differ, the pool's own engines
// decide, and the worker that is wrong is banned. [Pool.Label] then ends with a [WithdrawnError], and callers that hold
// labels of that worker have them searched again.
package searches
