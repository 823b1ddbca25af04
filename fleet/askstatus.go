package fleet

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// AskStatus asks a coordinator how far the work has come. The join string is enough to ask.
func AskStatus(ctx context.Context, j Join, cluster Cluster, keyFile string) (Status, error) {
	var s Status
	options, key, err := j.options(keyFile)
	if err != nil {
		return s, err
	}
	prefix := inboxRoot + key + ".00000000."
	address := "tls://" + j.Address
	if cluster.URL != "" {
		options, address = cluster.options(), cluster.URL
	}
	nc, err := nats.Connect(address, append(options, nats.CustomInboxPrefix(prefix+"s"), nats.NoReconnect())...)
	switch {
	case errors.Is(err, ErrPin):
		return s, ErrPin
	case errors.Is(err, nats.ErrAuthorization):
		return s, ErrToken
	case err != nil:
		return s, fmt.Errorf("connecting to %s: %w", j.Address, err)
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, subjectRoot+key+".00000000."+verbStatus, nil)
	if err != nil {
		return s, fmt.Errorf("asking %s for its status: %w", j.Address, err)
	}
	c, text, err := decodeReply(m.Data)
	if err == nil && c != codeDone {
		err = fmt.Errorf("%w: %s", ErrRefused, clip(string(text), maxReason))
	}
	if err == nil {
		err = decodeJSON(text, maxPayload, &s)
	}
	return s, err
}
