// Package endgames draws random endgames into a dataset.
//
// [Request] says what to draw. Run writes the dataset's folder and returns a [Summary]; its workers end before it does.
package endgames
