// Command makerelease packs one archive of a release: the files that are named, and in the folder licences those of all
// that is linked. The same files give the same bytes. scripts/release.sh runs it.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("makerelease: error: ")
	name := flag.String("name", "", "name of the archive, without its ending, and of the folder in it")
	packages := flag.String("packages", "", "file with a line for each linked package outside the standard library:\n"+
		"import path, folder, module, version and folder of the module, between tabs; no module is ours")
	goroot := flag.String("goroot", "", "folder of Go, whose standard library is linked")
	goVersion := flag.String("go", "", "version of Go")
	seconds := flag.String("time", "0", "time of all files, in seconds since 1970")
	out := flag.String("out", "dist", "folder for the archive")
	flag.Parse()
	at, err := strconv.ParseInt(*seconds, 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	if err := release(*name, *packages, *goroot, *goVersion, *out, time.Unix(at, 0).UTC(), flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func release(name, packages, goroot, goVersion, out string, at time.Time, paths []string) error {
	list, err := os.ReadFile(packages)
	if err != nil {
		return err
	}
	linked, err := modules(string(list))
	if err != nil {
		return fmt.Errorf("%q: %w", packages, err)
	}
	linked = append(linked, &module{path: "std", version: goVersion, dir: goroot, folders: []string{goroot}})
	files, err := licences(linked)
	if err != nil {
		return err
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		files[filepath.Base(p)] = data
	}
	pack, suffix := writeTar, ".tar.gz"
	if _, windows := files["talbot.exe"]; windows {
		pack, suffix = writeZip, ".zip"
	}
	f, err := os.Create(filepath.Join(out, name+suffix))
	if err != nil {
		return err
	}
	return errors.Join(pack(f, name, files, at), f.Close())
}

// module is one that is linked.
type module struct {
	path, version, dir string
	folders            []string // of its linked packages
}

// modules reads the list of packages. Those of the main module are left out.
func modules(list string) ([]*module, error) {
	byPath := map[string]*module{}
	var all []*module
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 5 || f[1] == "" || f[4] == "" {
			return nil, fmt.Errorf("%q: not package, folder, module, version and folder of the module", line)
		}
		if f[2] == "" {
			continue
		}
		m := byPath[f[2]]
		if m == nil {
			m = &module{path: f[2], version: f[3], dir: f[4]}
			byPath[m.path], all = m, append(all, m)
		}
		m.folders = append(m.folders, f[1])
	}
	if len(all) == 0 {
		return nil, errors.New("it has no module that is linked")
	}
	slices.SortFunc(all, func(a, b *module) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

var (
	// A licence, and what has to come with one.
	licence = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([-_.].*)?$`)
	notice  = regexp.MustCompile(`(?i)^(notice|patents|copyright|third.?party.*)([-_.].*)?$`)
	source  = regexp.MustCompile(`(?i)\.(go|s|c|h|py|sh|json|ya?ml)$`)
)

// licences returns the licence files of modules, by their names in the archive, with a list of them. A module without
// any is an error. A package may have one of its own: the folders from it up to the module's are searched.
func licences(all []*module) (map[string][]byte, error) {
	files := map[string][]byte{}
	var list strings.Builder
	list.WriteString("What is linked into this program, and the licences of it, in this folder.\n\n")
	for _, m := range all {
		seen := map[string]bool{}
		for _, dir := range m.folders {
			for ; !seen[dir]; dir = filepath.Dir(dir) {
				if rel, err := filepath.Rel(m.dir, dir); err != nil || !filepath.IsLocal(rel) {
					return nil, fmt.Errorf("module %s: the package in %q is outside it", m.path, dir)
				}
				seen[dir] = true
				if dir == m.dir {
					break
				}
			}
		}
		var names []string
		found := false
		for dir := range seen {
			entries, err := os.ReadDir(dir)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				is := licence.MatchString(e.Name())
				if !e.Type().IsRegular() || source.MatchString(e.Name()) || !is && !notice.MatchString(e.Name()) {
					continue
				}
				data, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil {
					return nil, err
				}
				rel, _ := filepath.Rel(m.dir, filepath.Join(dir, e.Name())) // checked above
				name := path.Join(m.path, filepath.ToSlash(rel))
				files["licences/"+name] = data
				names = append(names, name)
				found = found || is && dir == m.dir && len(data) > 0
			}
		}
		if !found {
			return nil, fmt.Errorf("module %s %s has no licence file in %q: it may not be passed on", m.path, m.version,
				m.dir)
		}
		slices.Sort(names)
		fmt.Fprintf(&list, "%s %s\n", m.path, m.version)
		for _, name := range names {
			fmt.Fprintf(&list, "\t%s\n", name)
		}
	}
	files["licences/LIST"] = []byte(list.String())
	return files, nil
}

// mode is what may be done with a file of the archive.
func mode(name string) os.FileMode {
	if name == "talbot" || name == "talbot.exe" {
		return 0o755
	}
	return 0o644
}

// names are those of the files, sorted.
func names(files map[string][]byte) []string {
	var all []string
	for name := range files {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func writeTar(out io.Writer, folder string, files map[string][]byte, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(compressed)
	for _, name := range names(files) {
		header := tar.Header{Format: tar.FormatPAX, Typeflag: tar.TypeReg, Name: path.Join(folder, name),
			Mode: int64(mode(name)), Size: int64(len(files[name])), ModTime: at}
		if err := w.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := w.Write(files[name]); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), compressed.Close())
}

func writeZip(out io.Writer, folder string, files map[string][]byte, at time.Time) error {
	w := zip.NewWriter(out)
	for _, name := range names(files) {
		header := zip.FileHeader{Name: path.Join(folder, name), Method: zip.Deflate, Modified: at}
		header.SetMode(mode(name))
		f, err := w.CreateHeader(&header)
		if err != nil {
			return err
		}
		if _, err := f.Write(files[name]); err != nil {
			return err
		}
	}
	return w.Close()
}
