package main

// W3.

const cuts = 3 << 20

type link struct {
	next     *link
	key, val uint32
}

func operate(slots []*link, slot, x, k uint32) {
	old := slots[slot]
	if x&cuts == 0 {
		old.next = &link{nil, x >> 1, k}
	} else {
		old.next = nil
		slots[slot] = &link{old, x >> 1, k}
	}
}

func mutation(slotsLog2, operations int) uint64 {
	length, x := uint32(1)<<slotsLog2, randomSeed
	slots := make([]*link, length)
	for i := range slots {
		slots[i] = &link{nil, uint32(i), 0}
	}
	stallBegin()
	for k := 1; k <= operations; k++ {
		x = randomAfter(x)
		operate(slots, x&(length-1), x, uint32(k))
		if k%stallOperations == 0 {
			stallStep()
		}
	}
	h := uint32(0)
	for _, slot := range slots {
		for one := slot; one != nil; one = one.next {
			h = h*31 + (one.key + one.val)
		}
	}
	return uint64(h)
}
