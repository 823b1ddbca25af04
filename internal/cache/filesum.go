package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"talbot/internal/durable"
)

// sumKey is the key of the SHA-256 of the file that has a stamp.
func sumKey(s durable.Stamp) string {
	return Key("SHA-256 of a file, version 1", fmt.Sprintf("%+v", s))
}

// StampOf returns the stamp of a regular file by its name; false if it cannot be opened, is something else, or the
// system has no stamps.
func StampOf(path string) (durable.Stamp, bool) {
	f, err := durable.OpenRegular(path)
	if err != nil {
		return durable.Stamp{}, false
	}
	defer f.Close()
	return durable.StampOf(f)
}

// PutSum notes the SHA-256, in hex, of a file that had this stamp before it was read. It is not kept if the file has
// changed since, or so lately that another change might not show.
func (f *Folder) PutSum(path string, before durable.Stamp, sum string) {
	if after, ok := StampOf(path); ok && after == before && after.Settled(time.Now()) {
		f.Put(sumKey(after), []byte(sum))
	}
}

// FileSum returns the size and the SHA-256, in hex, of a regular file. Its bytes are read only if its stamp is not that
// of a file whose sum is kept.
func (f *Folder) FileSum(path string) (size int64, sum string, err error) {
	file, err := durable.OpenRegular(path)
	if err != nil {
		return 0, "", err
	}
	defer file.Close()
	before, stamped := durable.StampOf(file)
	if stamped {
		if kept, ok := f.Get(sumKey(before)); ok {
			return before.Size, string(kept), nil
		}
	}
	h := sha256.New()
	if size, err = io.Copy(h, file); err != nil {
		return 0, "", err
	}
	sum = hex.EncodeToString(h.Sum(nil))
	if stamped {
		f.PutSum(path, before, sum)
	}
	return size, sum, nil
}
