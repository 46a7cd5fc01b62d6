package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hopwise/hopwise/internal/gang"
	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// placeAll asks for each gang in turn, in the order of the file. A refusal does not
// keep the others from being placed, unless all are to go together.
func (a *app) placeAll(ctx context.Context, s *session, p *placeFlags, gangs []gang.Gang, out *format) error {
	var placed []*hopwisev1.GangRef
	var refused []string
	for i, g := range gangs {
		if i > 0 {
			a.between(out)
		}
		answer, err := a.place(ctx, s, g, p.request(g), out)
		if err != nil && !errors.Is(err, errRefused) {
			return firstError(a.undo(ctx, s, p, placed, g), err)
		}
		if err != nil {
			refused = append(refused, safe(g.Ref.Namespace+"/"+g.Ref.Name))
			if p.manifest.together {
				return firstError(a.undo(ctx, s, p, placed, g), err)
			}
			continue
		}
		if !answer.GetExisting() && !p.dryRun {
			placed = append(placed, answer.GetPlacement().GetGang())
		}
	}
	a.summary(p, len(gangs), refused)
	if len(placed) > 0 && out.value != asJSON && out.value != asYAML && out.value != asName {
		a.notKept(s)
	}
	if len(refused) > 0 {
		return errRefused
	}
	return nil
}

// between parts one answer from the next: blank lines for people, YAML documents; a
// stream of JSON values needs nothing.
func (a *app) between(out *format) {
	switch out.value {
	case asTable, asWide:
		a.print("\n")
	case asYAML:
		a.print("---\n")
	}
}

// undo releases what this command placed, where all was to go together and one gang
// could not.
func (a *app) undo(ctx context.Context, s *session, p *placeFlags, placed []*hopwisev1.GangRef, failed gang.Gang) error {
	if !p.manifest.together {
		return nil
	}
	name := failed.Ref.Namespace + "/" + failed.Ref.Name
	if len(placed) == 0 {
		if !p.dryRun {
			a.note("together: " + name + " cannot be placed, so nothing is")
		}
		return nil
	}
	names := make([]string, len(placed))
	for i, ref := range placed {
		if _, err := s.ReleasePlacement(ctx, &hopwisev1.ReleasePlacementRequest{Gang: ref}); err != nil {
			return fmt.Errorf("together: %s cannot be placed, and %s, placed before it, could not be released: %w", name, gangTitle(ref), err)
		}
		names[i] = gangTitle(ref)
	}
	a.note("together: " + name + " cannot be placed, so these were released again: " + strings.Join(names, ", "))
	return nil
}

func (a *app) summary(p *placeFlags, gangs int, refused []string) {
	switch {
	case gangs < 2:
	case len(refused) > 0:
		a.note(fmt.Sprintf("%d of %d gangs are refused: %s", len(refused), gangs, strings.Join(refused, ", ")))
	case p.dryRun:
		a.note("each gang was tried by itself: they may want the same room")
	}
}

// readNotes says how a gang was read, where that was not in hopwise's own words: to
// people as part of the answer, beside it where a machine reads that.
func (a *app) readNotes(g gang.Gang, out *format) {
	o := g.Origin
	switch text := safe(g.Ref.Namespace + "/" + g.Ref.Name + " from a " + o.Kind + ", by the convention " + o.Convention); {
	case o.Kind == "":
	case out.value == asTable || out.value == asWide:
		a.line(a.style.paint(dim, "read") + pad("read", 9) + text)
	default:
		a.note("read " + text)
	}
	for _, w := range o.Warnings {
		a.note(o.File + ": warning: " + w)
	}
	for _, n := range o.Notes {
		a.note(o.File + ": " + n)
	}
}
