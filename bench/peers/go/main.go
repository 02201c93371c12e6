// One workload; prints its checksum and, with --stats, a line of JSON. The algorithms are those of
// bench/workloads.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"
)

const pauses = "/gc/pauses:seconds"

// The upper bound of the longest pause: Go counts pauses by length.
func longestPause() float64 {
	samples := []metrics.Sample{{Name: pauses}}
	metrics.Read(samples)
	histogram := samples[0].Value.Float64Histogram()
	longest := 0.0
	for i, count := range histogram.Counts {
		if count != 0 {
			longest = histogram.Buckets[i+1]
			if math.IsInf(longest, 1) {
				longest = histogram.Buckets[i]
			}
		}
	}
	return longest
}

func sizes(words []string, standard ...int) []int {
	for i, word := range words {
		size, err := strconv.Atoi(word)
		if err != nil || i >= len(standard) {
			panic("sizes are numbers: " + word)
		}
		standard[i] = size
	}
	return standard
}

func run(name string, words []string) uint64 {
	switch name {
	case "w1":
		return binaryTrees(1, sizes(words, 18)[0])
	case "w1t":
		s := sizes(words, 2, 18)
		return binaryTrees(s[0], s[1])
	case "w2":
		s := sizes(words, 18, 16, 500000, 5)
		return gcBench(s[0], s[1], s[2], s[3])
	case "w3":
		s := sizes(words, 20, 20000000)
		return mutation(s[0], s[1])
	case "w4":
		s := sizes(words, 8000, 1000000)
		return splay(s[0], s[1])
	case "live":
		s := sizes(words, 23, 23, 14, 5000000)
		return live(s[0], s[1], s[2], s[3])
	}
	panic("unknown workload " + name)
}

func main() {
	words := os.Args[1:]
	statistics := len(words) != 0 && words[len(words)-1] == "--stats"
	if statistics {
		words = words[:len(words)-1]
	}
	start := time.Now()
	checksum := run(words[0], words[1:])
	seconds := time.Since(start).Seconds()
	fmt.Println("checksum", checksum)
	if statistics {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		fmt.Printf("{\"seconds\": %.3f, \"longest_stall_ms\": %.3f, \"longest_pause_ms\": %.3f, "+
			"\"total_pause_ms\": %.3f}\n", seconds, longestStall.Seconds()*1e3, longestPause()*1e3,
			float64(memory.PauseTotalNs)/1e6)
	}
}
