// Package verify reads datasets whole: every byte, every move, and whether splits leak.
//
// In go folders ([Request]), out comes a [Report]. It starts its workers and ends them before it returns.
package verify
