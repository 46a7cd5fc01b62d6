package ledgertest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

const (
	gpu     = "nvidia.com/gpu"
	gpus    = 8 // of a node
	machine = 48
)

// build makes hopwised with its failpoints, once.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "hopwised-crash")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "hopwised")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-tags", "failpoint", "-o", bin, "github.com/hopwise/hopwise/cmd/hopwised")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return bin, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(bin)) // a temporary folder
	}
	os.Exit(code)
}

// world is one cluster's files, and the server that runs on them.
type world struct {
	t    *testing.T
	dir  string
	bin  string
	rand *rand.Rand
	env  []string

	cmd    *exec.Cmd
	conn   *grpc.ClientConn
	client hopwisev1.PlacementServiceClient
	ended  chan struct{} // closed when the process has ended
}

func newWorld(t *testing.T, seed uint64, env ...string) *world {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: t.TempDir(), bin: bin, rand: rand.New(rand.NewPCG(seed, 1)), env: env}
	w.writeNodes()
	config := "grpc_address: 127.0.0.1:0\nhttp_address: \"\"\nsource: {paths: [nodes.json]}\nledger: {data_dir: data}\nlog: {format: json}\n"
	if err := os.WriteFile(filepath.Join(w.dir, "hopwised.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// writeNodes writes the node list; now and then a node is cordoned, which moves
// nobody.
func (w *world) writeNodes() {
	type object = map[string]any
	items := make([]object, machine)
	for i := range items {
		room := object{gpu: fmt.Sprint(gpus), "cpu": "192", "memory": "2Ti", "pods": "110"}
		items[i] = object{
			"apiVersion": "v1", "kind": "Node",
			"metadata": object{"name": fmt.Sprintf("n%02d", i), "labels": object{
				"kubernetes.io/hostname":                fmt.Sprintf("n%02d", i),
				"topology.k8s.aws/network-node-layer-1": "a", "topology.k8s.aws/network-node-layer-2": fmt.Sprintf("b%d", i/16),
				"topology.k8s.aws/network-node-layer-3": fmt.Sprintf("c%d", i/4),
			}},
			"spec":   object{"unschedulable": w.rand.IntN(20) == 0},
			"status": object{"allocatable": room, "capacity": room, "conditions": []object{{"type": "Ready", "status": "True"}}},
		}
	}
	b, err := json.Marshal(object{"apiVersion": "v1", "kind": "NodeList", "items": items})
	path := filepath.Join(w.dir, "nodes.json")
	if err == nil {
		err = os.WriteFile(path+".new", b, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		w.t.Error(err)
	}
}

// start runs the server until it serves; it may die at a failpoint on the way,
// and is started again then.
func (w *world) start(failpoint string) {
	w.t.Helper()
	for try := range 5 {
		if try > 0 {
			failpoint = ""
		}
		if w.tryStart(failpoint) {
			return
		}
	}
	w.t.Fatal("the server does not come up")
}

func (w *world) tryStart(failpoint string) bool {
	w.t.Helper()
	w.restoreSynced()
	w.cmd = exec.CommandContext(context.Background(), w.bin, "--config", filepath.Join(w.dir, "hopwised.yaml"))
	w.cmd.Env = append(append(os.Environ(), w.env...), "HOPWISE_FAILPOINT="+failpoint)
	log, err := w.cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	at, tail := serving(log)
	w.ended = make(chan struct{})
	ended, cmd := w.ended, w.cmd
	go func() { // ends with the process, for which kill waits
		_, _ = io.Copy(io.Discard, log)
		_ = cmd.Wait() // it was killed
		close(ended)
	}()
	if at == "" {
		w.kill()
		if failpoint == "" {
			w.t.Fatalf("the server refuses to start:\n%s", tail)
		}
		return false
	}
	w.conn, err = grpc.NewClient(at, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		w.t.Fatal(err)
	}
	w.client = hopwisev1.NewPlacementServiceClient(w.conn)
	return true
}

// serving reads the log until the server serves, and gives its address; empty,
// and what it said, where it ends before.
func serving(log io.Reader) (address, said string) {
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadBytes('\n')
		said += string(line)
		var entry struct{ Msg, Grpc string }
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
			return entry.Grpc, said
		}
		if err != nil {
			return "", said
		}
	}
}

// restoreSynced puts what was synced in the ledger's place, as a power cut does,
// where the build keeps it.
func (w *world) restoreSynced() {
	data := filepath.Join(w.dir, "data")
	if err := os.Rename(filepath.Join(data, "ledger.db.synced"), filepath.Join(data, "ledger.db")); err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
}

// kill ends the process as kill -9 does, and waits for it.
func (w *world) kill() {
	_ = w.cmd.Process.Kill() // it may have killed itself
	<-w.ended
	if w.conn != nil {
		_ = w.conn.Close() // nobody is there any more
		w.conn = nil
	}
}

// dies waits until the process has killed itself, at most so long.
func (w *world) dies(within time.Duration) {
	select {
	case <-w.ended:
	case <-time.After(within):
	}
}
