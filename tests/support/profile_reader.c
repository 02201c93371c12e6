#include "profile_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/assertions.h"

/* Zeroed memory that stays reachable, so it is not a leak. */
static void *keep(size_t bytes) {
  static struct kept {
    struct kept *next;
    uint64_t bytes[];
  } *all;
  struct kept *kept = calloc(1, sizeof *kept + bytes);
  ck_assert_ptr_nonnull(kept);
  kept->next = all;
  all = kept;
  return kept->bytes;
}

struct part {
  const unsigned char *at, *end;
};

struct field {
  uint64_t number;
  bool is_part;
  uint64_t value;
  struct part part;
};

static uint64_t read_varint(struct part *part) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    ck_assert_msg(part->at < part->end, "the profile ends inside a number");
    unsigned char byte = *part->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  ck_abort_msg("a number has more than 64 bits");
}

static bool next(struct part *part, struct field *field) {
  if (part->at == part->end)
    return false;
  uint64_t key = read_varint(part);
  *field = (struct field){.number = key >> 3, .is_part = (key & 7) == 2};
  ck_assert_msg(field->is_part || (key & 7) == 0, "wire type %ju", (uintmax_t)(key & 7));
  field->value = read_varint(part);
  if (!field->is_part)
    return true;
  ck_assert_msg(field->value <= (uint64_t)(part->end - part->at), "a message is cut off");
  field->part = (struct part){part->at, part->at + field->value};
  part->at += field->value;
  return true;
}

static uint64_t number_in(struct part part, uint64_t number) {
  struct field field;
  uint64_t value = 0;
  while (next(&part, &field))
    if (field.number == number && !field.is_part)
      value = field.value;
  return value;
}

static size_t packed(struct part part, uint64_t number, uint64_t *values, size_t most) {
  struct field field;
  size_t count = 0;
  while (next(&part, &field))
    while (field.number == number && field.part.at != field.part.end) {
      ck_assert_uint_lt(count, most);
      values[count++] = read_varint(&field.part);
    }
  return count;
}

static size_t count_parts(struct part file, uint64_t number) {
  struct field field;
  size_t count = 0;
  while (next(&file, &field))
    count += field.number == number;
  return count;
}

static struct part part_at(struct part file, uint64_t number, uint64_t index) {
  struct field field;
  while (next(&file, &field))
    if (field.number == number && index-- == 0)
      return field.part;
  ck_abort_msg("the profile has no message %ju of field %ju", (uintmax_t)index, (uintmax_t)number);
}

/* Tables by id, read once. */
struct tables {
  size_t string_count, location_count, function_count;
  const char **strings;
  struct part *locations, *functions;
};

static struct part *by_id(struct part file, uint64_t number, size_t *count) {
  struct field field;
  *count = count_parts(file, number);
  struct part *parts = keep((*count + 1) * sizeof *parts);
  while (next(&file, &field)) {
    if (field.number != number)
      continue;
    uint64_t id = number_in(field.part, 1);
    ck_assert_msg(id >= 1 && id <= *count && parts[id].at == NULL, "id %ju", (uintmax_t)id);
    parts[id] = field.part;
  }
  return parts;
}

static const char *text_of(struct part part) {
  size_t length = (size_t)(part.end - part.at);
  char *text = keep(length + 1);
  memcpy(text, part.at, length);
  return text;
}

static struct tables read_tables(struct part file) {
  struct tables tables = {.string_count = count_parts(file, 6)};
  struct field field;
  size_t i = 0;
  tables.strings = keep(tables.string_count * sizeof *tables.strings);
  tables.locations = by_id(file, 4, &tables.location_count);
  tables.functions = by_id(file, 5, &tables.function_count);
  while (next(&file, &field))
    if (field.number == 6)
      tables.strings[i++] = text_of(field.part);
  ck_assert_str_eq(tables.strings[0], "");
  return tables;
}

static const char *string(const struct tables *tables, uint64_t index) {
  ck_assert_uint_lt(index, tables->string_count);
  return tables->strings[index];
}

