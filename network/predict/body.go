package predict

import "github.com/gomlx/compute"

// body is the network for one batch size, and what reads its heads.
type body struct {
	forward
	tail tail
}

// forward computes heads for a batch of one size.
type forward interface {
	put(i int, packed []uint64)     // writes the input of row i
	run() ([]compute.Buffer, error) // computes the heads
	check() error                   // is ErrNotFinite if a number of the last run was not finite
	drop()                          // frees what run returned
	close()
}

// body returns the network for a batch size, which is compiled at its first use.
func (d *device) body(n int) (*body, error) {
	if b := d.bodies[n]; b != nil {
		return b, nil
	}
	b := &body{}
	var err error
	if d.runtime != nil {
		b.forward, err = d.runtime.forward(n)
	} else {
		b.forward, err = d.compiled(n)
	}
	if err != nil {
		return nil, err
	}
	if err := d.compileTail(&b.tail, n); err != nil {
		b.forward.close()
		return nil, err
	}
	d.bodies[n] = b
	return b, nil
}

// fill writes at most n questions, and the first again in place of those that are missing: a batch is not finite only
// if one of its positions is not.
func (b *body) fill(rows []row, n int) {
	for i := range n {
		q := rows[0].question()
		if i < len(rows) {
			q = rows[i].question()
		}
		b.put(i, q.Packed)
	}
	b.tail.fill(rows, n)
}

// compute computes the heads of what was put into a body and writes the answers to rows, if there are any.
func (b *body) compute(d *device, rows []row) error {
	heads, err := b.run()
	if err != nil {
		return err
	}
	defer b.drop()
	if err := b.tail.read(d, heads); err != nil || len(rows) == 0 {
		return err
	}
	if err := b.check(); err != nil {
		return err
	}
	for i := range rows {
		if err := b.tail.write(rows[i], i); err != nil {
			return err
		}
	}
	return nil
}

func (b *body) close() {
	b.tail.codes.close()
	b.tail.exec.Finalize()
	b.forward.close()
}
