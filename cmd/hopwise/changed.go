package main

import (
	"context"

	"google.golang.org/protobuf/proto"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// changed shows a placement after a verb that changed it.
func (a *app) changed(ctx context.Context, s *session, out *format, answer proto.Message, p *hopwisev1.Placement, revision string) error {
	if printed, err := a.machine(out, answer); printed || err != nil {
		return err
	}
	if out.value == asName {
		a.line(gangTitle(p.GetGang()))
		return nil
	}
	names, err := s.layers(ctx)
	if err != nil {
		return err
	}
	a.printPlacement(names, p, placementView{word: stateWord(p.GetState()), revision: revision, wide: out.value == asWide})
	return nil
}
