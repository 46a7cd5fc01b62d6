package gang

import "slices"

// Options settle what the conventions leave open.
type Options struct {
	// ElasticFloor takes an elastic job's least size as the gang's floor. The
	// default, false, is what training-operator and Kueue do: all replicas or none;
	// KAI goes by the least size.
	ElasticFloor bool
}

// bundle is all that a feeder gives at once: the objects of a file, or a pod with
// its owners.
type bundle struct {
	objects []*Object
	options Options
}

// find is an object of the bundle; nil where it is not there.
func (b *bundle) find(group, kind, namespace, name string) *Object {
	for _, o := range b.objects {
		if o.group() == group && o.Kind == kind && o.Name == name && (namespace == "*" || in(o.Namespace) == in(namespace)) {
			return o
		}
	}
	return nil
}

// convention reads one way of writing a gang down: a function from objects to the
// pods that they make, by sets. Pod groups are no convention in this sense: they
// claim pods that others make (groups.go).
type convention struct {
	name     string
	group    string   // API group
	versions []string // those that can be read; empty is every one
	kinds    []string
	read     func(b *bundle, w *workload)
}

// conventions are the kinds that make pods and can be read.
var conventions = []convention{
	{"hyperpod", "sagemaker.amazonaws.com", nil, []string{"HyperPodPyTorchJob", "HyperPodPytorchJob"}, readHyperPod},
	{"kubeflow", "kubeflow.org", nil, kubeflowKinds(), readKubeflow},
	{"job", "batch", []string{"batch/v1"}, []string{"Job"}, readJob},
	{"jobset", "jobset.x-k8s.io", nil, []string{"JobSet"}, readJobSet},
	{"lws", "leaderworkerset.x-k8s.io", nil, []string{"LeaderWorkerSet"}, readLeaderWorkerSet},
	{"ray", "ray.io", nil, []string{"RayCluster", "RayJob", "RayService"}, readRay},
	{"trainjob", "trainer.kubeflow.org", nil, []string{"TrainJob"}, readTrainJob},
	{"volcano", "batch.volcano.sh", nil, []string{"Job"}, readVolcanoJob},
	{"grove", "grove.io", nil, []string{"PodCliqueSet"}, readPodCliqueSet},
	{"", "apps", nil, []string{"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"}, readOneByOne},
	{"", "", []string{"v1"}, []string{"Pod", "ReplicationController"}, readOneByOne},
}

// conventionOf is nil where the kind has no reader.
func conventionOf(o *Object) *convention {
	for i, c := range conventions {
		if c.group == o.group() && slices.Contains(c.kinds, o.Kind) &&
			(len(c.versions) == 0 || slices.Contains(c.versions, o.APIVersion)) {
			return &conventions[i]
		}
	}
	return nil
}

// readOneByOne reads pods that are no gang unless a pod group claims them.
func readOneByOne(_ *bundle, w *workload) {
	root := w.root()
	s := set{name: "main", count: 1, countAt: root.at("spec", "replicas")}
	switch w.object.Kind {
	case "Pod":
		w.onePerPod = "single pod"
		s.countAt = root
		s.template = root.template()
	case "DaemonSet":
		// One pod a node: nothing to place, and no group can say how many there are.
		w.onePerPod = "no gang: one pod a node"
		return
	default:
		w.onePerPod = "no gang: its pods go one by one"
		s.count = root.at("spec", "replicas").number(1)
		s.template = root.at("spec", "template").template()
	}
	w.add(s)
}
