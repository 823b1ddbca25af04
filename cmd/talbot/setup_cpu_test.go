package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/network/backend"
)

// TestPlanCPU: whatever the source, the plugin goes to the one folder that is searched.
func TestPlanCPU(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for name, c := range map[string]struct {
		os, arch, programs, source, file string
	}{
		"pip":          {"linux", "amd64", "pip", "Python package", "pjrt_c_api_cpu_plugin.so"},
		"no pip":       {"linux", "amd64", "", "releases", "pjrt_c_api_cpu_plugin.so"},
		"no package":   {"linux", "arm64", "pip", "releases", "pjrt_c_api_cpu_plugin.so"},
		"macOS":        {"darwin", "arm64", "pip", "releases", "pjrt_c_api_cpu_plugin.dylib"},
		"without home": {"linux", "amd64", "pip", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := bare(false, strings.Fields(c.programs)...)
			m.os, m.arch, m.plugins = c.os, c.arch, backend.PluginDir()
			if c.file == "" {
				m.plugins = ""
			}
			s, err := planInstaller(partCPU, backend.Discovery{Compiled: true}, m)
			if c.file == "" {
				if err == nil {
					t.Error("no error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			plan := strings.Join(s.plan, "\n")
			if !strings.Contains(plan, c.source) || !strings.HasSuffix(plan, "into "+filepath.Join(m.plugins, c.file)) {
				t.Errorf("plan\n%s", plan)
			}
		})
	}
}

// wheelOf is a zip file with one member.
func wheelOf(t *testing.T, member string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create(member)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestInstallCPU: what is fetched is found afterwards; what is not what it should be leaves no plugin and no rest.
func TestInstallCPU(t *testing.T) {
	plugin := library(t, "GetPjrtApi", "malloc")
	hash := sha256.Sum256(plugin)
	sum := hex.EncodeToString(hash[:])
	from, other := wheel(), library(t, "main", "GetPjrtApi")
	good, file := wheelOf(t, from.member, plugin), "pjrt_c_api_cpu_v1_plugin.so"
	damaged := bytes.Replace(good, []byte("PK\x01"), nil, 1)
	broken := errors.New("no network")
	for name, c := range map[string]struct {
		source pluginSource
		files  map[string][]byte
		err    error
		ok     bool
	}{
		"package":             {wheel(), map[string][]byte{"a.whl": good}, nil, true},
		"release":             {release(), map[string][]byte{file: plugin}, nil, true},
		"changed package":     {wheel(), map[string][]byte{"a.whl": wheelOf(t, from.member, other)}, nil, false},
		"cut package":         {wheel(), map[string][]byte{"a.whl": good[:len(good)/2]}, nil, false},
		"damaged package":     {wheel(), map[string][]byte{"a.whl": damaged}, nil, false},
		"without plugin":      {wheel(), map[string][]byte{"a.whl": wheelOf(t, "x", plugin)}, nil, false},
		"two packages":        {wheel(), map[string][]byte{"a.whl": good, "b.whl": good}, nil, false},
		"empty":               {wheel(), nil, nil, false},
		"no network":          {wheel(), map[string][]byte{"a.whl": good}, broken, false},
		"release, no plugin":  {release(), map[string][]byte{file: other}, nil, false},
		"release, no network": {release(), map[string][]byte{file: plugin}, broken, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_DATA_HOME", t.TempDir())
			c.source.fetch = func(_ context.Context, dir string) error {
				for name, data := range c.files {
					if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				return c.err
			}
			if c.source.part != partCPU {
				t.Error(c.source.part)
			}
			if c.source.sum != "" {
				c.source.sum = sum
			}
			to := filepath.Join(backend.PluginDir(), "pjrt_c_api_cpu_plugin.so")
			err := c.source.install(t.Context(), to)
			if (err == nil) != c.ok || c.err != nil && !errors.Is(err, c.err) {
				t.Errorf("installed: %v", err)
			}
			entries, err := os.ReadDir(backend.PluginDir())
			if err != nil {
				t.Fatal(err)
			}
			if !c.ok {
				if len(entries) != 0 {
					t.Errorf("left behind: %v", entries)
				}
				return
			}
			if p, _ := backend.Discover().Plugin("cpu"); len(entries) != 1 || p.Path != to {
				t.Errorf("%v in the folder, found %q", entries, p.Path)
			}
			if data, err := os.ReadFile(to); err != nil || !bytes.Equal(data, plugin) {
				t.Errorf("the plugin differs, or %v", err)
			}
		})
	}
}
