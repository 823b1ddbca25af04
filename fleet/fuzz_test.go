package fleet

import (
	"bytes"
	"reflect"
	"testing"
	"time"
)

// What a decoder takes is what the encoder writes: decoded and encoded again it means the same.
func FuzzWire(f *testing.F) {
	t := ticket{1, 2, 3}
	f.Add((&job{heldJob{7, t}, []byte("asked"), []byte("payload")}).append(nil))
	f.Add(encodeJSON([]heldJob{{1, t}, {1 << 40, t}}))
	f.Add(encodeJSON(returnedJob{heldJob{3, t}, "why"}))
	f.Add([]byte(`{"protocol":1,"version":"v","name":"n","slots":3}`))
	f.Add(encodeJSON(welcome{time.Second, []byte("text")}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if j, err := decodeJob(b); err == nil {
			if again, err := decodeJob(j.append(nil)); err != nil || !reflect.DeepEqual(again, j) {
				t.Errorf("job %+v becomes %+v, %v", j, again, err)
			}
		}
		again(t, b, maxHeld, func(list []heldJob) error { return nil })
		again(t, b, maxHeld, func(returnedJob) error { return nil })
		again(t, b, maxHello, func(h hello) error { return h.check() })
		again(t, b, maxPayload, func(welcome) error { return nil })
		if c, text, err := decodeReply(b); err == nil && !bytes.Equal(reply(c, text), b) {
			t.Errorf("reply %x becomes %x", b, reply(c, text))
		}
		_, _, _, _ = parseSubject(string(b))
	})
}

// again checks that what is decoded, and passes check, means the same when it is encoded and decoded once more.
func again[T any](t *testing.T, b []byte, limit int, check func(T) error) {
	t.Helper()
	v, err := decodeJSON[T](b, limit)
	if err != nil || check(v) != nil {
		return
	}
	if w, err := decodeJSON[T](encodeJSON(v), 8*limit); err != nil || !reflect.DeepEqual(v, w) {
		t.Errorf("%+v becomes %+v, %v", v, w, err)
	}
}

func FuzzJoin(f *testing.F) {
	f.Add(Join{Address: "10.1.2.3:7777", Token: [tokenBytes]byte{1}, Pin: [32]byte{2}}.String())
	f.Add(Join{Address: "[::1]:7777"}.String())
	f.Add("talbot://host/token#pin")
	f.Fuzz(func(t *testing.T, text string) {
		j, err := ParseJoin(text)
		if err != nil {
			return
		}
		if again, err := ParseJoin(j.String()); err != nil || again != j {
			t.Errorf("%q is %+v and becomes %+v, %v", text, j, again, err)
		}
	})
}
