// Package samples shows samples of a dataset as training sees them.
//
// [Open] gives a [Dataset], which finds samples by their number or by a [Query] and describes each as a [Sample]. It
// starts no goroutines.
package samples
