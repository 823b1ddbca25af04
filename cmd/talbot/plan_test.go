package main

import (
	"strings"
	"testing"

	"talbot/inspect/plan"
)

// A plan is refused where its datasets or the temporary files find no room, and only there.
func TestPlanRoom(t *testing.T) {
	dir := t.TempDir()
	if diskSpace(dir).Total == 0 {
		t.Skip("this system does not tell how much space is free")
	}
	o := planOptions{disk: dir}
	const much = 1 << 60
	for _, x := range []struct {
		disk, temp int64
		want       string
	}{
		{1, 1, ""},
		{much, 1, "the datasets need"},
		{1, much, "temporary files need"},
	} {
		err := o.room(&plan.Estimate{DiskBytes: x.disk, TempBytes: x.temp})
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v", x, err)
		}
	}
}
