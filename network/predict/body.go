package predict

import "github.com/gomlx/compute"

// body is the network for one batch size.
type body struct {
	forward
	out   []compute.Buffer // of the last run: the heads
	tails map[int]*tail    // by length of lists
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
	b := &body{tails: map[int]*tail{}}
	var err error
	if d.runtime != nil {
		b.forward, err = d.runtime.forward(n)
	} else {
		b.forward, err = d.compiled(n)
	}
	if err != nil {
		return nil, err
	}
	d.bodies[n] = b
	return b, nil
}

// forward runs the network on what was put into a body. b.out is the caller's to drop.
func (d *device) forward(b *body) (err error) {
	b.out, err = b.run()
	return err
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
}

// raw appends the heads for inputs to dst, which are computed in a batch of n.
func (d *device) raw(dst [][]float32, packed []uint64, n int) error {
	b, err := d.body(n)
	if err != nil {
		return err
	}
	words := d.layout.Words
	rows := len(packed) / words
	for i := range n {
		from := 0
		if i < rows {
			from = i * words
		}
		b.put(i, packed[from:from+words])
	}
	if err := d.forward(b); err != nil {
		return err
	}
	defer b.drop()
	for i, buffer := range b.out {
		size := 1
		for _, x := range d.heads[i].Shape {
			size *= x
		}
		all := make([]float32, n*size)
		if err := buffer.ToFlatData(all); err != nil {
			return err
		}
		dst[i] = append(dst[i], all[:rows*size]...)
	}
	return nil
}
