package placertest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// oracleResult is what one worker of TestOracle counts.
type oracleResult struct {
	kinds    [Ties + 1]int
	failures []uint64
	coverage Coverage
}

// TestOracle holds the engine to exhaustive search on random cases.
//
//	ORACLE_CASES=100000 ORACLE_PROFILE=issue3|all ORACLE_SEED=1 ORACLE_COVERAGE=1 go test -run Oracle -v
//
// Without ORACLE_PROFILE the cases are shared out over both profiles. A failing
// case is printed in the text form, as small as it could be made.
func TestOracle(t *testing.T) {
	cases := envInt(t, "ORACLE_CASES", 20_000)
	first := envInt(t, "ORACLE_SEED", 1)
	profiles := envProfiles(t)
	total := runOracle(profiles, uint64(first), uint64(cases))
	for i, seed := range total.failures {
		if i == 40 {
			t.Logf("and %d more", len(total.failures)-i)
			break
		}
		t.Error(explainFailure(profileOf(profiles, seed), seed))
	}
	if os.Getenv("ORACLE_COVERAGE") != "" {
		fmt.Printf("features, cases of each, and of each pair:\n%s", total.coverage)
	} else {
		features, pairs := total.coverage.size()
		t.Logf("%d features, %d pairs of them (ORACLE_COVERAGE=1 prints the table)", features, pairs)
	}
	fmt.Printf("oracle: cases=%d vector_differs=%d feasibility_differs=%d invalid=%d ties_differ=%d seeds=%s:%d..%d\n",
		cases, total.kinds[Vector], total.kinds[Feasibility], total.kinds[Invalid], total.kinds[Ties],
		strings.Join(profiles, ","), first, first+cases-1)
}

// envProfiles are the profiles that ORACLE_PROFILE names; both where unset.
func envProfiles(t *testing.T) []string {
	t.Helper()
	switch p := os.Getenv("ORACLE_PROFILE"); p {
	case "":
		return []string{Issue3, All}
	case Issue3, All:
		return []string{p}
	default:
		t.Fatalf("ORACLE_PROFILE=%q: want %s or %s", p, Issue3, All)
		return nil
	}
}

// profileOf shares seeds out over profiles, two in a row to each: both workers
// of runOracle meet all of them.
func profileOf(profiles []string, seed uint64) string {
	return profiles[seed/2%uint64(len(profiles))]
}

// runOracle runs seeds on two workers, one for the odd ones.
func runOracle(profiles []string, first, cases uint64) oracleResult {
	var results [2]oracleResult
	var wg sync.WaitGroup
	for w := range results {
		wg.Go(func() {
			r := &results[w]
			r.coverage = Coverage{}
			for seed := first + uint64(w); seed < first+cases; seed += 2 {
				c := Generate(profileOf(profiles, seed), seed)
				r.coverage.Add(c)
				kind, _ := ask(c)
				r.kinds[kind]++
				if kind != Same {
					r.failures = append(r.failures, seed)
				}
			}
		})
	}
	wg.Wait()
	total := results[0]
	for k, n := range results[1].kinds {
		total.kinds[k] += n
	}
	total.failures = append(total.failures, results[1].failures...)
	total.coverage.Merge(results[1].coverage)
	return total
}

// ask compares the engine's answer; a panic of the engine is an invalid answer.
func ask(c *Case) (kind Kind, err error) {
	defer func() {
		if p := recover(); p != nil {
			kind, err = Invalid, fmt.Errorf("panic: %v", p)
		}
	}()
	o, err := Answer(c)
	if err != nil {
		return Invalid, err
	}
	return Compare(c, o)
}

func explainFailure(profile string, seed uint64) string {
	c := Generate(profile, seed)
	kind, _ := ask(c)
	small := Minimise(c, func(d *Case) bool {
		k, _ := ask(d)
		return k == kind
	})
	_, err := ask(small)
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %v\n%s", seed, err, small)
	func() {
		defer func() { _ = recover() }()
		if o, err := Answer(small); err == nil {
			fmt.Fprintf(&b, "# have\n%s\n", strings.Join(o.Lines(small), "\n"))
		}
	}()
	if best, ok := Solve(small); ok {
		fmt.Fprintf(&b, "# want pods %v vector %v preferred %d affinity %d aligned %s room %d\n",
			best.Pods, best.Vector, best.Preferred, best.Affinity, best.Aligned, best.Room)
	}
	return b.String()
}

func envInt(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q: want a number from 1", name, s)
	}
	return n
}
