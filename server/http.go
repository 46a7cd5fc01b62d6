package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// newHTTP serves what machines look at: /metrics; /healthz, the process runs;
// /readyz, reads are served. Whether writes are is a gRPC health name of its own,
// and said in /readyz's text.
func (s *Server) newHTTP() *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.telemetry.Handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", s.ready)
	if s.backup != nil {
		mux.HandleFunc("GET "+BackupPath, s.serveBackup)
	}
	return &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.stopping.Load() || !s.cluster.Synced() {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "reads: not served")
		return
	}
	if err := s.cluster.Writes(); err != nil {
		fmt.Fprintf(w, "reads: served\nwrites: not served: %v\n", err)
		return
	}
	fmt.Fprintln(w, "reads: served\nwrites: served")
}
