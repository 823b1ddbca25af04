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

// The header of a file in a tar archive, as all versions since 1979 have it: an octal sum of its bytes, in which the
// sum itself counts as blanks (https://www.gnu.org/software/tar/manual/html_node/Standard.html).
const (
	tarBlock   = 512
	tarSum     = 148
	tarSumSize = 8
)

// isTar reports whether a file begins with such a header.
func isTar(head []byte) bool {
	if len(head) < tarBlock || bytes.IndexByte(head[:tarBlock], 0) < 0 { // text has no zeros
		return false
	}
	want, err := strconv.ParseInt(strings.Trim(string(head[tarSum:tarSum+tarSumSize]), " \x00"), 8, 32)
	if err != nil {
		return false
	}
	sum := int64(tarSumSize * ' ')
	for i, c := range head[:tarBlock] {
		if i < tarSum || i >= tarSum+tarSumSize {
			sum += int64(c)
		}
	}
	return sum == want
}
