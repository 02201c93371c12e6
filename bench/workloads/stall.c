#include "bench/workloads/stall.h"

#include "bench/workloads/clock.h"

static uint64_t previous_ns, longest_ns;

void stall_begin(void) {
  longest_ns = 0;
  previous_ns = clock_ns();
}

void stall_step(void) {
  uint64_t now = clock_ns();
  if (now - previous_ns > longest_ns)
    longest_ns = now - previous_ns;
  previous_ns = now;
}

double stall_longest_ms(void) {
  return (double)longest_ns / 1e6;
}
