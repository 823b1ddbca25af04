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
	tarSize    = 124
	tarSizeEnd = 136
	tarMagic   = 257
)

// tarIsCut reports whether a file, or less than the first 64 KiB of one, is the beginning of a tar archive: of one
// that ends before the empty block that is its end. A header that is cut off is known by its magic word.
func tarIsCut(head []byte) bool {
	if len(head) < tarBlock {
		return len(head) > tarMagic+5 && string(head[tarMagic:tarMagic+5]) == "ustar"
	}
	for at := 0; len(head) < peekSize; {
		if at+tarBlock > len(head) {
			return true
		}
		header := head[at : at+tarBlock]
		size, err := strconv.ParseInt(strings.Trim(string(header[tarSize:tarSizeEnd]), " \x00"), 8, 32)
		if !isTar(header) || err != nil || size < 0 {
			return false // its end, or no archive
		}
		at += tarBlock + (int(size)+tarBlock-1)/tarBlock*tarBlock
	}
	return false
}

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
