package main

// Much that lives, and little of it changing: a tree, a hash map and arrays of numbers.

const shortDepth, arrayPeriod, leastLength, lengths = 4, 64, 512, 7168

type entry struct {
	next       *entry
	part       *tree
	key, value uint32
}

func buildWhole(depth int) *tree {
	var left, right *tree
	if depth != 0 {
		left = buildWhole(depth - 1)
		right = buildWhole(depth - 1)
	}
	return &tree{left, right}
}

func newNumbers(x uint32) []uint32 {
	numbers := make([]uint32, leastLength+x%lengths)
	for i := range numbers {
		numbers[i] = x + uint32(i)
	}
	return numbers
}

func bucketOf(key uint32, bits int) uint32 {
	if bits == 0 {
		return 0
	}
	return key * 2654435769 >> (32 - bits)
}

func fillMap(bits int, whole *tree) []*entry {
	buckets := make([]*entry, 1<<bits)
	for key := uint32(0); key < 1<<bits; key++ {
		bucket := bucketOf(key, bits)
		buckets[bucket] = &entry{buckets[bucket], whole, key, 0}
	}
	return buckets
}

func fillTable(bits int) [][]uint32 {
	table := make([][]uint32, 1<<bits)
	x := randomSeed
	for i := range table {
		x = randomAfter(x)
		table[i] = newNumbers(x)
	}
	return table
}

func successor(old *entry, x uint32, root *tree) *entry {
	nodes := buildWhole(shortDepth).count()
	part := old.part.right
	if x>>31 != 0 {
		part = old.part.left
	}
	if part == nil {
		part = root
	}
	return &entry{old.next, part, old.key, old.value + uint32(nodes)}
}

func replace(buckets []*entry, bits int, x uint32, root *tree) {
	key := x & (1<<bits - 1)
	bucket := bucketOf(key, bits)
	var before *entry
	old := buckets[bucket]
	for old.key != key {
		before = old
		old = old.next
	}
	next := successor(old, x, root)
	if before == nil {
		buckets[bucket] = next
	} else {
		before.next = next
	}
}

func replaceNumbers(table [][]uint32, bits int, x uint32) uint32 {
	i := x & (1<<bits - 1)
	sample := table[i][x%leastLength]
	table[i] = newNumbers(x)
	return sample
}

func endMap(buckets []*entry) uint32 {
	h := uint32(0)
	for _, bucket := range buckets {
		for one := bucket; one != nil; one = one.next {
			h = h*31 + (one.key ^ one.value)
			if one.part.left == nil {
				h++
			}
		}
	}
	return h
}

func endTable(table [][]uint32) uint32 {
	h := uint32(0)
	for _, numbers := range table {
		h = h*31 + numbers[leastLength-1]
	}
	return h
}

func live(entryBits, depth, arrayBits, operations int) uint64 {
	x, sum := randomSeed, uint32(0)
	whole := buildWhole(depth)
	buckets := fillMap(entryBits, whole)
	table := fillTable(arrayBits)
	stallBegin()
	for k := 1; k <= operations; k++ {
		x = randomAfter(x)
		replace(buckets, entryBits, x, whole)
		if k%arrayPeriod == 0 {
			sum += replaceNumbers(table, arrayBits, x)
		}
		if k%stallOperations == 0 {
			stallStep()
		}
	}
	sum = (sum*31+endMap(buckets))*31 + endTable(table)
	return uint64(sum + uint32(whole.count()))
}
