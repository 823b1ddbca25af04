// Package stats counts what a dataset holds.
//
// In goes a dataset's folder ([Request]), out come figures ([Statistics]), as a value, a text and a page. It starts its
// workers and ends them before it returns.
package stats
