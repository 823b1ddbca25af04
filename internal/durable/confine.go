package durable

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// confined are the folders of [Confine], by path.
var confined struct {
	sync.RWMutex
	roots []confinedRoot
}

type confinedRoot struct {
	dir  string
	root *os.Root
}

// Confine has every file below a folder that is opened for reading by its path opened through [os.Root] from now on:
// a link that leads out of the folder is an error, no matter who makes it or when. It is for programs that show others
// what is below some folders. dir is absolute. It returns the root, and what ends the confinement and closes the root.
func Confine(dir string) (root *os.Root, release func() error, err error) {
	if root, err = os.OpenRoot(dir); err != nil {
		return nil, nil, err
	}
	confined.Lock()
	defer confined.Unlock()
	confined.roots = append(confined.roots, confinedRoot{filepath.Clean(dir), root})
	return root, func() error {
		confined.Lock()
		defer confined.Unlock()
		for i := range confined.roots {
			if confined.roots[i].root == root {
				confined.roots = append(confined.roots[:i:i], confined.roots[i+1:]...)
				break
			}
		}
		return root.Close()
	}, nil
}

// openToRead opens a file for reading, through the root of the folder that it is confined to, if it is.
func openToRead(path string) (*os.File, error) {
	confined.RLock()
	defer confined.RUnlock()
	for _, c := range confined.roots {
		name, inside := strings.CutPrefix(path, c.dir)
		if inside && (name == "" || os.IsPathSeparator(name[0]) || os.IsPathSeparator(c.dir[len(c.dir)-1])) {
			name = strings.TrimLeft(name, string(filepath.Separator))
			if name == "" {
				name = "."
			}
			return c.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
		}
	}
	return os.OpenFile(path, os.O_RDONLY|nonblock, 0)
}
