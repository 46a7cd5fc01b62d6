package gang

import "strconv"

// total is how many pods the members' owners make.
func (c *claimed) total() int64 {
	total := int64(0)
	for _, m := range c.members {
		total += int64(m.count)
	}
	return total
}

// oneShape says whether all members are alike.
func (c *claimed) oneShape() bool {
	for _, m := range c.members[1:] {
		if shapeHash(m.template) != shapeHash(c.members[0].template) {
			return false
		}
	}
	return true
}

// declared is the size that an annotation on each member's template says; 0 where
// none does.
func (c *claimed) declared(key string) (int32, cursor, error) {
	size := int32(0)
	var where cursor
	for _, m := range c.members {
		text := m.template.annotations[key]
		if text == "" {
			continue
		}
		at := m.template.annotationsAt.at(key)
		n := at.count(text)
		if size != 0 && n != size && m.w.err == nil {
			at.fail("says %d, another pod of %s says %d", n, c.name, size)
		}
		if m.w.err != nil {
			return 0, at, m.w.err
		}
		size, where = n, at
	}
	return size, where, nil
}

// kueueSize holds a plain pod group to its total count, which each pod must say.
func (c *claimed) kueueSize() error {
	for _, m := range c.members {
		if m.template.annotations[groupCount] == "" {
			m.template.at.fail("is in pod group %s and has no annotation %s: the gang's size is unknown; add it to each pod", c.name, groupCount)
			return m.w.err
		}
	}
	size, at, err := c.declared(groupCount)
	if err != nil {
		return err
	}
	return c.resize(size, at, groupCount)
}

// ownSize takes hopwise.dev/gang-size; an owner's count will do where it is not
// given, a lone pod's will not.
func (c *claimed) ownSize() error {
	size, at, err := c.declared(ownGangSize)
	if err != nil {
		return err
	}
	if size > 0 {
		return c.resize(size, at, ownGangSize)
	}
	for _, m := range c.members {
		if m.w.object.Kind == "Pod" {
			m.template.at.fail("is in gang %s and has no annotation %s: the gang's size is unknown; add it to each pod", c.name, ownGangSize)
			return m.w.err
		}
	}
	return nil
}

// resize makes a declared size the gang's. Pods that the file does not hold are
// taken to be like those it does, where these are all alike.
func (c *claimed) resize(size int32, at cursor, key string) error {
	total := c.total()
	switch {
	case int64(size) == total:
	case int64(size) < total:
		at.fail("says %d, the file makes %d pods of %s", size, total, c.name)
		return at.in.err
	case !c.oneShape():
		at.fail("says %d, the file makes %d pods of %s, of several shapes: what the others take is unknown", size, total, c.name)
		return at.in.err
	default:
		c.members[0].count += size - int32(total) //nolint:gosec // total < size
		c.members[0].w.warn("%s says %d pods, the file makes %s; the others are taken to be like these", key, size, strconv.FormatInt(total, 10))
	}
	return nil
}
