package fleet

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"talbot/internal/testkit"
)

// stranger connects as a worker that has the token, but is not our program.
type stranger struct {
	t   *testing.T
	nc  *nats.Conn
	key string
	bad chan error
}

func newStranger(t *testing.T, j Join, keyFile string) *stranger {
	t.Helper()
	options, key, err := j.options(Cluster{}, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{t: t, key: key, bad: make(chan error, 64)}
	s.nc, err = nats.Connect("tls://"+j.Address, append(options, nats.NoReconnect(),
		nats.CustomInboxPrefix(inboxRoot+key+".aaaaaaaa.r"),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { s.bad <- err }))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.nc.Close)
	return s
}

func (s *stranger) ask(verb string, data []byte) (code, string) {
	s.t.Helper()
	m, err := s.nc.Request(subjectRoot+s.key+".aaaaaaaa."+verb, data, time.Minute)
	if err != nil {
		s.t.Fatalf("%s: %v", verb, err)
	}
	c, text, err := decodeReply(m.Data)
	if err != nil {
		s.t.Fatalf("%s: %v", verb, err)
	}
	return c, string(text)
}

// join makes a proper member of the stranger.
func (s *stranger) join() {
	s.t.Helper()
	text := encodeJSON(hello{Protocol: protocol, Slots: 1, Proof: []byte("proof of hello")})
	if c, said := s.ask(verbJoin, text); c != codeDone {
		s.t.Fatalf("join: %v %s", c, said)
	}
}

// take has the stranger get a job that asks q.
func (s *stranger) take(c *coordinator, q string) job {
	s.t.Helper()
	inbox := inboxRoot + s.key + ".aaaaaaaa.n0"
	sub, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	put(s.t, c, q)
	if err := s.nc.PublishRequest(subjectRoot+s.key+".aaaaaaaa."+verbNext, inbox, nil); err != nil {
		s.t.Fatal(err)
	}
	m, err := sub.NextMsg(time.Minute)
	if err != nil {
		s.t.Fatal(err)
	}
	j, err := decodeJSON[job](m.Data, maxPayload)
	if err != nil {
		s.t.Fatal(err)
	}
	return j
}

// violated waits for the server's word that something is not allowed.
func (s *stranger) violated(what string) {
	s.t.Helper()
	_ = s.nc.Flush()
	select {
	case err := <-s.bad:
		if !errors.Is(err, nats.ErrPermissionViolation) && !strings.Contains(err.Error(), "ermissions Violation") {
			s.t.Errorf("%s: %v", what, err)
		}
	case <-time.After(time.Minute):
		s.t.Errorf("%s is allowed", what)
	}
}

// Without the token, or with another key behind the address, nobody gets in, and the token does not go out.
func TestStrangersStayOut(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), nil)
	j := joinOf(t, c)
	run := func(j Join) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		return <-startWorker(ctx, t, j, filepath.Join(t.TempDir(), "key"), &echo{}, 1)
	}
	wrong := j
	wrong.Token[3] ^= 1
	if err := run(wrong); !errors.Is(err, ErrToken) {
		t.Errorf("a wrong token: %v", err)
	}
	wrong = j
	wrong.Pin[0] ^= 1
	if err := run(wrong); !errors.Is(err, ErrPin) {
		t.Errorf("a wrong pin: %v", err)
	}
	for name, options := range map[string][]nats.Option{
		"no token": {nats.Secure(clientTLS(j.Pin)), nats.TLSHandshakeFirst()},
		"token, no key": {nats.Secure(clientTLS(j.Pin)), nats.TLSHandshakeFirst(),
			nats.Token(hex.EncodeToString(j.Token[:]))},
		"coordinator": {nats.Secure(clientTLS(j.Pin)), nats.TLSHandshakeFirst(), nats.UserInfo("coordinator", "")},
		"the own secret": {nats.Secure(clientTLS(j.Pin)), nats.TLSHandshakeFirst(),
			nats.UserInfo("coordinator", c.gate.ownPassword)},
	} {
		if nc, err := nats.Connect("tls://"+j.Address, append(options, nats.NoReconnect())...); err == nil {
			nc.Close()
			t.Errorf("%s: let in", name)
		}
	}
	if nc, err := nats.Connect("nats://"+j.Address, nats.Token(hex.EncodeToString(j.Token[:])), nats.NoReconnect(),
		nats.Timeout(time.Second)); err == nil {
		nc.Close()
		t.Error("plain text is let in")
	}
	if c.Status().Refused == 0 || len(c.Status().Workers) != 0 {
		t.Errorf("%+v", c.Status())
	}
}

