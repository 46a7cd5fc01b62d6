// Package file is a source of nodes and pods: files, read once or followed.
//
// It reads Kubernetes objects (Node, Pod and their lists; YAML, JSON, several
// documents), EC2's describe-instance-topology answers and topograph's model
// files, joins them into one state, and hands over what changes as
// cluster.Delta. Kubernetes' types stop here. What a label means for placing is
// no matter of this package; which labels are layers is package scheme's.
//
// The way of a change: watch.go notices, load.go reads what changed, document.go
// cuts it into documents, kind.go has each parsed (node.go, pod.go, ec2.go,
// topograph.go), join.go makes one state of all files, diff.go says what is new.
package file
