package main

// demoStep is a command that the demo prints and runs, why, and the exit code that
// it must end with. A command's words are divided by blanks alone.
type demoStep struct {
	why, command string
	code         int
}

// layer3 is the deepest layer that AWS labels p5 nodes with.
const layer3 = "topology.k8s.aws/network-node-layer-3"

// demoSteps also hold, with the same exit codes, for a ledger that is empty before
// each one: so they run unchanged from files.
var demoSteps = []demoStep{
	{"the network as AWS labels it, and what is free", "hopwise topology", exitOK},
	{"which layers do these nodes share?", "hopwise shares ip-10-1-0-11 ip-10-1-0-12 ip-10-1-0-21", exitOK},
	{"every domain of two nodes or more", "hopwise shares", exitOK},
	{"the same as a diagram", "hopwise topology -o mermaid", exitOK},
	{"how many pods of 8 GPUs fit, and the largest gang per layer", "hopwise free --gpus 8", exitOK},
	{"a job as people have it: two pods under one layer-3", "cat mnist-job.yaml", exitOK},
	{"it gets the leaf that it fills, so that the larger one stays whole", "hopwise place -f mnist-job.yaml", exitOK},
	{"how good is that? the job's nodes in rank order", "hopwise score --nodes ip-10-1-0-[21-22]", exitOK},
	{"and had they been scattered?", "hopwise score --nodes ip-10-1-0-[11,21]", exitOK},
	{"four pods under one layer-3: no leaf has four nodes",
		"hopwise place team-a/llama --pods 4 --gpus 8 --required " + layer3, exitFailed},
	{"the same as a wish: as near together as can be",
		"hopwise place team-a/llama --pods 4 --gpus 8 --preferred " + layer3, exitOK},
	{"where they landed", "hopwise list -o wide", exitOK},
	{"on the tree", "hopwise topology", exitOK},
	{"give all of it back", "hopwise release team-a/mnist team-a/llama --ignore-not-found", exitOK},
	{"nothing is left", "hopwise list", exitOK},
	{"and all is free again", "hopwise free --gpus 8", exitOK},
	{"anything wrong with the cluster?", "hopwise doctor", exitOK},
}
