package syzygy

import "testing"

// TestCity: the hashes of CityHash's own code in C, as compiled from the generator's repository, for lengths on either
// side of all its cases.
func TestCity(t *testing.T) {
	text, x := make([]byte, 1<<24), uint32(1)
	for i := range text {
		x = x*1664525 + 1013904223
		text[i] = byte(x >> 24)
	}
	for _, c := range []struct {
		length int
		want   [4]uint64
	}{
		{1, [4]uint64{0xba28f6c04669ce13, 0xbd390ffac74c16b4, 0x1efa2be6382efe8d, 0xb942c6c7c845a258}},
		{39, [4]uint64{0xa294953bc8bdd2c1, 0xb990c89d1135d65b, 0xddf14daf5ff4ee64, 0xc286d49a9a3fb226}},
		{40, [4]uint64{0x8851dbb2fa748be7, 0xff202fc2beb2d758, 0x2d36a72f8872854f, 0x23845b4f4d6e444a}},
		{63, [4]uint64{0xbfb2368cb9036f3a, 0xcf8b6c20c5eebdeb, 0xbcee500c8cbb5062, 0xa79d4a4d3bb0bf59}},
		{64, [4]uint64{0xa885aaa3f93cdc80, 0x6004d974e4d7f4ec, 0x594a500278f6c0d3, 0x9646ac8677fd0c8f}},
		{128, [4]uint64{0x51ed8dabce557910, 0xd2e53ea8c18e22b6, 0x3a2e539e5d32be1b, 0x20e38413af01d528}},
		{200, [4]uint64{0xb1270fd9082d4431, 0xab949681dddb4602, 0x3546431b7c1c8dd5, 0x76b58cc878cf673f}},
		{239, [4]uint64{0xae44430dad85954d, 0x812172cfd4ac8c13, 0xdcbd5d94dbe73cda, 0xeb817d1d20ff4032}},
		{240, [4]uint64{0x3b8301a9bdbb93e1, 0x6e296bc8b5ef0437, 0x14e14619da06bd16, 0x1eba51899c2e0084}},
		{241, [4]uint64{0x97a110c3d50e5828, 0xd903831e3e6114ef, 0xd2b8d0689e536b83, 0x522fae315d1199bc}},
		{280, [4]uint64{0xe20f0f240b0ebcc7, 0xf6f88eb43273a366, 0x98722a00f131bcbb, 0x6f248c2b10d9f8b6}},
		{320, [4]uint64{0xfcdebe0cf3bcf24b, 0xa3b7a789dc3a05fc, 0xaecec9bdcd39ba2d, 0x2506450b7f276df9}},
		{479, [4]uint64{0x85909e5225e1a673, 0x5397bd597d501818, 0x15ede97631f5c4fd, 0xd8d5d6156339999f}},
		{480, [4]uint64{0x6b19fadc49cf80d6, 0x5227dc04714c6e66, 0xc7048f03adff7e62, 0x3935acebde236228}},
		{999, [4]uint64{0x4ccd126393bcba20, 0xe944b7248d0fda1a, 0x1465f9338242f00c, 0x816b0ee314a71cb0}},
		{1000, [4]uint64{0xbee82604f816f7db, 0x9e4adb7cd4610ff9, 0x939108a652d0d526, 0xaf4a375bf65769f9}},
		{65536, [4]uint64{0xbd2140af28ffb927, 0xa2cbe33d1f414686, 0xc06eb89b6b7176d9, 0xe554d460eb0c1387}},
		{65599, [4]uint64{0xd3c6de41c4f3014, 0x76641c0133b01c58, 0x745e85ca7a2ecb8b, 0xd31b5c52ae15b8f3}},
		{16777216, [4]uint64{0x6105e349df4f3f1, 0x3406e00bbaf570d6, 0x1a464c1d4828c3ca, 0x2742f525d4f2707f}},
	} {
		if got := crc256(text[:c.length]); got != c.want {
			t.Errorf("CityHashCrc256 of %d bytes: %#x, want %#x", c.length, got, c.want)
		}
	}
	for _, c := range []struct {
		length int
		want   [2]uint64
	}{
		{32, [2]uint64{0xc77aa32c0e4b1d42, 0x1b45b75e6b924b32}},
		{64, [2]uint64{0x67a90bb9aa375386, 0x4c76ddacc49ff1b9}},
		{96, [2]uint64{0x3aaf6285d78e72d0, 0xef468c41816c0732}},
		{128, [2]uint64{0xa07dedafc151f036, 0x4463891436f4a90f}},
		{160, [2]uint64{0x71a6374b1b4083e8, 0xbe8b9dc2b1d73b11}},
		{192, [2]uint64{0x8cecdc008460dae0, 0x3e08c74d6ca06de8}},
		{256, [2]uint64{0x68552e5bde75d7dc, 0x9f2add71e3f8d9d5}},
		{288, [2]uint64{0xdae304989b561d6d, 0xe161e1049e51e165}},
		{320, [2]uint64{0xe096b1c25923da27, 0xf8a67cf0a77d81eb}},
		{384, [2]uint64{0x2087ad76d7738292, 0xce9c13d17b44e572}},
		{640, [2]uint64{0x3173582b492c359a, 0x73a44f55df25bdf9}},
		{864, [2]uint64{0x8eb7bdaf5874b262, 0x2425dee831989bf}},
		{896, [2]uint64{0x44d13114fff0cbf5, 0xe6b33a1d2e05463d}},
		{928, [2]uint64{0x310261003286ca41, 0xe6352d18f804f8f5}},
		{960, [2]uint64{0xaed2562ff3a2d169, 0x858de2fbcd8746cb}},
		{1600, [2]uint64{0x12379335847fc671, 0xd9f46449ba5b4fbc}},
		{32000, [2]uint64{0xb237de1f47d00a8d, 0x1b7ed548435a9612}},
	} {
		low, high := hash128(text[:c.length])
		if got := [2]uint64{low, high}; got != c.want {
			t.Errorf("CityHashCrc128 of %d bytes: %#x, want %#x", c.length, got, c.want)
		}
	}
}

func BenchmarkCRC256(b *testing.B) {
	text := make([]byte, chunkBytes)
	b.SetBytes(chunkBytes)
	for b.Loop() {
		crc256(text)
	}
}