// Who answers at the address with another key sees nothing but the handshake.
func TestPinBeforeToken(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), nil)
	j := joinOf(t, c)
	var s seed
	cfg := testkit.Value(serverTLS(s.private()))(t)
	l := testkit.Value(tls.Listen("tcp", "127.0.0.1:0", cfg))(t)
	defer l.Close()
	got := make(chan []byte, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		fmt.Fprint(conn, "INFO {\"nonce\":\"abc\",\"auth_required\":true}\r\n")
		b, _ := io.ReadAll(conn)
		got <- b
	}()
	j.Address = l.Addr().String()
	if err := <-startWorker(t.Context(), t, j, filepath.Join(t.TempDir(), "key"), &echo{}, 1); !errors.Is(err, ErrPin) {
		t.Error(err)
	}
	if b := <-got; len(b) != 0 {
		t.Errorf("the impostor got %q", b)
	}
}

// What a stranger does on the wire is bounded: silence, long lines, large payloads.
func TestStrangersAreBounded(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), nil)
	j := joinOf(t, c)
	dial := func() *tls.Conn {
		conn := testkit.Value(tls.Dial("tcp", j.Address, clientTLS(j.Pin)))(t)
		_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
		return conn
	}
	// Never authenticating: the server says INFO and, after a while, ends it.
	silent := dial()
	defer silent.Close()
	plain, err := net.Dial("tcp", j.Address) // not even a handshake
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	_ = plain.SetDeadline(time.Now().Add(2 * time.Minute))
	long := dial()
	defer long.Close()
	go func() {
		chunk := []byte(strings.Repeat("x", 64<<10))
		for range 1 << 10 { // 64 MiB of a line, without end
			if _, err := long.Write(chunk); err != nil {
				return
			}
		}
	}()
	for name, conn := range map[string]net.Conn{"silent": silent, "no handshake": plain, "a long line": long} {
		if _, err := io.Copy(io.Discard, bufio.NewReader(conn)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the server does not end it", name)
		}
	}
	s := newStranger(t, j, filepath.Join(t.TempDir(), "key"))
	if err := s.nc.Publish(subjectRoot+s.key+".aaaaaaaa."+verbAnswer, make([]byte, maxPayload+1)); !errors.Is(err,
		nats.ErrMaxPayload) {
		t.Errorf("over the largest payload: %v", err)
	}
	if err := s.nc.Publish(subjectRoot+strings.Repeat("k", 2*maxControlLine), nil); err != nil {
		t.Error(err)
	}
	until(t, "a control line beyond all bounds ends the connection", s.nc.IsClosed)
}

// Whoever is in can say and hear only what is its own.
func TestPermissions(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), nil)
	j := joinOf(t, c)
	s := newStranger(t, j, filepath.Join(t.TempDir(), "a"))
	other := newStranger(t, j, filepath.Join(t.TempDir(), "b"))
	for _, subject := range []string{">", "*", "$SYS.>", "$JS.>", subjectJobs + "*", subjectRoot + ">", inboxRoot + ">",
		inboxRoot + other.key + ".>", "_INBOX.>"} {
		sub := testkit.Value(s.nc.SubscribeSync(subject))(t)
		s.violated("subscribing to " + subject)
		_ = sub.Unsubscribe()
	}
	for _, subject := range []string{"$JS.API.STREAM.DELETE." + streamName, "$JS.API.STREAM.PURGE." + streamName,
		"$JS.API.CONSUMER.MSG.NEXT." + streamName + "." + consumerName, "$JS.ACK." + streamName + "." + consumerName +
			".1.1.1.0.0", "$SYS.REQ.SERVER.PING", subjectJobs + "1", subjectFiled + "1",
		inboxRoot + other.key + ".aaaaaaaa.note",
		subjectRoot + other.key + ".aaaaaaaa." + verbLeave} {
		testkit.OK(t, s.nc.Publish(subject, []byte("x")))
		s.violated("publishing to " + subject)
	}
}

