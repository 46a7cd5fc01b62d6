package cluster

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// position is where a page ended. It names things, never ordinals, so that it
// still means something after changes.
type position struct {
	Request uint64   `json:"r"` // the hash of the request's other fields
	Path    []string `json:"p,omitempty"`
	Node    string   `json:"n,omitempty"`
	Layer   int      `json:"l,omitempty"`
}

// hashOf binds a token to the request that it belongs to.
func hashOf(fields ...any) uint64 {
	h := fnv.New64a()
	for _, f := range fields {
		text, err := json.Marshal(f)
		if err != nil {
			panic(fmt.Sprintf("cluster: a request that is no JSON: %v", err)) // they are plain values
		}
		h.Write(text)
		h.Write([]byte{0})
	}
	return h.Sum64()
}

func (p position) token() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("cluster: a position that is no JSON: %v", err))
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// readToken gives the position of a token; nil for the first page.
func readToken(token string, request uint64) (*position, error) {
	if token == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	p := new(position)
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil {
		return nil, fail(PageTokenInvalid, "the page token is none of this server's").at("page_token")
	}
	if p.Request != request {
		return nil, fail(PageTokenInvalid, "the page token belongs to another request: only it may change between pages").at("page_token")
	}
	return p, nil
}

func pageSize(asked, usual int) int {
	if asked <= 0 {
		return usual
	}
	return min(asked, 1000)
}

// resolve finds the domain that a request names; nil is the whole cluster. A
// node, where one may be named, comes back beside its domain.
func (s *state) resolve(ref *DomainRef, field string) (placer.DomainID, *machine, error) {
	if ref == nil || len(ref.Path) == 0 {
		return placer.Root, nil, nil
	}
	layer, err := s.cfg.Scheme.Resolve(ref.Layer)
	if err != nil {
		return 0, nil, unknownLayer(err, field+".layer")
	}
	missing := fail(DomainNotFound, "there is no domain %s in %s", strings.Join(ref.Path, "/"), ref.Layer).
		at(field+".path").with("domain", strings.Join(ref.Path, "/"))
	if layer == len(s.cfg.Scheme.Layers) {
		m := s.machines[last(ref.Path)]
		if m == nil || m.node == nil {
			return 0, nil, missing
		}
		return s.engine.NodeDomain(m.id), m, nil
	}
	d, ok := s.engine.DomainByPath(ref.Path)
	if !ok || len(ref.Path) != layer+1 {
		return 0, nil, missing
	}
	return d, nil, nil
}

// inside says whether a domain is of or below it.
func (s *state) inside(d, of placer.DomainID) bool {
	for d != of && d != placer.Root {
		d = s.engine.DomainParent(d)
	}
	return d == of
}
