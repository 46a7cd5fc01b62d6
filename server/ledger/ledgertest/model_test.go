package ledgertest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// view is what a caller knows of a placement.
type view struct {
	uid   string
	state hopwisev1.PlacementState // unspecified: there is none
	seats string                   // nodes in rank order; empty once it has ended
}

func (v view) live() bool {
	return v.state == hopwisev1.PlacementState_PLACEMENT_STATE_RESERVED || v.state == hopwisev1.PlacementState_PLACEMENT_STATE_BOUND ||
		v.state == hopwisev1.PlacementState_PLACEMENT_STATE_DEGRADED
}

func (v view) String() string { return fmt.Sprintf("%s of %q on %s", v.state, v.uid, v.seats) }

func viewOf(p *hopwisev1.Placement) view {
	if p == nil {
		return view{}
	}
	v := view{uid: p.GetGang().GetUid(), state: p.GetState()}
	if v.live() {
		v.seats = strings.Join(nodesOf(p), ",")
	}
	return v
}

func nodesOf(p *hopwisev1.Placement) []string {
	var nodes []string
	for _, r := range p.GetPodSets()[0].GetRanks() {
		for range r.GetCount() {
			nodes = append(nodes, r.GetNode())
		}
	}
	return nodes
}

// action is one kind of call.
type action string

const (
	place   action = "place"
	confirm action = "confirm"
	renew   action = "renew"
	release action = "release"
	resize  action = "resize"
)

// call is one that was begun.
type call struct {
	action action
	uid    string
	pods   int32
}

// job is one gang's name and what its only caller knows of it. A job's pods take
// a whole node each, or a quarter of one.
type job struct {
	name    string
	each    int // GPUs of a pod
	known   view
	pending *call // not acknowledged, and not refused
	uids    int
}

// next chooses a call that makes sense.
func (j *job) next(r *rand.Rand) call {
	if !j.known.live() {
		j.uids++
		return call{action: place, uid: fmt.Sprint("u", j.uids), pods: 1 + r.Int32N(4)}
	}
	c := call{uid: j.known.uid, action: []action{confirm, renew, release, resize, release}[r.IntN(5)]}
	c.pods = 1 + r.Int32N(4)
	if j.known.state != hopwisev1.PlacementState_PLACEMENT_STATE_RESERVED && c.action == renew {
		c.action = confirm
	}
	return c
}

// do makes the call. placed is nil where the gang was refused.
func (j *job) do(ctx context.Context, client hopwisev1.PlacementServiceClient, c call) (placed *hopwisev1.Placement, revision string, err error) {
	gang := &hopwisev1.GangRef{Namespace: "crash", Name: j.name, Uid: c.uid}
	switch c.action {
	case place:
		resp, err := client.PlaceGang(ctx, &hopwisev1.PlaceGangRequest{
			Gang: gang, Ttl: durationpb.New(time.Hour),
			PodSets: []*hopwisev1.PodSet{{Name: "w", Count: c.pods, Requests: map[string]string{gpu: fmt.Sprint(j.each)}}},
		})
		return resp.GetPlacement(), resp.GetRevision(), err
	case confirm:
		resp, err := client.ConfirmPlacement(ctx, &hopwisev1.ConfirmPlacementRequest{Gang: gang, AllAsPlanned: true})
		return resp.GetPlacement(), resp.GetRevision(), err
	case renew:
		resp, err := client.RenewPlacement(ctx, &hopwisev1.RenewPlacementRequest{Gang: gang, Ttl: durationpb.New(2 * time.Hour)})
		return resp.GetPlacement(), resp.GetRevision(), err
	case release:
		resp, err := client.ReleasePlacement(ctx, &hopwisev1.ReleasePlacementRequest{Gang: gang})
		return resp.GetPlacement(), resp.GetRevision(), err
	}
	resp, err := client.ResizePlacement(ctx, &hopwisev1.ResizePlacementRequest{
		Gang: gang, PodSets: []*hopwisev1.PodSetSize{{Name: "w", Count: c.pods}},
	})
	return resp.GetPlacement(), resp.GetRevision(), err
}

// fits says whether after may follow before through the call: the whole of it.
func (c call) fits(before, after view) bool {
	prefix := func() bool {
		a, b := seats(before), seats(after)
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				return false
			}
		}
		return len(b) == int(c.pods)
	}
	switch c.action {
	case place:
		return after.uid == c.uid && after.state == hopwisev1.PlacementState_PLACEMENT_STATE_RESERVED && len(seats(after)) == int(c.pods)
	case confirm:
		return after.uid == before.uid && after.state == hopwisev1.PlacementState_PLACEMENT_STATE_BOUND && after.seats == before.seats
	case renew:
		return after == before
	case release:
		return after.uid == before.uid && after.state == hopwisev1.PlacementState_PLACEMENT_STATE_RELEASED
	}
	return after.uid == before.uid && after.live() && prefix()
}

func seats(v view) []string {
	if v.seats == "" {
		return nil
	}
	return strings.Split(v.seats, ",")
}

// unknown says that an error leaves open whether the call took effect.
func unknown(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded, codes.Unknown:
		return true
	}
	return false
}

// absent says that the server has no such call yet, or that a gang cannot be
// resized so.
func absent(err error) bool {
	c := status.Code(err)
	return c == codes.Unimplemented || c == codes.FailedPrecondition
}
