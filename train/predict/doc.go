// Package predict asks a trained network about positions.
package predict
