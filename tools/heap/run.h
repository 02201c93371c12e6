#ifndef SPGC_TOOLS_HEAP_RUN_H
#define SPGC_TOOLS_HEAP_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum run_kind {
  RUN_MINOR,
  RUN_FINAL_MARK,
  RUN_PARTIAL_FINAL_MARK,
  RUN_FULL,
  RUN_IN_PLACE,
  RUN_KINDS,
};

/* Times are nanoseconds since the run began, sizes are bytes. */
struct run_pause {
  uint64_t begin_ns, end_ns; /* from the request to stop to the end of the pause */
  uint64_t stop_ns, pause_ns;
  uint64_t before, after; /* the heap's */
  uint64_t live;          /* found by the last marking */
  uint64_t born_old;      /* since the run began */
  enum run_kind kind;
};

enum { RUN_PARTS = 12, RUN_BUCKETS = 24, RUN_WINDOWS = 10 };

struct run {
  struct run_pause *pauses; /* run_finish: in order of time */
  size_t count, capacity;
  uint64_t part_ns[RUN_PARTS];
  uint64_t ns;    /* duration of the run */
  uint64_t lost;  /* events that a trace reports as lost */
  bool is_traced; /* `live` and `born_old` are known */

  uint64_t kinds[RUN_KINDS];
  uint64_t p50_ns, p90_ns, p99_ns, longest_ns, sum_ns, longest_stop_ns, peak;
  uint64_t buckets[RUN_BUCKETS];   /* pauses shorter than 2^i us that no earlier bucket counts */
  double utilisation[RUN_WINDOWS]; /* the least share of a window that the program had; -1 if the
                                    * run is shorter */
};

/* The names on the page. A log has hyphens for spaces. */
extern const char *const run_kind_names[RUN_KINDS];
extern const char *const run_part_names[RUN_PARTS];
extern const uint32_t run_window_ms[RUN_WINDOWS];

/* -1: there is none. A hyphen equals a space. */
int run_kind_named(const char *name, size_t length);
int run_part_named(const char *name, size_t length);

void run_add(struct run *run, const struct run_pause *pause);

/* Notes that the run lasted at least until then. */
void run_reach(struct run *run, uint64_t ns);

/* Computes the rest. */
void run_finish(struct run *run);
void run_free(struct run *run);

/* Reports errors. The caller always frees the run. */
bool run_read(struct run *run, const char *path);

/* Return NULL, or the mistake. */
struct run_text {
  const char *bytes; /* with a NUL that `size` does not count */
  size_t size;
};
const char *run_read_trace(struct run *run, struct run_text text);
const char *run_read_log(struct run *run, struct run_text text);

#endif