// The coordinator may publish anywhere: a stranger cannot have it do so by a reply to a subject that is not its own.
func TestReplies(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), nil)
	s := newStranger(t, joinOf(t, c), filepath.Join(t.TempDir(), "a"))
	s.join()
	put(t, c, "q")
	before := c.Status().Refused
	for _, reply := range []string{"$JS.API.STREAM.DELETE." + streamName, subjectFiled + "1",
		subjectRoot + s.key + ".aaaaaaaa.join",
		inboxRoot + s.key + ".bbbbbbbb.x", inboxRoot + s.key + ".aaaaaaaa", "x"} {
		for _, verb := range []string{verbNext, verbStatus, verbHold} {
			testkit.OK(t, s.nc.PublishRequest(subjectRoot+s.key+".aaaaaaaa."+verb, reply, nil))
		}
	}
	if c, _ := s.ask(verbHold, []byte("[]")); c != codeDone {
		t.Error(c)
	}
	until(t, "18 are refused", func() bool { return c.Status().Refused >= before+18 })
	if n := c.Status().Refused - before; n != 18 {
		t.Errorf("%d of 18 were refused", n)
	}
	if _, err := c.js.Stream(t.Context(), streamName); err != nil {
		t.Error(err)
	}
	for tail, want := range map[string]bool{"": false, ".": false, ".x": true, ".>": false, ".*": false, ".x y": false,
		".x\r\n": false, ".r.1": true, "." + strings.Repeat("x", 100): false} {
		if got := ownInbox(inboxRoot+s.key+".aaaaaaaa"+tail, s.key, "aaaaaaaa"); got != want {
			t.Errorf("%q: %v", tail, got)
		}
	}
}

// Requests of who has not joined, that are garbage, of another protocol, or about what was never asked for are refused;
// an answer counts once, however often it is sent.
func TestRequests(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), nil)
	s := newStranger(t, joinOf(t, c), filepath.Join(t.TempDir(), "a"))
	hold := func() code {
		got, _ := s.ask(verbHold, []byte("[]"))
		return got
	}
	if got := hold(); got != codeStranger {
		t.Errorf("before joining: %v", got)
	}
	for _, text := range []string{"", "{}", "{", `{"protocol":1,"slots":1,"more":2}`,
		`{"protocol":2,"slots":1}`, `{"protocol":1,"kind":"label","slots":1}`,
		`{"protocol":1,"slots":0}`, `{"protocol":1,"slots":1}{}`,
		`{"protocol":1,"slots":1,"name":"` + strings.Repeat("n", maxHello) + `"}`} {
		if got, _ := s.ask(verbJoin, []byte(text)); got != codeRefused {
			t.Errorf("%.60q: %v", text, got)
		}
	}
	introduction := hello{Protocol: protocol, Slots: 1}
	if got, said := s.ask(verbJoin, encodeJSON(introduction)); got != codeDone || !strings.Contains(said, "terms") ||
		hold() != codeStranger {
		t.Errorf("without a proof: %v %q", got, said)
	}
	introduction.Proof = []byte("nothing")
	if got, said := s.ask(verbJoin, encodeJSON(introduction)); got != codeRefused ||
		!strings.Contains(said, "proves nothing") || hold() != codeStranger {
		t.Errorf("%v %q", got, said)
	}
	s.join()
	forged := job{heldJob: heldJob{Number: 1}, Query: []byte("q"), Payload: []byte("q")}
	if got, said := s.ask(verbAnswer, encodeJSON(forged)); got != codeRefused ||
		!strings.Contains(said, "never asked") {
		t.Errorf("%v %q", got, said)
	}
	for _, data := range [][]byte{nil, {0xff}, []byte("{}"), []byte(strings.Repeat("[", 100))} {
		if got, _ := s.ask(verbAnswer, data); got != codeRefused {
			t.Errorf("%x: %v", data, got)
		}
	}
	n := put(t, c, "q")
	good := job{heldJob: heldJob{n, ticketOf(c.ticket, []byte("q"))}, Query: []byte("q"), Payload: []byte("q")}
	numbers := make(chan uint64, 3)
	go func() {
		for range 3 {
			a := <-c.answers
			numbers <- a.number
			a.reply(nil)
			c.Retract(a.number)
		}
	}()
	for i := range 3 {
		if got, said := s.ask(verbAnswer, encodeJSON(good)); got != codeDone {
			t.Errorf("%d: %v %q", i, got, said)
		}
		if got := <-numbers; got != map[bool]uint64{true: n}[i == 0] {
			t.Errorf("answer %d is that of job %d", i, got)
		}
	}
	if d := c.Status().Done; d != 1 {
		t.Errorf("%d jobs are done", d)
	}
}

