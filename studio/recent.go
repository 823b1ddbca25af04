package studio

import "slices"

// recent keeps what was used last, so many at most. It belongs to one goroutine at a time.
type recent[T any] struct {
	most  int
	close func(T) // nil: nothing is to be closed
	list  []recentEntry[T]
}

type recentEntry[T any] struct {
	key  string
	item T
}

// get returns what is kept under a key, or opens it.
func (r *recent[T]) get(key string, open func() (T, error)) (T, error) {
	if i := slices.IndexFunc(r.list, func(e recentEntry[T]) bool { return e.key == key }); i >= 0 {
		e := r.list[i]
		r.list = slices.Insert(slices.Delete(r.list, i, i+1), 0, e)
		return e.item, nil
	}
	item, err := open()
	if err != nil {
		return item, err
	}
	r.list = slices.Insert(r.list, 0, recentEntry[T]{key, item})
	r.shrink(r.most)
	return item, nil
}

// shrink keeps only some of the items.
func (r *recent[T]) shrink(most int) {
	for len(r.list) > most {
		last := len(r.list) - 1
		if r.close != nil {
			r.close(r.list[last].item)
		}
		r.list = r.list[:last]
	}
}
