package main

// W4.

const payloadDepth, payloadNumbers, sampled = 5, 10, 3

type branch struct{ left, right interface{} }

type leaf struct {
	array []int32
	tag   uint32
}

type splayNode struct {
	left, right *splayNode
	payload     interface{}
	key         uint32
}

type splayTree struct {
	root   *splayNode
	random uint32
}

func newLeaf(tag uint32) *leaf {
	array := make([]int32, payloadNumbers)
	for i := range array {
		array[i] = int32(i)
	}
	return &leaf{array, tag}
}

func newPayload(depth int, tag uint32) interface{} {
	if depth == 0 {
		return newLeaf(tag)
	}
	left := newPayload(depth-1, tag)
	right := newPayload(depth-1, tag)
	return &branch{left, right}
}

func payloadSum(depth int, payload interface{}) uint32 {
	if depth == 0 {
		one := payload.(*leaf)
		return one.tag + uint32(one.array[sampled])
	}
	one := payload.(*branch)
	return payloadSum(depth-1, one.left) + payloadSum(depth-1, one.right)
}

func rotateRight(n *splayNode) *splayNode {
	left := n.left
	n.left = left.right
	left.right = n
	return left
}

func rotateLeft(n *splayNode) *splayNode {
	right := n.right
	n.right = right.left
	right.left = n
	return right
}

func (t *splayTree) splay(key uint32) {
	if t.root == nil {
		return
	}
	sides := &splayNode{}
	left, right, current := sides, sides, t.root
	for key != current.key {
		if key < current.key {
			if current.left != nil && key < current.left.key {
				current = rotateRight(current)
			}
			if current.left == nil {
				break
			}
			right.left = current
			right = current
			current = current.left
		} else {
			if current.right != nil && key > current.right.key {
				current = rotateLeft(current)
			}
			if current.right == nil {
				break
			}
			left.right = current
			left = current
			current = current.right
		}
	}
	left.right = current.left
	right.left = current.right
	current.left = sides.right
	current.right = sides.left
	t.root = current
}

func (t *splayTree) contains(key uint32) bool {
	t.splay(key)
	return t.root != nil && t.root.key == key
}

func (t *splayTree) insert(key uint32, payload interface{}) {
	t.splay(key)
	n := &splayNode{key: key, payload: payload}
	if t.root != nil && key > t.root.key {
		n.left = t.root
		n.right = t.root.right
		t.root.right = nil
	} else if t.root != nil {
		n.right = t.root
		n.left = t.root.left
		t.root.left = nil
	}
	t.root = n
}

func (t *splayTree) remove(key uint32) {
	t.splay(key)
	if t.root.left == nil {
		t.root = t.root.right
		return
	}
	right := t.root.right
	t.root = t.root.left
	t.splay(key)
	t.root.right = right
}

// The greatest key below key, or key when there is none.
func (t *splayTree) keyBelow(key uint32) uint32 {
	t.splay(key)
	if t.root.key < key {
		return t.root.key
	}
	n := t.root.left
	if n == nil {
		return key
	}
	for n.right != nil {
		n = n.right
	}
	return n.key
}

func (t *splayTree) insertNew() uint32 {
	for {
		t.random = randomAfter(t.random)
		key := t.random >> 1
		if !t.contains(key) {
			t.insert(key, newPayload(payloadDepth, key))
			return key
		}
	}
}

func walk(n *splayNode, h uint32) uint32 {
	if n == nil {
		return h
	}
	h = walk(n.left, h)
	h = h*31 + (n.key + payloadSum(payloadDepth, n.payload))
	return walk(n.right, h)
}

func splay(nodes, insertions int) uint64 {
	t := splayTree{random: randomSeed}
	h := uint32(0)
	for i := 0; i < nodes; i++ {
		t.insertNew()
	}
	stallBegin()
	for i := 0; i < insertions; i++ {
		removed := t.keyBelow(t.insertNew())
		t.remove(removed)
		h = h*31 + removed
		stallStep()
	}
	return uint64(walk(t.root, h))
}
