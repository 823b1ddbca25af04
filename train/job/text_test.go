package job

import (
	"strings"
	"testing"
	"time"
)

func TestProspectText(t *testing.T) {
	smaller := Smaller{Flags: "--preset 10x64", Time: 42*time.Minute + 20*time.Second}
	for _, c := range []struct {
		p    Prospect
		want string
	}{
		{Prospect{Step: time.Millisecond, Left: 9 * time.Second}, ""},
		{Prospect{Step: 2345 * time.Millisecond, Left: 10 * time.Minute},
			"time: about 10m left, 2.3s a step"},
		{Prospect{Step: 12345 * time.Millisecond, Left: 5*time.Hour + 20*time.Minute, InHour: 291},
			"time: about 5h20m left, 12s a step\n" +
				"within an hour on this machine, as another run: --steps 291 with this network"},
		{Prospect{Step: 350 * time.Millisecond, Left: 100 * time.Hour, InHour: 10285, Smaller: &smaller},
			"time: about 4d4h left, 350ms a step\n" +
				"within an hour on this machine, as another run: --preset 10x64 (about 42m), or --steps 10285 with " +
				"this network"},
	} {
		if got := strings.TrimSuffix(c.p.Text(), "\n"); got != c.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.p, got, c.want)
		}
	}
}
