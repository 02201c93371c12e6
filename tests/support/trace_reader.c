#include "trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/assertions.h"

static json_object *parse(const char *path) {
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "no trace %s", path);
  enum { STEP = 1 << 16 };
  char *text = NULL;
  size_t size = 0, count;
  do {
    char *larger = realloc(text, size + STEP);
    ck_assert_ptr_nonnull(larger);
    text = larger;
    size += count = fread(text + size, 1, STEP, file);
  } while (count == STEP);
  fclose(file);
  json_tokener *tokener = json_tokener_new();
  json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
  json_object *root = json_tokener_parse_ex(tokener, text, (int)size);
  ck_assert_msg(root != NULL && json_tokener_get_parse_end(tokener) + 1 >= size,
                "%s is no JSON at byte %zu of %zu", path, json_tokener_get_parse_end(tokener),
                size);
  json_tokener_free(tokener);
  free(text);
  return root;
}

static json_object *member(json_object *event, const char *name, json_type type) {
  json_object *value = json_object_object_get(event, name);
  ck_assert_msg(value != NULL && json_object_is_type(value, type), "no \"%s\" in %s", name,
                json_object_to_json_string(event));
  return value;
}

static const char *text_of(json_object *event, const char *name) {
  return json_object_get_string(member(event, name, json_type_string));
}

/* Times are multiples of 1/64 us, so sums are exact. */
static double time_of(json_object *event, const char *name) {
  enum { TICKS = 64 };
  json_object *value = json_object_object_get(event, name);
  ck_assert(json_object_is_type(value, json_type_double) ||
            json_object_is_type(value, json_type_int));
  double time = json_object_get_double(value);
  ck_assert(time >= 0);
  ck_assert_double_eq(time * TICKS, (double)(int64_t)(time * TICKS));
  return time;
}

static bool is_slice(json_object *event) {
  return strcmp(text_of(event, "ph"), "X") == 0;
}

static void check_event(json_object *event) {
  ck_assert_int_gt(json_object_get_int64(member(event, "pid", json_type_int)), 0);
  ck_assert_int_gt(json_object_get_int64(member(event, "tid", json_type_int)), 0);
  ck_assert_str_ne(text_of(event, "name"), "");
  ck_assert_str_ne(text_of(event, "cat"), "");
  member(event, "args", json_type_object);
  ck_assert_ptr_nonnull(strstr("X M C i", text_of(event, "ph")));
  time_of(event, "ts");
}

static struct trace_slice slice_of(json_object *event, size_t place) {
  struct trace_slice slice = {.place = place,
                              .track = json_object_get_int64(json_object_object_get(event, "tid")),
                              .name = text_of(event, "name"),
                              .ts = time_of(event, "ts"),
                              .args = json_object_object_get(event, "args")};
  double length = time_of(event, "dur");
  ck_assert(length > 0);
  slice.end = slice.ts + length;
  return slice;
}

static int compare(const void *a, const void *b) {
  const struct trace_slice *first = a, *second = b;
  if (first->track != second->track)
    return first->track < second->track ? -1 : 1;
  if (first->ts != second->ts)
    return first->ts < second->ts ? -1 : 1;
  return first->place < second->place ? -1 : 1;
}

static void put_inside(struct trace_slice *slice, struct trace_slice *parent) {
  ck_assert_msg(slice->end <= parent->end, "\"%s\" at %f leaves \"%s\" at %f", slice->name,
                slice->ts, parent->name, parent->ts);
  parent->inner += slice->end - slice->ts;
  slice->parent = parent;
}

static void nest(struct trace *trace) {
  struct trace_slice *open = NULL;
  for (struct trace_slice *slice = trace->slices; slice < trace->slices + trace->count; slice++) {
    while (open != NULL && (open->track != slice->track || open->end <= slice->ts))
      open = (struct trace_slice *)open->parent;
    if (open != NULL)
      put_inside(slice, open);
    open = slice;
  }
}

struct trace trace_read(const char *path) {
  struct trace trace = {.root = parse(path)};
  trace.events = member(trace.root, "traceEvents", json_type_array);
  size_t events = json_object_array_length(trace.events);
  trace.slices = calloc(events + 1, sizeof *trace.slices);
  for (size_t i = 0; i < events; i++) {
    json_object *event = json_object_array_get_idx(trace.events, i);
    check_event(event);
    if (is_slice(event))
      trace.slices[trace.count++] = slice_of(event, i);
  }
  qsort(trace.slices, trace.count, sizeof *trace.slices, compare);
  nest(&trace);
  return trace;
}

void trace_free(struct trace *trace) {
  json_object_put(trace->root);
  free(trace->slices);
}

size_t trace_count(const struct trace *trace, const char *name) {
  size_t count = 0;
  for (size_t i = 0; i < trace->count; i++)
    count += name == NULL || strcmp(trace->slices[i].name, name) == 0;
  return count;
}

size_t trace_count_on(const struct trace *trace, int64_t track, const char *name) {
  size_t count = 0;
  for (size_t i = 0; i < trace->count; i++)
    count += trace->slices[i].track == track && strcmp(trace->slices[i].name, name) == 0;
  return count;
}

size_t trace_count_events(const struct trace *trace, const char *kind, const char *name) {
  size_t count = 0;
  for (size_t i = 0; i < json_object_array_length(trace->events); i++) {
    json_object *event = json_object_array_get_idx(trace->events, i);
    count += strcmp(text_of(event, "ph"), kind) == 0 && strcmp(text_of(event, "name"), name) == 0;
  }
  return count;
}

static json_object *argument_of(const struct trace_slice *slice, const char *name) {
  return json_object_object_get(slice->args, name);
}

size_t trace_count_collections(const struct trace *trace) {
  size_t count = 0;
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_slice *slice = &trace->slices[i];
    if (argument_of(slice, "collection") == NULL)
      continue;
    count++;
    ck_assert_double_eq(slice->inner, slice->end - slice->ts);
  }
  return count;
}

uint64_t trace_sum(const struct trace *trace, const char *argument) {
  uint64_t sum = 0;
  for (size_t i = 0; i < trace->count; i++) {
    json_object *value = argument_of(&trace->slices[i], argument);
    if (argument_of(&trace->slices[i], "collection") != NULL)
      sum += (uint64_t)json_object_get_int64(value);
  }
  return sum;
}

int64_t trace_track(const struct trace *trace, const char *name) {
  for (size_t i = 0; i < json_object_array_length(trace->events); i++) {
    json_object *event = json_object_array_get_idx(trace->events, i);
    if (strcmp(text_of(event, "name"), "thread_name") == 0 &&
        strncmp(text_of(json_object_object_get(event, "args"), "name"), name, strlen(name)) == 0)
      return json_object_get_int64(json_object_object_get(event, "tid"));
  }
  return 0;
}
