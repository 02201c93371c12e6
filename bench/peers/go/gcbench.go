package main

// W2.

const sampledNumber = 1000

type node struct {
	left, right *node
	i, j        int32
}

func populate(depth int, n *node) {
	if depth == 0 {
		return
	}
	n.left = &node{}
	n.right = &node{}
	populate(depth-1, n.left)
	populate(depth-1, n.right)
}

func buildTopDown(depth int) *node {
	root := &node{}
	populate(depth, root)
	return root
}

func buildBottomUp(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	left := buildBottomUp(depth - 1)
	right := buildBottomUp(depth - 1)
	return &node{left: left, right: right}
}

func (n *node) count() uint64 {
	if n == nil {
		return 0
	}
	return 1 + n.left.count() + n.right.count()
}

func (n *node) grown() uint64 {
	if n.left != nil {
		return 1
	}
	return 0
}

func treeSize(depth int) int { return 1<<(depth+1) - 1 }

func reciprocals(length int) []float64 {
	numbers := make([]float64, length)
	for i := 1; i < length/2; i++ {
		numbers[i] = 1.0 / float64(i)
	}
	return numbers
}

func repetition(stretchDepth, lastingDepth, length int) uint64 {
	sum := buildBottomUp(stretchDepth).grown()
	lasting := buildTopDown(lastingDepth)
	numbers := reciprocals(length)
	for d := leastDepth; d <= lastingDepth; d += 2 {
		trees := 2 * treeSize(stretchDepth) / treeSize(d)
		for i := 0; i < trees; i++ {
			sum += buildTopDown(d).grown()
		}
		for i := 0; i < trees; i++ {
			sum += buildBottomUp(d).grown()
		}
	}
	return sum + lasting.count() + uint64(numbers[sampledNumber]*1e6+0.5)
}

func gcBench(stretchDepth, lastingDepth, length, repetitions int) uint64 {
	sum := uint64(0)
	for i := 0; i < repetitions; i++ {
		sum += repetition(stretchDepth, lastingDepth, length)
	}
	return sum
}
