package main

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// symbols are what comments can link to in a package: exported and not, "Name" and "Type.Member" with fields and
// methods.
type symbols struct {
	names    map[string]bool
	embedded map[string][]string // by type: "Type" or "pkg.Type", whose members count as its own
}

// linkPackage is one folder of Go files, its tests with it.
type linkPackage struct {
	name    string
	files   map[string]*ast.File
	own     symbols         // what its files declare, its tests included
	imports map[string]bool // the names of packages its files import, ours left out
}

// parsePackages parses all Go files below root, by folder.
func parsePackages(t *testing.T, set *token.FileSet, root string) map[string]*linkPackage {
	t.Helper()
	found := map[string]*linkPackage{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case filepath.Ext(file) != ".go":
			return nil
		}
		f, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(rel)
		p := found[folder]
		if p == nil {
			p = &linkPackage{files: map[string]*ast.File{}, imports: map[string]bool{},
				own: symbols{map[string]bool{}, map[string][]string{}}}
			found[folder] = p
		}
		p.name = strings.TrimSuffix(f.Name.Name, "_test")
		p.files[file] = f
		for _, d := range f.Decls {
			p.own.declare(d)
		}
		for _, spec := range f.Imports {
			to, _ := strconv.Unquote(spec.Path.Value)
			if strings.HasPrefix(to, "talbot/") {
				continue
			}
			p.imports[path.Base(to)] = true
			if spec.Name != nil {
				p.imports[spec.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// declare adds what a declaration names.
func (s *symbols) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			s.names[d.Name.Name] = true
		} else {
			s.names[typeName(d.Recv.List[0].Type)+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					s.names[name.Name] = true
				}
			case *ast.TypeSpec:
				s.declareType(spec.Name.Name, spec.Type)
			}
		}
	}
}

// declareType adds a type with its fields or methods.
func (s *symbols) declareType(name string, of ast.Expr) {
	s.names[name] = true
	var members *ast.FieldList
	switch of := of.(type) {
	case *ast.StructType:
		members = of.Fields
	case *ast.InterfaceType:
		members = of.Methods
	default:
		if to := typeName(of); to != "" { // an alias has the members of what it stands for
			s.embedded[name] = append(s.embedded[name], to)
		}
		return
	}
	for _, f := range members.List {
		for _, member := range f.Names {
			s.names[name+"."+member.Name] = true
		}
		if to := typeName(f.Type); len(f.Names) == 0 && to != "" {
			s.embedded[name] = append(s.embedded[name], to)
			s.names[name+"."+to[strings.LastIndexByte(to, '.')+1:]] = true
		}
	}
}

// typeName returns the name of a type without its pointer and parameters, "" if it has none.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	}
	return ""
}

// has reports whether a package of ours has a name, or a type of it a member.
func (p *linkPackage) has(ours map[string][]*linkPackage, recv, name string) bool {
	if recv == "" {
		return p.own.names[name]
	}
	return p.own.names[recv+"."+name] || slices.ContainsFunc(p.own.embedded[recv], func(to string) bool {
		in, of, other := strings.Cut(to, ".")
		if !other {
			return p.has(ours, to, name)
		}
		return ours[in] == nil ||
			slices.ContainsFunc(ours[in], func(q *linkPackage) bool { return q.has(ours, of, name) })
	})
}

// linksOf returns the links of a comment to names and packages, as go doc sees them.
func linksOf(text string) []*comment.DocLink {
	p := comment.Parser{
		LookupPackage: func(name string) (string, bool) { return name, true },
		LookupSym:     func(string, string) bool { return true },
	}
	var links []*comment.DocLink
	var texts func([]comment.Text)
	texts = func(list []comment.Text) {
		for _, t := range list {
			switch t := t.(type) {
			case *comment.DocLink:
				links = append(links, t)
			case *comment.Link:
				texts(t.Text)
			}
		}
	}
	var blocks func([]comment.Block)
	blocks = func(list []comment.Block) {
		for _, b := range list {
			switch b := b.(type) {
			case *comment.Paragraph:
				texts(b.Text)
			case *comment.Heading:
				texts(b.Text)
			case *comment.List:
				for _, item := range b.Items {
					blocks(item.Content)
				}
			}
		}
	}
	blocks(p.Parse(text).Content)
	return links
}

