package splitmix

import "testing"

// The first numbers of the published generator (https://prng.di.unimi.it/splitmix64.c) from the state 1234567.
func TestPublished(t *testing.T) {
	state := uint64(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821} {
		if got := Mix(state); got != want {
			t.Errorf("%d, want %d", got, want)
		}
		state += Gamma
	}
}
