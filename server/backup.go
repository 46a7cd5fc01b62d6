package server

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// BackupPath gives a consistent copy of the ledger's file over HTTP, to callers
// on the same machine only: it names every team's gangs.
const BackupPath = "/ledger/backup"

// backupTime bounds a backup: until it ends, the file keeps old pages and grows.
const backupTime = 10 * time.Minute

// backup is a store that can copy itself while commits go on.
type backup interface {
	Backup(begin func(bytes int64), w io.Writer) error
}

func (s *Server) serveBackup(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		http.Error(w, "backups are given on the same machine only", http.StatusForbidden)
		return
	}
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(backupTime)); err != nil {
		s.log.Warn("a backup has the ordinary time limit", "error", err)
	}
	began := false
	err = s.backup.Backup(func(bytes int64) {
		began = true
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.FormatInt(bytes, 10))
	}, w)
	switch {
	case err == nil:
	case began: // the length tells the caller that it is cut short
		s.log.Warn("a backup was cut short", "error", err)
	default:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}
