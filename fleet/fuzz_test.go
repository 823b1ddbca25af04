package fleet

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// What a decoder takes is what the encoder writes: decoded and encoded again it means the same.
func FuzzWire(f *testing.F) {
	t := ticket{1, 2, 3}
	f.Add((&job{7, t, []byte("asked"), []byte("payload")}).append(nil))
	f.Add(appendHeldJobs(nil, []heldJob{{1, t}, {1 << 40, t}}))
	f.Add((&returnedJob{heldJob{3, t}, true, "why"}).append(nil))
	f.Add([]byte(`{"protocol":1,"version":"v","name":"n","slots":3}`))
	f.Add(welcome{time.Second, []byte("text")}.append(nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if j, err := decodeJob(b); err == nil {
			if again, err := decodeJob(j.append(nil)); err != nil || !reflect.DeepEqual(again, j) {
				t.Errorf("job %+v becomes %+v, %v", j, again, err)
			}
		}
		if list, err := decodeHeldJobs(b); err == nil {
			if again, err := decodeHeldJobs(appendHeldJobs(nil, list)); err != nil || !reflect.DeepEqual(again, list) {
				t.Errorf("held %+v becomes %+v, %v", list, again, err)
			}
		}
		if k, err := decodeReturnedJob(b); err == nil {
			if again, err := decodeReturnedJob(k.append(nil)); err != nil || again != k {
				t.Errorf("back %+v becomes %+v, %v", k, again, err)
			}
		}
		if h, err := decodeHello(b); err == nil {
			text, err := json.Marshal(h)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := decodeHello(text); err != nil || again != h {
				t.Errorf("hello %+v becomes %+v, %v", h, again, err)
			}
		}
		if w, err := decodeWelcome(b); err == nil {
			if again, err := decodeWelcome(w.append(nil)); err != nil || again.lease != w.lease ||
				!bytes.Equal(again.text, w.text) {
				t.Errorf("welcome %+v becomes %+v, %v", w, again, err)
			}
		}
		if c, text, err := decodeReply(b); err == nil && !bytes.Equal(reply(c, text), b) {
			t.Errorf("reply %x becomes %x", b, reply(c, text))
		}
		_, _, _, _ = parseSubject(string(b))
	})
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
