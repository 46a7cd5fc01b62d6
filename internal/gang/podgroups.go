package gang

import "slices"

// Pod groups: objects that say how many of the pods that name them have to start
// together, and where. The pods are made by others.

// podGroup is one pod group object.
type podGroup struct {
	*workload
	basic     bool // no gang: its pods go one by one
	parent    string
	key       string // required layer
	preferred string
}

// flavour is one of the kinds called PodGroup.
type flavour struct {
	convention string
	group      string // API group
	read       func(p *podGroup)
}

var flavours = []flavour{
	{"kubernetes-podgroup", "scheduling.k8s.io", readNativePodGroup},
	{"coscheduling", "scheduling.x-k8s.io", readMinMember},
	{"volcano", "scheduling.volcano.sh", readVolcanoPodGroup},
	{"kai", "scheduling.run.ai", readKAIPodGroup},
}

func flavourOf(o *Object) *flavour {
	for i, f := range flavours {
		if f.group == o.group() && o.Kind == "PodGroup" {
			return &flavours[i]
		}
	}
	return nil
}

func newPodGroup(o *Object, f *flavour) *podGroup {
	p := &podGroup{workload: newWorkload(o, f.convention)}
	f.read(p)
	return p
}

// readNativePodGroup reads scheduling.k8s.io: v1alpha2 (Kubernetes 1.36), v1beta1 and
// v1alpha3 (1.37) say what matters here in the same words.
func readNativePodGroup(p *podGroup) {
	o := p.object
	if !slices.Contains([]string{"scheduling.k8s.io/v1alpha2", "scheduling.k8s.io/v1alpha3", "scheduling.k8s.io/v1beta1"}, o.APIVersion) {
		p.root().at("apiVersion").fail("%s is not known; v1alpha2, v1alpha3 and v1beta1 are", o.APIVersion)
	}
	spec := p.root().at("spec")
	policy := spec.at("schedulingPolicy")
	switch gang := policy.at("gang"); {
	case policy.at("basic").given() && !gang.given():
		p.basic = true
	case gang.given():
		least := gang.at("minCount")
		if p.minMembers = least.number(0); p.minMembers < 1 {
			least.fail("expected how many pods have to start together, 1 or more")
		}
	default:
		policy.fail("expected gang: {minCount: N} or basic: {}")
	}
	p.key = spec.nativeKey(p.refuseLater)
	p.priority = spec.at("priorityClassName").text()
	p.parent = spec.at("parentCompositePodGroupName").text()
	if len(spec.at("resourceClaims").items()) > 0 {
		p.refuseLater("resource-claims", "resourceClaims: what a shared claim asks of nodes is not known here")
	}
}

// readMinMember reads scheduler-plugins' coscheduling.
func readMinMember(p *podGroup) {
	least := p.root().at("spec", "minMember")
	if p.minMembers = least.number(0); p.minMembers < 1 {
		least.fail("expected how many pods have to start together, 1 or more")
	}
	p.priority = p.root().at("spec", "priorityClassName").text()
}

func readVolcanoPodGroup(p *podGroup) {
	readMinMember(p)
	p.tiers(p.root().at("spec", "networkTopology"), "", func(required, preferred string) {
		p.key, p.preferred = required, preferred
	})
	if p.root().at("spec", "subGroupPolicy").given() {
		p.refuseLater("sub-groups", "subGroupPolicy cannot be kept to")
	}
}

func readKAIPodGroup(p *podGroup) {
	readMinMember(p)
	c := p.root().at("spec", "topologyConstraint")
	p.key, p.preferred = c.at("requiredTopologyLevel").labelKey(), c.at("preferredTopologyLevel").labelKey()
	if len(p.root().at("spec", "subGroups").items()) > 0 {
		p.refuseLater("sub-groups", "subGroups cannot be kept to")
	}
}
