// Package export writes the samples of a dataset into one file of another program's format.
//
// [Request] reads a dataset and returns a [Summary]. What a format cannot hold is known before it begins ([Format]) and
// counted while it writes; nothing is made up in its place. The goroutines that read end before Run returns.
package export
