package file

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"

	"github.com/hopwise/hopwise/server/cluster"
)

const (
	ec2Layer       = "topology.k8s.aws/network-node-layer-"
	zoneLabel      = "topology.kubernetes.io/zone"
	zoneIDLabel    = "topology.k8s.aws/zone-id"
	typeLabel      = "node.kubernetes.io/instance-type"
	capacityLabel  = "topology.k8s.aws/capacity-block-id"
	mostEC2Layers  = 8 // EC2 names three or four today
	instanceWord   = "instance"
	nullInsideText = "null" // the answer's CapacityBlockId may be this text
)

// instance is one of EC2's, with the labels that its answer amounts to.
type instance struct {
	id, kind string
	labels   map[string]string // topology and zone
}

// ec2Answer is describe-instance-topology's, as the AWS command line prints it.
type ec2Answer struct {
	Instances []struct {
		InstanceID       string   `json:"InstanceId"`
		InstanceType     string   `json:"InstanceType"`
		GroupName        string   `json:"GroupName"`
		NetworkNodes     []string `json:"NetworkNodes"` // root first; null or empty where unknown
		CapacityBlockID  string   `json:"CapacityBlockId"`
		AvailabilityZone string   `json:"AvailabilityZone"`
		ZoneID           string   `json:"ZoneId"`
	} `json:"Instances"`
	NextToken string `json:"NextToken"`
}

func (c *content) addEC2(raw json.RawMessage) error {
	var answer ec2Answer
	if err := json.Unmarshal(raw, &answer); err != nil {
		return decodeError(err)
	}
	for i, in := range answer.Instances {
		where := fmt.Sprintf("Instances[%d]", i)
		if err := checkName("InstanceId", in.InstanceID); err != nil {
			return at(where, err)
		}
		where += fmt.Sprintf(" (%q)", in.InstanceID)
		labels := map[string]string{}
		for key, value := range map[string]string{
			typeLabel: in.InstanceType, zoneLabel: in.AvailabilityZone, zoneIDLabel: in.ZoneID, capacityLabel: in.CapacityBlockID,
		} {
			if value != "" && (key != capacityLabel || value != nullInsideText) {
				labels[key] = value
			}
		}
		if len(in.NetworkNodes) > mostEC2Layers {
			return at(where, fmt.Errorf("NetworkNodes has %d entries; expected at most %d", len(in.NetworkNodes), mostEC2Layers))
		}
		for j, name := range in.NetworkNodes {
			if name != "" { // an empty one ends the path there, as a missing label does
				labels[ec2Layer+strconv.Itoa(j+1)] = name
			}
		}
		if err := checkLabels("answer", labels); err != nil {
			return at(where, err)
		}
		if err := c.addInstance(instance{id: in.InstanceID, kind: in.InstanceType, labels: labels}); err != nil {
			return at(where, err)
		}
	}
	c.answers++
	c.more = answer.NextToken != "" && answer.NextToken != nullInsideText
	return nil
}

// addInstance takes an instance that an earlier page of the file had too, if both
// say the same: pages may overlap.
func (c *content) addInstance(in instance) error {
	if c.seen == nil {
		c.seen = make(map[string]int)
	}
	if i, twice := c.seen[in.id]; twice {
		if !maps.Equal(c.instances[i].labels, in.labels) {
			return fmt.Errorf("instance %q is given twice, with different answers", in.id)
		}
		return nil
	}
	c.seen[in.id] = len(c.instances)
	c.instances = append(c.instances, in)
	return nil
}

// node is the instance by itself, where no Kubernetes object tells more: the answer
// lists running instances, and knows no capacities.
func (in instance) node() cluster.Node {
	return cluster.Node{
		Name: in.id, ProviderID: in.id, Labels: in.labels, Ready: true, InstanceType: in.kind,
	}
}

var instanceID = regexp.MustCompile(`(?:^|[^0-9A-Za-z])(i-[0-9A-Za-z]+)$`)

// instanceOf is the instance id inside a provider id, at its end:
// "aws:///us-west-2a/i-0123", HyperPod's "aws:///usw2-az1/sagemaker/cluster/hyperpod-abc-i-0123".
// Empty where there is none.
func instanceOf(providerID string) string {
	m := instanceID.FindStringSubmatch(providerID)
	if m == nil {
		return ""
	}
	return m[1]
}
