package studio

import "slices"

// opened keeps what was used last open: so many at most. It belongs to one goroutine at a time.
type opened[T interface{ Close() }] struct {
	most int
	list []kept[T] // the last one first
}

type kept[T interface{ Close() }] struct {
	key string
	it  T
}

// get returns what is open under a key, or opens it.
func (o *opened[T]) get(key string, open func() (T, error)) (T, error) {
	if i := slices.IndexFunc(o.list, func(k kept[T]) bool { return k.key == key }); i >= 0 {
		k := o.list[i]
		o.list = slices.Insert(slices.Delete(o.list, i, i+1), 0, k)
		return k.it, nil
	}
	it, err := open()
	if err != nil {
		return it, err
	}
	if o.list = slices.Insert(o.list, 0, kept[T]{key, it}); len(o.list) > o.most {
		o.list[o.most].it.Close()
		o.list = o.list[:o.most]
	}
	return it, nil
}

func (o *opened[T]) close() {
	for _, k := range o.list {
		k.it.Close()
	}
	o.list = nil
}