static void read_call(const struct tables *tables, uint64_t location, struct profile_sample *sample,
                      size_t call) {
  ck_assert(location >= 1 && location <= tables->location_count);
  struct part place = tables->locations[location];
  sample->functions[call] = sample->files[call] = "";
  if (count_parts(place, 4) == 0)
    return;
  struct part line = part_at(place, 4, 0);
  uint64_t function = number_in(line, 1);
  ck_assert(function >= 1 && function <= tables->function_count);
  sample->functions[call] = string(tables, number_in(tables->functions[function], 2));
  sample->files[call] = string(tables, number_in(tables->functions[function], 4));
  sample->lines[call] = number_in(line, 2);
}

static void read_labels(const struct tables *tables, struct part message,
                        struct profile_sample *sample) {
  for (size_t i = 0; i < count_parts(message, 3); i++) {
    struct part label = part_at(message, 3, i);
    const char *key = string(tables, number_in(label, 1));
    if (strcmp(key, "type") == 0)
      sample->type = string(tables, number_in(label, 2));
    else if (strcmp(key, "survived") == 0)
      sample->survived = number_in(label, 3);
    else
      ck_abort_msg("label %s", key);
  }
  ck_assert_msg(sample->type != NULL, "a sample without a type");
}

static void read_sample(const struct tables *tables, struct part message,
                        struct profile_sample *sample) {
  enum { MOST_CALLS = 1000 };
  uint64_t calls[MOST_CALLS];
  sample->depth = packed(message, 1, calls, MOST_CALLS);
  sample->functions = keep(sample->depth * sizeof *sample->functions);
  sample->files = keep(sample->depth * sizeof *sample->files);
  sample->lines = keep(sample->depth * sizeof *sample->lines);
  ck_assert_uint_eq(packed(message, 2, sample->values, PROFILE_VALUES), PROFILE_VALUES);
  for (size_t i = 0; i < sample->depth; i++)
    read_call(tables, calls[i], sample, i);
  read_labels(tables, message, sample);
}

static void check_types(const struct tables *tables, struct part file) {
  static const char *const types[] = {"alloc_objects", "alloc_space", "inuse_objects",
                                      "inuse_space"};
  for (size_t i = 0; i < PROFILE_VALUES; i++) {
    struct part type = part_at(file, 1, i);
    ck_assert_str_eq(string(tables, number_in(type, 1)), types[i]);
    ck_assert_str_eq(string(tables, number_in(type, 2)), i % 2 == 0 ? "count" : "bytes");
  }
  ck_assert_str_eq(string(tables, number_in(file, 14)), "inuse_space");
}

static struct part read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "no file %s", path);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  size_t size = (size_t)ftell(file);
  unsigned char *bytes = keep(size);
  rewind(file);
  ck_assert_uint_eq(fread(bytes, 1, size, file), size);
  fclose(file);
  return (struct part){bytes, bytes + size};
}

struct profile *profile_read(const char *path) {
  struct part file = read_file(path), rest = file;
  struct tables tables = read_tables(file);
  struct profile *profile = keep(sizeof *profile);
  struct field field;
  size_t i = 0;
  check_types(&tables, file);
  profile->count = count_parts(file, 2);
  profile->period = number_in(file, 12);
  profile->comments = count_parts(file, 13);
  profile->samples = keep(profile->count * sizeof *profile->samples);
  while (next(&rest, &field))
    if (field.number == 2)
      read_sample(&tables, field.part, &profile->samples[i++]);
  return profile;
}

static bool calls(const struct profile_sample *sample, const char *function) {
  for (size_t i = 0; i < sample->depth; i++)
    if (strcmp(sample->functions[i], function) == 0)
      return true;
  return false;
}

uint64_t profile_sum(const struct profile *profile, enum profile_value value, const char *type,
                     const char *function) {
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    if ((type == NULL || strcmp(sample->type, type) == 0) &&
        (function == NULL || calls(sample, function)))
      sum += sample->values[value];
  }
  return sum;
}

uint64_t profile_survived(const struct profile *profile, enum profile_value value, const char *type,
                          uint64_t survived) {
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->count; i++)
    if (strcmp(profile->samples[i].type, type) == 0 && profile->samples[i].survived == survived)
      sum += profile->samples[i].values[value];
  return sum;
}