// members are links to a member where one of both is not exported, which go doc shows as they are: [Predictor.serve].
var members = regexp.MustCompile(`\[\*?(\w+)\.(\w+)\]`)

// dead returns the links of a comment in a package that lead nowhere, and how many lead to packages of ours. A single
// capital letter is the size of a tensor, as N in [N, 64], and [name] stands for what may be left out: neither is one.
func (p *linkPackage) dead(ours map[string][]*linkPackage, text string) (dead []string, looked int) {
	for _, m := range members.FindAllStringSubmatch(text, -1) {
		if p.own.names[m[1]] && !(ast.IsExported(m[1]) && ast.IsExported(m[2])) {
			looked++
			if !p.has(ours, m[1], m[2]) {
				dead = append(dead, "["+m[1]+"."+m[2]+"]")
			}
		}
	}
	for _, link := range linksOf(text) {
		in, name := path.Base(link.ImportPath), link.Name
		if link.Recv != "" {
			name = link.Recv + "." + name
		}
		switch _, std := comment.DefaultLookupPackage(link.ImportPath); {
		case name == "" || len(name) == 1:
		case link.ImportPath == "":
			looked++
			if !p.has(ours, link.Recv, link.Name) {
				dead = append(dead, "["+name+"]")
			}
		case p.imports[in] || p.own.names[link.ImportPath]:
		case ours[in] != nil:
			looked++
			if !slices.ContainsFunc(ours[in], func(q *linkPackage) bool { return q.has(ours, link.Recv, link.Name) }) {
				dead = append(dead, "["+link.ImportPath+"."+name+"]")
			}
		case !std && !strings.Contains(link.ImportPath, "/"):
			dead = append(dead, "["+link.ImportPath+"."+name+"]")
		}
	}
	return dead, looked
}

// byName sorts packages by their name.
func byName(all map[string]*linkPackage) map[string][]*linkPackage {
	ours := map[string][]*linkPackage{}
	for _, folder := range slices.Sorted(maps.Keys(all)) {
		ours[all[folder].name] = append(ours[all[folder].name], all[folder])
	}
	return ours
}

// TestDocLinks: what a comment names in brackets exists, so that renaming something reaches the comments too.
func TestDocLinks(t *testing.T) {
	set := token.NewFileSet()
	all := parsePackages(t, set, "../..")
	ours := byName(all)
	looked := 0
	for _, p := range all {
		for _, f := range p.files {
			for _, group := range f.Comments {
				dead, n := p.dead(ours, group.Text())
				looked += n
				for _, link := range dead {
					t.Errorf("%s: %s leads nowhere", set.Position(group.Pos()), link)
				}
			}
		}
	}
	t.Logf("%d links", looked)
	if looked < 500 {
		t.Errorf("only %d links were looked at", looked)
	}
}

// TestDocLinksThatAreDead: the test above sees each kind of a dead link, and takes none that lives for one.
func TestDocLinksThatAreDead(t *testing.T) {
	all := parsePackages(t, token.NewFileSet(), "../..")
	p := all["play/engine"]
	for text, want := range map[string]string{
		"see [Network.Evaluator] and [predict.Predictor]":   "",
		"[mcts.Options.Batch], [*Network], [os.File.Close]": "",
		"[Network.parts], [N], [optional], []":              "",
		"see [Gone].":                                       "[Gone]",
		"see [Network.gone].":                               "[Network.gone]",
		"see [Network.Gone].":                               "[Network.Gone]",
		"- a list of [Gone]s [Gone]":                        "[Gone]",
		"see [predict.Gone]":                                "[predict.Gone]",
		"see [mcts.Options.Gone]":                           "[mcts.Options.Gone]",
		"see [gone.Network]":                                "[gone.Network]",
	} {
		dead, _ := p.dead(byName(all), text)
		if got := strings.Join(dead, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
