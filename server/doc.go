// Package server is the service: gRPC in, the live state behind it.
//
// A call passes the gate (interceptors.go: size, the contract's rules, features
// that are not built), is converted (convert_*.go, where the contract's types
// stop), goes to the cluster, and its answer is converted back. Handlers stand in
// placements.go and topologies.go; status codes are made in errors.go alone.
// server.go starts and stops everything in order; Embed runs the same service
// inside another program.
package server
