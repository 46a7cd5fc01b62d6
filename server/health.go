package server

import (
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// writesName is the health name that says whether writes are served; the
// services' own names say whether reads are.
var writesName = hopwisev1.PlacementService_ServiceDesc.ServiceName + "/writes"

// healthNames are the names that turn with the server as a whole; empty is the
// server itself.
var healthNames = []string{
	"",
	hopwisev1.PlacementService_ServiceDesc.ServiceName,
	hopwisev1.TopologyService_ServiceDesc.ServiceName,
}

// setReads says that reads are served.
func setReads(h *health.Server) {
	for _, name := range healthNames {
		h.SetServingStatus(name, grpc_health_v1.HealthCheckResponse_SERVING)
	}
}

// setWrites says whether writes are served: not while the source is stale.
func setWrites(h *health.Server, served bool) {
	state := grpc_health_v1.HealthCheckResponse_NOT_SERVING
	if served {
		state = grpc_health_v1.HealthCheckResponse_SERVING
	}
	h.SetServingStatus(writesName, state)
}
