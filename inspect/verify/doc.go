// Package verify checks whole datasets: every byte, every move, and whether splits leak.
//
// [Request] reads folders and returns a [Report]. The workers end before Run returns.
package verify
