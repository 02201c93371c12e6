#include "observe/profile/pprof.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "observe/profile/profile_lines.h"
#include "spgc/version.h"
#include "support/file_name.h"

/* Named as in profile.proto. */
enum {
  PROFILE_SAMPLE_TYPE = 1,
  PROFILE_SAMPLE,
  PROFILE_MAPPING,
  PROFILE_LOCATION,
  PROFILE_FUNCTION,
  PROFILE_STRING_TABLE,
  PROFILE_TIME_NANOS = 9,
  PROFILE_DURATION_NANOS,
  PROFILE_PERIOD_TYPE,
  PROFILE_PERIOD,
  PROFILE_COMMENT,
  PROFILE_DEFAULT_SAMPLE_TYPE
};
enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STR, LABEL_NUM, LABEL_NUM_UNIT };
enum {
  MAPPING_ID = 1,
  MAPPING_START,
  MAPPING_LIMIT,
  MAPPING_OFFSET,
  MAPPING_FILENAME,
  MAPPING_BUILD_ID,
  MAPPING_HAS_FUNCTIONS,
  MAPPING_HAS_FILENAMES,
  MAPPING_HAS_LINE_NUMBERS
};
enum { LOCATION_ID = 1, LOCATION_MAPPING_ID, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION_ID = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME };

/* Ids are numbers in the tables plus 1; so are indices of strings, whose first is empty. */
struct writer {
  struct spgc_protobuf *profile;
  struct spgc_protobuf part, inner; /* messages in the profile, and in those */
  struct spgc_profile_tables *tables;
  struct spgc_sequences functions; /* key: struct function */
  bool failed;
};

struct function {
  uint32_t name, source; /* strings */
};

static uint64_t id_of(uint32_t number) {
  return (uint64_t)number + 1;
}

static uint64_t string_index(uint32_t string) {
  return string != SPGC_PROFILE_NONE ? id_of(string) : 0;
}

static uint64_t string_of(struct writer *writer, const char *text) {
  uint32_t string = spgc_profile_string(writer->tables, text);
  writer->failed = writer->failed || string == SPGC_PROFILE_NONE;
  return string_index(string);
}

static void write_value_type(struct writer *writer, unsigned field, const char *type,
                             const char *unit) {
  spgc_protobuf_number(&writer->part, VALUE_TYPE_TYPE, string_of(writer, type));
  spgc_protobuf_number(&writer->part, VALUE_TYPE_UNIT, string_of(writer, unit));
  spgc_protobuf_part(writer->profile, field, &writer->part);
}

static void write_head(struct writer *writer, const struct spgc_pprof_facts *facts) {
  struct spgc_protobuf *profile = writer->profile;
  char text[160];
  write_value_type(writer, PROFILE_SAMPLE_TYPE, "alloc_objects", "count");
  write_value_type(writer, PROFILE_SAMPLE_TYPE, "alloc_space", "bytes");
  write_value_type(writer, PROFILE_SAMPLE_TYPE, "inuse_objects", "count");
  write_value_type(writer, PROFILE_SAMPLE_TYPE, "inuse_space", "bytes");
  write_value_type(writer, PROFILE_PERIOD_TYPE, "space", "bytes");
  spgc_protobuf_number(profile, PROFILE_PERIOD, facts->period);
  spgc_protobuf_number(profile, PROFILE_TIME_NANOS, facts->start_ns);
  spgc_protobuf_number(profile, PROFILE_DURATION_NANOS, facts->duration_ns);
  spgc_protobuf_number(profile, PROFILE_DEFAULT_SAMPLE_TYPE, string_of(writer, "inuse_space"));
  spgc_protobuf_number(profile, PROFILE_COMMENT, string_of(writer, "statepoint-gc " SPGC_VERSION));
  if (facts->dropped_samples == 0)
    return;
  snprintf(text, sizeof text, "samples dropped because memory was short: %" PRIu64,
           facts->dropped_samples);
  spgc_protobuf_number(profile, PROFILE_COMMENT, string_of(writer, text));
}

