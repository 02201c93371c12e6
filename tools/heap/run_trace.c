#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "tools/heap/memory.h"
#include "tools/heap/run.h"

/* The members of an event. */
enum field {
  FIELD_OTHER,
  FIELD_KIND,
  FIELD_NAME,
  FIELD_TS,
  FIELD_DUR,
  FIELD_ARGS,
  FIELD_COLLECTION,
  FIELD_STOP,
  FIELD_PAUSE,
  FIELD_BEFORE,
  FIELD_AFTER,
  FIELD_LIVE,
  FIELD_BORN_OLD,
  FIELD_LOST,
  FIELDS,
};

static const char *const names[FIELDS] = {
    "",           "ph",         "name",           "ts",       "dur",
    "args",       "collection", "stop_ns",        "pause_ns", "heap_bytes_before",
    "heap_bytes", "live_bytes", "born_old_bytes", "events"};

/* Larger times in microseconds, and larger sizes, are ignored: they would not fit as
 * nanoseconds. */
static const double LARGEST = 1e15;

/* Where events and their "args" are. */
enum { DEPTH_DOCUMENT = 1, DEPTH_LIST, DEPTH_EVENT, DEPTH_ARGS };

struct reader {
  struct run *run;
  unsigned depth;
  bool is_in_events;
  bool is_in_args;
  enum field field; /* its value comes next */

  unsigned char kind;
  char name[32];
  size_t name_length;
  double numbers[FIELDS];
  bool has[FIELDS];
};

static void begin_event(struct reader *reader) {
  memset(reader->has, 0, sizeof reader->has);
  reader->kind = '\0';
  reader->name_length = 0;
}

static uint64_t number_of(const struct reader *reader, enum field field) {
  return reader->has[field] ? (uint64_t)reader->numbers[field] : 0;
}

static uint64_t ns_of(double us) {
  return (uint64_t)llround(us * 1000);
}

static void add_pause(struct reader *reader, int kind) {
  const struct run_pause pause = {.begin_ns = ns_of(reader->numbers[FIELD_TS]),
                                  .end_ns =
                                      ns_of(reader->numbers[FIELD_TS] + reader->numbers[FIELD_DUR]),
                                  .stop_ns = number_of(reader, FIELD_STOP),
                                  .pause_ns = number_of(reader, FIELD_PAUSE),
                                  .before = number_of(reader, FIELD_BEFORE),
                                  .after = number_of(reader, FIELD_AFTER),
                                  .live = number_of(reader, FIELD_LIVE),
                                  .born_old = number_of(reader, FIELD_BORN_OLD),
                                  .kind = (enum run_kind)kind};
  run_add(reader->run, &pause);
}

static void end_slice(struct reader *reader) {
  double length = reader->has[FIELD_DUR] ? reader->numbers[FIELD_DUR] : 0;
  int kind = run_kind_named(reader->name, reader->name_length),
      part = run_part_named(reader->name, reader->name_length);
  run_reach(reader->run, ns_of(reader->numbers[FIELD_TS] + length));
  if (reader->has[FIELD_COLLECTION] && reader->has[FIELD_DUR] && kind >= 0)
    add_pause(reader, kind);
  else if (part >= 0)
    reader->run->part_ns[part] += ns_of(length);
}

static void end_event(struct reader *reader) {
  if (!reader->has[FIELD_TS])
    return;
  if (reader->kind == 'X')
    end_slice(reader);
  if (reader->kind == 'i' && reader->name_length == strlen("events lost") &&
      memcmp(reader->name, "events lost", reader->name_length) == 0)
    reader->run->lost += number_of(reader, FIELD_LOST);
}

static int read_number(void *context, const char *text, size_t length) {
  struct reader *reader = context;
  char copy[64];
  if (!reader->is_in_events || length >= sizeof copy)
    return 1;
  memcpy(copy, text, length);
  copy[length] = '\0';
  double number = strtod(copy, NULL);
  bool is_possible = number >= 0 && number < LARGEST;
  bool belongs = reader->depth == (reader->is_in_args ? DEPTH_ARGS : DEPTH_EVENT);
  if (is_possible && belongs) {
    reader->numbers[reader->field] = number;
    reader->has[reader->field] = true;
  }
  return 1;
}

static int read_string(void *context, const unsigned char *text, size_t length) {
  struct reader *reader = context;
  if (!reader->is_in_events || reader->depth != DEPTH_EVENT)
    return 1;
  if (reader->field == FIELD_KIND)
    reader->kind = length == 1 ? text[0] : '\0';
  if (reader->field == FIELD_NAME && length <= sizeof reader->name) {
    memcpy(reader->name, text, length);
    reader->name_length = length;
  }
  return 1;
}

static int read_key(void *context, const unsigned char *text, size_t length) {
  struct reader *reader = context;
  reader->field = FIELD_OTHER;
  if (reader->depth == DEPTH_DOCUMENT)
    reader->is_in_events =
        length == strlen("traceEvents") && memcmp(text, "traceEvents", length) == 0;
  enum field first = reader->depth == DEPTH_ARGS ? FIELD_COLLECTION : FIELD_KIND,
             last = reader->depth == DEPTH_ARGS ? FIELD_LOST : FIELD_ARGS;
  for (enum field field = first; field <= last; field++)
    if (strlen(names[field]) == length && memcmp(text, names[field], length) == 0)
      reader->field = field;
  return 1;
}

static int begin_object(void *context) {
  struct reader *reader = context;
  reader->depth++;
  if (reader->depth == DEPTH_EVENT)
    begin_event(reader);
  if (reader->depth == DEPTH_ARGS)
    reader->is_in_args = reader->field == FIELD_ARGS;
  return 1;
}

static int end_object(void *context) {
  struct reader *reader = context;
  if (reader->depth == DEPTH_EVENT && reader->is_in_events)
    end_event(reader);
  if (reader->depth == DEPTH_ARGS)
    reader->is_in_args = false;
  reader->depth--;
  return 1;
}

static int begin_list(void *context) {
  struct reader *reader = context;
  reader->depth++;
  return 1;
}

static int end_list(void *context) {
  struct reader *reader = context;
  if (reader->depth == DEPTH_LIST)
    reader->is_in_events = false;
  reader->depth--;
  return 1;
}

static int pass_over(void *context) {
  return 1;
}

static int pass_over_boolean(void *context, int value) {
  return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = pass_over,
                                         .yajl_boolean = pass_over_boolean,
                                         .yajl_number = read_number,
                                         .yajl_string = read_string,
                                         .yajl_start_map = begin_object,
                                         .yajl_map_key = read_key,
                                         .yajl_end_map = end_object,
                                         .yajl_start_array = begin_list,
                                         .yajl_end_array = end_list};

const char *run_read_trace(struct run *run, struct run_text text) {
  struct reader reader = {.run = run};
  run->is_traced = true;
  yajl_handle parser = yajl_alloc(&callbacks, NULL, &reader);
  if (parser == NULL)
    memory_exhausted(1);
  yajl_status status = yajl_parse(parser, (const unsigned char *)text.bytes, text.size);
  if (status == yajl_status_ok)
    status = yajl_complete_parse(parser);
  yajl_free(parser);
  return status == yajl_status_ok ? NULL : "not JSON, or cut short";
}
