// Package stats counts what a dataset holds.
//
// [Request] reads a dataset's folder and returns [Statistics], which can be written as text or as a page. The workers
// end before Run returns.
package stats