// A banned worker is cut off at once, and its key never comes in again, also after a restart.
func TestBanned(t *testing.T) {
	dir := t.TempDir()
	c := testCoordinator(t, dir, nil)
	key := filepath.Join(t.TempDir(), "a")
	run := func(j Join) <-chan error { return startWorker(t.Context(), t, j, key, &echo{}, 1) }
	ended := run(joinOf(t, c))
	until(t, "the worker joins", func() bool { slots, _ := c.Slots(); return slots > 0 })
	testkit.OK(t, c.Ban(1, "it lies"))
	if err := <-ended; !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "it lies") {
		t.Errorf("banned: %v", err)
	}
	if err := <-run(joinOf(t, c)); !errors.Is(err, ErrToken) {
		t.Errorf("comes back: %v", err)
	}
	c.close()
	c = testCoordinator(t, dir, nil)
	if err := <-run(joinOf(t, c)); !errors.Is(err, ErrToken) {
		t.Errorf("comes back after a restart: %v", err)
	}
	if banned, err := BannedIn(dir); err != nil || !banned[1] || c.Banned(1) != "it lies" {
		t.Errorf("%v, %v", banned, err)
	}
}

// A client that asks for much and reads nothing is cut off, and others go on.
func TestSlowConsumer(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), func(cfg *coordinatorConfig) { cfg.Lease = time.Minute })
	j := joinOf(t, c)
	s := newStranger(t, j, filepath.Join(t.TempDir(), "slow"))
	s.join()
	conn := testkit.Value(tls.Dial("tcp", j.Address, clientTLS(j.Pin)))(t)
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(3 * time.Minute))
	options, key, err := j.options(Cluster{}, filepath.Join(t.TempDir(), "silent"))
	if err != nil {
		t.Fatal(err)
	}
	var o nats.Options
	for _, set := range options {
		testkit.OK(t, set(&o))
	}
	line := testkit.Value(bufio.NewReader(conn).ReadString('\n'))(t)
	var info struct{ Nonce string }
	testkit.OK(t, json.Unmarshal([]byte(strings.TrimPrefix(line, "INFO ")), &info))
	signature := testkit.Value(o.SignatureCB([]byte(info.Nonce)))(t)
	fmt.Fprintf(conn, "CONNECT {\"verbose\":false,\"auth_token\":%q,\"nkey\":%q,\"sig\":%q,\"headers\":true}\r\n"+
		"SUB %s 1\r\n", o.Token, key, base64URL(signature), inboxRoot+key+".aaaaaaaa.>")
	// It asks for the status without end, and never reads a byte.
	request := fmt.Sprintf("PUB %[1]s.status %[2]s 0\r\n\r\n", subjectRoot+key+".aaaaaaaa", inboxRoot+key+".aaaaaaaa.x")
	block := []byte(strings.Repeat(request, 500))
	cut := false
	for begun := time.Now(); time.Since(begun) < 2*time.Minute; {
		if _, err := conn.Write(block); err != nil {
			cut = true
			break
		}
	}
	if !cut {
		t.Error("it is not cut off")
	}
	if got, _ := s.ask(verbHold, []byte("[]")); got != codeDone {
		t.Errorf("another one: %v", got)
	}
}

// The secrets are readable by their owner alone, and one that is not is refused.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	c := testCoordinator(t, dir, nil)
	file := filepath.Join(t.TempDir(), "join")
	testkit.OK(t, c.WriteJoin(file))
	for _, path := range []string{file, filepath.Join(dir, keyFile)} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	text := testkit.Value(os.ReadFile(file))(t)
	if j, err := ParseJoin(string(text)); err != nil || j != joinOf(t, c) {
		t.Errorf("%v, %v", j, err)
	}
	testkit.OK(t, os.Chmod(filepath.Join(dir, keyFile), 0o640))
	if _, err := openCoordinator(t.Context(),
		coordinatorConfig{Dir: dir, prove: proveEcho}); !errors.Is(err, ErrReadable) {
		t.Error(err)
	}
}
