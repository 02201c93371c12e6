#ifndef BENCH_WORKLOADS_WORKLOAD_H
#define BENCH_WORKLOADS_WORKLOAD_H

#include <stdint.h>

enum { WORKLOAD_PARAMETERS = 4 };

struct workload_parameter {
  const char *name; /* NULL ends the list */
  uint64_t standard, least, most;
};

/* The checksum is found alike by implementations in other languages. */
struct workload_known {
  uint64_t arguments[WORKLOAD_PARAMETERS];
  uint64_t checksum; /* 0 ends the list */
};

struct workload {
  const char *name;
  struct workload_parameter parameters[WORKLOAD_PARAMETERS];
  struct workload_known known[3];
  uint64_t (*run)(const uint64_t *arguments); /* one for each parameter; returns the checksum */
};

extern const struct workload binary_trees, binary_trees_threads, gcbench, mutation, splay, live,
    deep, frag;

#endif
