/* Each function fails the test if the file breaks a rule of observe/timeline/trace_file.h. */
#ifndef SPGC_TESTS_TRACE_READER_H
#define SPGC_TESTS_TRACE_READER_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_slice {
  size_t place; /* of its event in the file */
  int64_t track;
  const char *name;
  double ts, end;
  double inner; /* the sum of the slices directly inside */
  const struct trace_slice *parent;
  json_object *args;
};

struct trace {
  json_object *root, *events;
  struct trace_slice *slices; /* by track; parents before their children */
  size_t count;
};

struct trace trace_read(const char *path);
void trace_free(struct trace *trace);

/* All slices if `name` is NULL. */
size_t trace_count(const struct trace *trace, const char *name);

size_t trace_count_on(const struct trace *trace, int64_t track, const char *name);

size_t trace_count_events(const struct trace *trace, const char *kind, const char *name);

size_t trace_count_collections(const struct trace *trace);

uint64_t trace_sum(const struct trace *trace, const char *argument);

int64_t trace_track(const struct trace *trace, const char *name);

#endif
