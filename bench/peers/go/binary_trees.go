package main

// W1, also divided among threads.

const leastDepth = 4

type tree struct{ left, right *tree }

func build(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	left := build(depth - 1)
	right := build(depth - 1)
	return &tree{left, right}
}

func (t *tree) count() uint64 {
	if t == nil {
		return 0
	}
	return 1 + t.left.count() + t.right.count()
}

// Of the trees of each depth, every threads-th.
func buildShare(thread, threads, depth int) uint64 {
	sum := uint64(0)
	for d := leastDepth; d <= depth; d += 2 {
		for i := thread; i < 1<<(depth-d+leastDepth); i += threads {
			sum += build(d).count()
		}
	}
	return sum
}

func binaryTrees(threads, depth int) uint64 {
	sum := build(depth + 1).count()
	lasting := build(depth)
	shares := make(chan uint64, threads)
	for thread := 1; thread < threads; thread++ {
		go func(thread int) { shares <- buildShare(thread, threads, depth) }(thread)
	}
	shares <- buildShare(0, threads, depth)
	for thread := 0; thread < threads; thread++ {
		sum += <-shares
	}
	return sum + lasting.count()
}