static void write_text_label(struct writer *writer, const char *key, uint32_t value) {
  spgc_protobuf_number(&writer->inner, LABEL_KEY, string_of(writer, key));
  spgc_protobuf_number(&writer->inner, LABEL_STR, string_index(value));
  spgc_protobuf_part(&writer->part, SAMPLE_LABEL, &writer->inner);
}

static void write_number_label(struct writer *writer, const char *key, uint64_t value,
                               const char *unit) {
  spgc_protobuf_number(&writer->inner, LABEL_KEY, string_of(writer, key));
  spgc_protobuf_number(&writer->inner, LABEL_NUM, value);
  spgc_protobuf_number(&writer->inner, LABEL_NUM_UNIT, string_of(writer, unit));
  spgc_protobuf_part(&writer->part, SAMPLE_LABEL, &writer->inner);
}

static uint64_t rounded(double value) {
  return (uint64_t)(value + 0.5);
}

static void write_stack(struct writer *writer, uint32_t stack) {
  enum { MOST_AT_ONCE = 128 };
  const uint32_t *places = spgc_sequence_at(&writer->tables->stacks, stack);
  size_t count = writer->tables->stacks.entries[stack].length / sizeof *places;
  uint64_t ids[MOST_AT_ONCE];
  for (size_t written = 0, n; written < count; written += n) {
    n = count - written < MOST_AT_ONCE ? count - written : MOST_AT_ONCE;
    for (size_t i = 0; i < n; i++)
      ids[i] = id_of(places[written + i]);
    spgc_protobuf_numbers(&writer->part, SAMPLE_LOCATION_ID, ids, n);
  }
}

static void write_samples(struct writer *writer) {
  const struct spgc_sequences *table = &writer->tables->counts;
  for (uint32_t number = 0; number < table->count; number++) {
    const struct spgc_profile_key *key = spgc_sequence_at(table, number);
    const struct spgc_profile_counts *counts = spgc_sequence_value(table, number);
    const uint64_t values[] = {rounded(counts->allocated_objects), rounded(counts->allocated_bytes),
                               rounded(counts->live_objects), rounded(counts->live_bytes)};
    write_stack(writer, key->stack);
    spgc_protobuf_numbers(&writer->part, SAMPLE_VALUE, values, sizeof values / sizeof *values);
    write_text_label(writer, "type", key->type);
    write_number_label(writer, "survived", key->survived, "collections");
    spgc_protobuf_part(writer->profile, PROFILE_SAMPLE, &writer->part);
  }
}

/* Common to all places of a mapping. */
struct known {
  bool is_program, functions, sources, lines;
};

static struct known known_of(const struct spgc_profile_tables *tables, uint32_t mapping) {
  struct known known = {false, true, true, true};
  for (uint32_t number = 0; number < tables->places.count; number++) {
    const struct spgc_profile_place *place = spgc_sequence_value(&tables->places, number);
    if (place->mapping != mapping)
      continue;
    known.is_program = place->is_program;
    known.functions = known.functions && place->function != SPGC_PROFILE_NONE;
    known.sources = known.sources && place->source != SPGC_PROFILE_NONE;
    known.lines = known.lines && place->line != 0;
  }
  return known;
}

static uint64_t file_of(struct writer *writer, uint32_t name, bool is_program) {
  char path[PATH_MAX];
  ssize_t length = is_program ? readlink(SPGC_OWN_FILES "exe", path, sizeof path - 1) : -1;
  if (length <= 0)
    return string_index(name);
  path[length] = '\0';
  return string_of(writer, path);
}

