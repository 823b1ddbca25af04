// Package inspect shows samples of a dataset as training sees them.
//
// In go a folder and numbers of samples ([Request]), out come the samples one by one ([Sample]). It starts no
// goroutines.
package inspect
