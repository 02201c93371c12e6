package main

import "time"

const randomSeed = uint32(2463534242)

func randomAfter(x uint32) uint32 {
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 5
	return x
}

// The most time that any stallOperations consecutive operations took.
const stallOperations = 1000

var previousStep time.Time
var longestStall time.Duration

func stallBegin() {
	longestStall = 0
	previousStep = time.Now()
}

func stallStep() {
	now := time.Now()
	if stall := now.Sub(previousStep); stall > longestStall {
		longestStall = stall
	}
	previousStep = now
}
