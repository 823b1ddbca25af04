package syzygy

import (
	"encoding/json"
	"path/filepath"

	"talbot/internal/cache"
	"talbot/internal/durable"
)

// tableCache has the findings of earlier runs about the tables of some folders, by their paths.
type tableCache struct {
	key   string
	found map[string]finding
}

// loadCache returns the stored findings about folders.
func loadCache(from *cache.Folder, folders []string) *tableCache {
	parts := []string{"syzygy tables", "1"}
	for _, dir := range folders {
		parts = append(parts, absolute(dir))
	}
	m := &tableCache{key: cache.Key(parts...), found: map[string]finding{}}
	if text, ok := from.Get(m.key); ok && json.Unmarshal(text, &m.found) != nil {
		m.found = map[string]finding{}
	}
	return m
}

// of returns the stored finding about a file that has not changed; nil: there is none.
func (m *tableCache) of(t *Table) *finding {
	found, ok := m.found[absolute(t.Path)]
	if !ok || t.stamp == (durable.Stamp{}) || found.Stamp != t.stamp {
		return nil
	}
	return &found
}

// save stores the new findings.
func (m *tableCache) save(in *cache.Folder, tables []Table) {
	news := false
	for i := range tables {
		if t := &tables[i]; t.finding != nil && t.finding.settled {
			m.found[absolute(t.Path)], news = *t.finding, true
		}
	}
	if !news {
		return
	}
	if text, err := json.Marshal(m.found); err == nil {
		in.Put(m.key, text)
	}
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
