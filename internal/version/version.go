// Package version says which build this is.
package version

import "runtime/debug"

// release is set at link time:
//
//	go build -ldflags "-X github.com/hopwise/hopwise/internal/version.release=v1.2.3"
var release string

// String is the release's name; without one the module's version or the commit
// that Go recorded, with "-dirty" where files had changed; else "devel".
func String() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return commit(info.Settings)
}

func commit(settings []debug.BuildSetting) string {
	revision, dirty := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if revision == "" {
		return "devel"
	}
	return "devel-" + revision[:min(len(revision), 12)] + dirty
}
