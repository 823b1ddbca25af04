package rows

import (
	"bytes"
	"strconv"
	"strings"
)

// archives are kinds of files that are known by their first bytes and are not read, also where another compression is
// around them.
var archives = []struct{ magic, name string }{
	{"PK\x03\x04", "zip"}, {"PK\x05\x06", "zip"}, {"7z\xbc\xaf\x27\x1c", "7z"}, {"\xfd7zXZ\x00", "xz"}, {"Rar!", "rar"},
	{"\x04\x22\x4d\x18", "lz4"}, {"\x1f\x9d", "compress"}, {"LZIP", "lzip"}, {"!<arch>\n", "ar"}, {"070701", "cpio"},
	{"070702", "cpio"}, {"070707", "cpio"},
}

// archiveOf returns which kind of archive begins so; "" if none does.
func archiveOf(head []byte) string {
	for _, a := range archives {
		if bytes.HasPrefix(head, []byte(a.magic)) {
			return a.name
		}
	}
	if isTar(head) {
		return "tar"
	}
	return ""
}

// TarBlock is the size of a block of a tar archive: one describes a file, and those after it have its content.
const TarBlock = 512

// TarHeader describes a file in a tar archive.
type TarHeader struct {
	Name    string
	Size    int64 // of its content
	Regular bool
}

// ReadTarHeader reads a block that describes a file, as all versions since 1979 have it
// (https://www.gnu.org/software/tar/manual/html_node/Standard.html): ok is false if it is none. It has an octal sum of
// its bytes, in which the sum itself counts as blanks.
func ReadTarHeader(data []byte) (h TarHeader, ok bool) {
	const sumAt, sumEnd, sizeAt, sizeEnd, typeAt, nameEnd = 148, 156, 124, 136, 156, 100
	if len(data) < TarBlock || bytes.IndexByte(data[:TarBlock], 0) < 0 { // text has no zeros
		return h, false
	}
	octal := func(text []byte) (int64, error) {
		return strconv.ParseInt(strings.Trim(string(text), " \x00"), 8, 64)
	}
	want, err := octal(data[sumAt:sumEnd])
	if err != nil {
		return h, false
	}
	sum := int64((sumEnd - sumAt) * ' ')
	for i, c := range data[:TarBlock] {
		if i < sumAt || i >= sumEnd {
			sum += int64(c)
		}
	}
	if h.Size, err = octal(data[sizeAt:sizeEnd]); sum != want || err != nil || h.Size < 0 {
		return h, false
	}
	name, _, _ := bytes.Cut(data[:nameEnd], []byte{0})
	h.Name = string(name)
	h.Regular = data[typeAt] == '0' || data[typeAt] == 0
	if !h.Regular && strings.IndexByte("12345", data[typeAt]) >= 0 { // links and folders have no content
		h.Size = 0
	}
	return h, true
}

// AfterContent returns where the block after the content of a file is whose content begins at an offset.
func (h *TarHeader) AfterContent(at int64) int64 { return at + (h.Size+TarBlock-1)/TarBlock*TarBlock }

// isTar reports whether a file begins with such a header.
func isTar(head []byte) bool { _, ok := ReadTarHeader(head); return ok }
