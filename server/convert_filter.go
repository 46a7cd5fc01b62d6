package server

import (
	"fmt"
	"slices"
	"strconv"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/ledger"
)

// operatorWords are Kubernetes' words for the selector operators, by the
// contract's number.
var operatorWords = [...]string{"", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}

// effectWords are Kubernetes' words for taint effects; the first is all of them.
var effectWords = [...]string{"", "NoSchedule", "NoExecute", "PreferNoSchedule"}

func filterIn(path string, f *hopwisev1.Filter) (ledger.Filter, error) {
	out := ledger.Filter{Labels: f.GetLabels()}
	for i, t := range f.GetTerms() {
		term, err := termIn(fmt.Sprintf("%s.terms[%d]", path, i), t)
		if err != nil {
			return ledger.Filter{}, err
		}
		out.Terms = append(out.Terms, term)
	}
	for i, t := range f.GetTolerations() {
		toleration, err := tolerationIn(fmt.Sprintf("%s.tolerations[%d]", path, i), t)
		if err != nil {
			return ledger.Filter{}, err
		}
		out.Tolerations = append(out.Tolerations, toleration)
	}
	for i, p := range f.GetPreferred() {
		term, err := termIn(fmt.Sprintf("%s.preferred[%d].term", path, i), p.GetTerm())
		if err != nil {
			return ledger.Filter{}, err
		}
		out.Preferred = append(out.Preferred, ledger.PreferredTerm{Weight: p.GetWeight(), Term: term})
	}
	return out, nil
}

func termIn(path string, t *hopwisev1.SelectorTerm) (ledger.Term, error) {
	term := make(ledger.Term, len(t.GetExpressions()))
	for i, e := range t.GetExpressions() {
		if wrong := expressionWrong(e); wrong != "" {
			return nil, invalid(fmt.Sprintf("%s.expressions[%d].values", path, i), wrong)
		}
		term[i] = ledger.Expression{Key: e.GetKey(), Operator: operatorWords[e.GetOperator()], Values: e.GetValues()}
	}
	return term, nil
}

// expressionWrong says what is wrong with an expression's values, as Kubernetes
// would; empty where nothing is.
func expressionWrong(e *hopwisev1.SelectorExpression) string {
	n := len(e.GetValues())
	switch e.GetOperator() {
	case hopwisev1.SelectorOperator_SELECTOR_OPERATOR_IN, hopwisev1.SelectorOperator_SELECTOR_OPERATOR_NOT_IN:
		if n == 0 {
			return "is empty; IN and NOT_IN take one value or more"
		}
	case hopwisev1.SelectorOperator_SELECTOR_OPERATOR_EXISTS, hopwisev1.SelectorOperator_SELECTOR_OPERATOR_DOES_NOT_EXIST:
		if n > 0 {
			return fmt.Sprintf("holds %d values; EXISTS and DOES_NOT_EXIST take none", n)
		}
	default:
		if n != 1 {
			return fmt.Sprintf("holds %d values; GT and LT take one whole number", n)
		}
		if _, err := strconv.ParseInt(e.GetValues()[0], 10, 64); err != nil {
			return fmt.Sprintf("%q is no whole number; GT and LT take one", e.GetValues()[0])
		}
	}
	return ""
}

func tolerationIn(path string, t *hopwisev1.Toleration) (ledger.Toleration, error) {
	exists := t.GetOperator() == hopwisev1.TolerationOperator_TOLERATION_OPERATOR_EXISTS
	switch {
	case t.GetKey() == "" && !exists:
		return ledger.Toleration{}, invalid(path+".key", "is empty; only TOLERATION_OPERATOR_EXISTS goes without a key")
	case t.GetValue() != "" && exists:
		return ledger.Toleration{}, invalid(path+".value", "is given; TOLERATION_OPERATOR_EXISTS takes none")
	}
	return ledger.Toleration{
		Key: t.GetKey(), Exists: exists, Value: t.GetValue(), Effect: effectWords[t.GetEffect()],
	}, nil
}

func filterOut(f ledger.Filter) *hopwisev1.Filter {
	if len(f.Labels)+len(f.Terms)+len(f.Tolerations)+len(f.Preferred) == 0 {
		return nil
	}
	out := &hopwisev1.Filter{Labels: f.Labels}
	for _, t := range f.Terms {
		out.Terms = append(out.Terms, termOut(t))
	}
	for _, t := range f.Tolerations {
		operator := hopwisev1.TolerationOperator_TOLERATION_OPERATOR_EQUAL
		if t.Exists {
			operator = hopwisev1.TolerationOperator_TOLERATION_OPERATOR_EXISTS
		}
		out.Tolerations = append(out.Tolerations, &hopwisev1.Toleration{
			Key: t.Key, Operator: operator, Value: t.Value,
			Effect: hopwisev1.TaintEffect(max(0, slices.Index(effectWords[:], t.Effect))),
		})
	}
	for _, p := range f.Preferred {
		out.Preferred = append(out.Preferred, &hopwisev1.PreferredTerm{Weight: p.Weight, Term: termOut(p.Term)})
	}
	return out
}

func termOut(t ledger.Term) *hopwisev1.SelectorTerm {
	out := &hopwisev1.SelectorTerm{}
	for _, e := range t {
		out.Expressions = append(out.Expressions, &hopwisev1.SelectorExpression{
			Key: e.Key, Values: e.Values,
			Operator: hopwisev1.SelectorOperator(max(0, slices.Index(operatorWords[:], e.Operator))),
		})
	}
	return out
}