static void write_mapping(struct writer *writer, uint32_t number) {
  const struct spgc_profile_mapping *mapping = spgc_sequence_at(&writer->tables->mappings, number);
  struct known known = known_of(writer->tables, number);
  struct spgc_protobuf *part = &writer->part;
  spgc_protobuf_number(part, MAPPING_ID, id_of(number));
  spgc_protobuf_number(part, MAPPING_START, mapping->start);
  spgc_protobuf_number(part, MAPPING_LIMIT, mapping->limit);
  spgc_protobuf_number(part, MAPPING_OFFSET, mapping->offset);
  spgc_protobuf_number(part, MAPPING_FILENAME, file_of(writer, mapping->file, known.is_program));
  spgc_protobuf_number(part, MAPPING_BUILD_ID, string_index(mapping->build_id));
  spgc_protobuf_number(part, MAPPING_HAS_FUNCTIONS, known.functions);
  spgc_protobuf_number(part, MAPPING_HAS_FILENAMES, known.sources);
  spgc_protobuf_number(part, MAPPING_HAS_LINE_NUMBERS, known.lines);
  spgc_protobuf_part(writer->profile, PROFILE_MAPPING, part);
}

static void write_line(struct writer *writer, const struct spgc_profile_place *place) {
  const struct function function = {place->function, place->source};
  uint32_t number = spgc_sequence_number(&writer->functions, &function, sizeof function);
  writer->failed = writer->failed || number == SPGC_SEQUENCE_NONE;
  spgc_protobuf_number(&writer->inner, LINE_FUNCTION_ID, id_of(number));
  spgc_protobuf_number(&writer->inner, LINE_LINE, place->line);
  spgc_protobuf_part(&writer->part, LOCATION_LINE, &writer->inner);
}

static void write_location(struct writer *writer, uint32_t number) {
  const struct spgc_profile_place *place = spgc_sequence_value(&writer->tables->places, number);
  const uint64_t *address = spgc_sequence_at(&writer->tables->places, number);
  spgc_protobuf_number(&writer->part, LOCATION_ID, id_of(number));
  if (place->mapping != SPGC_PROFILE_NONE)
    spgc_protobuf_number(&writer->part, LOCATION_MAPPING_ID, id_of(place->mapping));
  spgc_protobuf_number(&writer->part, LOCATION_ADDRESS, *address);
  if (place->function != SPGC_PROFILE_NONE)
    write_line(writer, place);
  spgc_protobuf_part(writer->profile, PROFILE_LOCATION, &writer->part);
}

static void write_functions(struct writer *writer) {
  for (uint32_t number = 0; number < writer->functions.count; number++) {
    const struct function *function = spgc_sequence_at(&writer->functions, number);
    spgc_protobuf_number(&writer->part, FUNCTION_ID, id_of(number));
    spgc_protobuf_number(&writer->part, FUNCTION_NAME, string_index(function->name));
    spgc_protobuf_number(&writer->part, FUNCTION_SYSTEM_NAME, string_index(function->name));
    spgc_protobuf_number(&writer->part, FUNCTION_FILENAME, string_index(function->source));
    spgc_protobuf_part(writer->profile, PROFILE_FUNCTION, &writer->part);
  }
}

/* Last, because everything else adds strings. */
static void write_strings(struct writer *writer) {
  const struct spgc_sequences *strings = &writer->tables->strings;
  spgc_protobuf_bytes(writer->profile, PROFILE_STRING_TABLE, "", 0);
  for (uint32_t number = 0; number < strings->count; number++)
    spgc_protobuf_bytes(writer->profile, PROFILE_STRING_TABLE, spgc_sequence_at(strings, number),
                        strings->entries[number].length - 1);
}

bool spgc_pprof_write(struct spgc_protobuf *profile, struct spgc_profile_tables *tables,
                      const struct spgc_pprof_facts *facts) {
  struct writer writer = {.profile = profile, .tables = tables};
  writer.functions.most = SPGC_PROFILE_NONE;
  writer.functions.most_bytes = UINT32_MAX;
  spgc_profile_find_lines(tables);
  write_head(&writer, facts);
  write_samples(&writer);
  for (uint32_t number = 0; number < tables->mappings.count; number++)
    write_mapping(&writer, number);
  for (uint32_t number = 0; number < tables->places.count; number++)
    write_location(&writer, number);
  write_functions(&writer);
  write_strings(&writer);
  spgc_sequences_free(&writer.functions);
  spgc_protobuf_free(&writer.part);
  spgc_protobuf_free(&writer.inner);
  return !writer.failed && !profile->failed;
}
