package ingest

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/plain"
)

// rejectsName is the file in the output folder that collects the rejects until the dataset is finished. It is cut back
// to the last mark when the command is repeated, so that it says of each game once why it was left out.
const rejectsName = "rejects.part"

const rejectsHeader = "file\tnumber\toffset\treason\tdetail\n"

// sideFile says which files of the output folder are the ingest's own.
func (g *ingester) sideFile(name string, _ int) (own, wanted bool) {
	return name == rejectsName || name == spoolName, name == rejectsName && g.state.Rejects > 0
}

// rejectsFile is a list of rejects being made; nil if none is wanted.
type rejectsFile struct {
	file *durable.File
	w    *bufio.Writer
	size int64
}

// collectRejects begins the list of rejects, or takes it up at the last mark, if one is wanted.
func (g *ingester) collectRejects() error {
	if g.Rejects == "" {
		return nil
	}
	f, err := durable.Open(g.out.Path(rejectsName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return fmt.Errorf("opening the list of rejects: %w", err)
	}
	size := g.state.Rejects
	r := &rejectsFile{file: f, w: bufio.NewWriterSize(f, 64<<10), size: size}
	g.rejects = r
	if info, err := f.Stat(); err != nil {
		return err
	} else if info.Size() < size {
		return fmt.Errorf("list of rejects %q: %d bytes, not %d: %w", f.Name(), info.Size(), size, dataset.ErrDamaged)
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	if _, err := f.Seek(size, io.SeekStart); err != nil {
		return err
	}
	if size == 0 {
		r.write(rejectsHeader)
	}
	return g.out.Mark()
}

// markRejects makes durable what was added and notes the size.
func (g *ingester) markRejects() error {
	if g.rejects == nil {
		return nil
	}
	err := g.rejects.w.Flush()
	if err == nil {
		err = g.rejects.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("writing the list of rejects: %w", err)
	}
	g.state.Rejects = g.rejects.size
	return nil
}

func (r *rejectsFile) write(s string) {
	n, _ := r.w.WriteString(s) // an error stays in the writer until mark
	r.size += int64(n)
}

// add writes one row, whose texts are made plain. The file is as it was named on the command line. Without a list it
// does nothing.
func (r *rejectsFile) add(path string, reject *dataset.Reject) {
	r.addRow(path, reject, plain.Escape(reject.Detail()))
}

// addCopy writes the row of a copy or a prefix, with the key of its moves.
func (r *rejectsFile) addCopy(path string, reject *dataset.Reject, k dataset.GameKey) {
	r.addRow(path, reject, keyDetail(k))
}

func (r *rejectsFile) addRow(path string, reject *dataset.Reject, detail string) {
	if r != nil {
		r.write(fmt.Sprintf("%s\t%d\t%d\t%s\t%s\n", plain.Escape(path), reject.Number, reject.Offset, reject.Reason,
			detail))
	}
}

// rewind takes back what was added after a size. What is written over by then is never part of the list: the caller
// marks before it adds. Without a list it does nothing.
func (r *rejectsFile) rewind(size int64) error {
	if r == nil {
		return nil
	}
	err := r.w.Flush()
	if err == nil {
		_, err = r.file.Seek(size, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("writing the list of rejects: %w", err)
	}
	r.size = size
	return nil
}

func (r *rejectsFile) close() {
	if r != nil && r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

// OwnsRejects reports whether a file may be the list of rejects that an unfinished ingest into dir put there.
func OwnsRejects(path, dir string) bool {
	if !output.InUse(dir) {
		return false
	}
	f, err := durable.OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(rejectsHeader))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == rejectsHeader
}
