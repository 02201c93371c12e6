#include "tools/heap/profile_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/byte_cursor.h"
#include "tools/heap/command.h"
#include "tools/heap/file.h"
#include "tools/heap/memory.h"

static void *add(struct profile_array *array, size_t size) {
  if (array->count == array->capacity) {
    array->capacity = memory_growth(array->capacity);
    array->items = memory_resized(array->items, array->capacity, size);
  }
  void *item = (char *)array->items + size * array->count++;
  return memset(item, 0, size);
}

static void add_number(struct profile_array *array, uint64_t number) {
  *(uint64_t *)add(array, sizeof number) = number;
}

static uint64_t number_at(const struct profile_array *array, size_t index) {
  return ((const uint64_t *)array->items)[index];
}

static int by_id(const void *left, const void *right) {
  uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right;
  return (one > other) - (one < other);
}

static void sort(struct profile_array *array, size_t size) {
  if (array->count != 0)
    qsort(array->items, array->count, size, by_id);
}

static const void *find(const struct profile_array *array, size_t size, uint64_t id) {
  return array->count == 0 ? NULL : bsearch(&id, array->items, array->count, size, by_id);
}

struct reader {
  struct profile *profile;
  const uint8_t *start;
  const uint8_t *wrong; /* the first unreadable byte, or NULL */
};

/* A number, or the bytes of a string, a message or a packed list. */
struct field {
  uint64_t name, number;
  bool is_bytes;
  struct byte_cursor bytes;
};

typedef void take_field(struct reader *reader, const struct field *field, void *item);

static void note_wrong(struct reader *reader, const struct byte_cursor *cursor) {
  if (cursor->failed && reader->wrong == NULL)
    reader->wrong = cursor->at;
}

/* False at the end of the message, or at an error. */
static bool next_field(struct byte_cursor *message, struct field *field) {
  enum { NUMBER, EIGHT_BYTES, BYTES, FOUR_BYTES = 5, KIND_BITS = 3 };
  if (message->at == message->end)
    return false;
  uint64_t key = cursor_unsigned(message), length;
  *field = (struct field){.name = key >> KIND_BITS};
  switch (key & ((1 << KIND_BITS) - 1)) {
  case NUMBER: field->number = cursor_unsigned(message); break;
  case EIGHT_BYTES: cursor_skip(message, 8); break;
  case FOUR_BYTES: cursor_skip(message, 4); break;
  case BYTES:
    length = cursor_unsigned(message);
    field->is_bytes = true;
    field->bytes.at = message->at;
    cursor_skip(message, length);
    field->bytes.end = message->at;
    break;
  default: message->failed = true;
  }
  return !message->failed;
}

static void read_message(struct reader *reader, struct byte_cursor message, take_field *take,
                         void *item) {
  struct field field;
  while (reader->wrong == NULL && next_field(&message, &field))
    take(reader, &field, item);
  note_wrong(reader, &message);
}

static void take_numbers(struct reader *reader, const struct field *field,
                         struct profile_array *array, struct profile_part *part) {
  struct byte_cursor list = field->bytes;
  size_t before = array->count;
  if (!field->is_bytes)
    add_number(array, field->number);
  while (field->is_bytes && list.at != list.end && !list.failed)
    add_number(array, cursor_unsigned(&list));
  note_wrong(reader, &list);
  part->count += array->count - before;
}

/* ---- By profile.proto ---- */

static void take_value_type(struct reader *reader, const struct field *field, void *item) {
  enum { TYPE = 1 };
  if (field->name == TYPE)
    *(uint64_t *)item = field->number;
}

static void take_label(struct reader *reader, const struct field *field, void *item) {
  enum { KEY = 1, TEXT };
  struct profile_label *label = item;
  if (field->name == KEY)
    label->key = field->number;
  else if (field->name == TEXT)
    label->text = field->number;
}

static void take_sample(struct reader *reader, const struct field *field, void *item) {
  enum { LOCATION_ID = 1, VALUE, LABEL };
  struct profile *profile = reader->profile;
  struct profile_sample *sample = item;
  if (field->name == LOCATION_ID) {
    take_numbers(reader, field, &profile->location_ids, &sample->locations);
  } else if (field->name == VALUE) {
    take_numbers(reader, field, &profile->values, &sample->values);
  } else if (field->name == LABEL && field->is_bytes) {
    sample->labels.count++;
    read_message(reader, field->bytes, take_label,
                 add(&profile->labels, sizeof(struct profile_label)));
  }
}

static void take_mapping(struct reader *reader, const struct field *field, void *item) {
  enum { ID = 1, FILE_NAME = 5 };
  struct profile_mapping *mapping = item;
  if (field->name == ID)
    mapping->id = field->number;
  else if (field->name == FILE_NAME)
    mapping->file = field->number;
}

static void take_line(struct reader *reader, const struct field *field, void *item) {
  enum { FUNCTION_ID = 1, LINE };
  struct profile_line *line = item;
  if (field->name == FUNCTION_ID)
    line->function = field->number;
  else if (field->name == LINE)
    line->line = field->number;
}

static void take_location(struct reader *reader, const struct field *field, void *item) {
  enum { ID = 1, MAPPING_ID, ADDRESS, LINE };
  struct profile_location *location = item;
  if (field->name == ID) {
    location->id = field->number;
  } else if (field->name == MAPPING_ID) {
    location->mapping = field->number;
  } else if (field->name == ADDRESS) {
    location->address = field->number;
  } else if (field->name == LINE && field->is_bytes) {
    location->lines.count++;
    read_message(reader, field->bytes, take_line,
                 add(&reader->profile->lines, sizeof(struct profile_line)));
  }
}

static void take_function(struct reader *reader, const struct field *field, void *item) {
  enum { ID = 1, NAME, SOURCE = 4 };
  struct profile_function *function = item;
  if (field->name == ID)
    function->id = field->number;
  else if (field->name == NAME)
    function->name = field->number;
  else if (field->name == SOURCE)
    function->source = field->number;
}

/* A sample's parts are adjacent, because they are read together. */
static void read_sample(struct reader *reader, struct byte_cursor message) {
  struct profile *profile = reader->profile;
  struct profile_sample sample = {.locations = {.first = profile->location_ids.count},
                                  .values = {.first = profile->values.count},
                                  .labels = {.first = profile->labels.count}};
  read_message(reader, message, take_sample, &sample);
  *(struct profile_sample *)add(&profile->samples, sizeof sample) = sample;
}

static void read_location(struct reader *reader, struct byte_cursor message) {
  struct profile_location location = {.lines = {.first = reader->profile->lines.count}};
  read_message(reader, message, take_location, &location);
  *(struct profile_location *)add(&reader->profile->locations, sizeof location) = location;
}

static void read_string(struct reader *reader, struct byte_cursor text) {
  struct strings *strings = &reader->profile->strings;
  if (strings->count < NO_NUMBER - 1)
    strings_add(strings, text.at, (size_t)(text.end - text.at));
}

static void take_part(struct reader *reader, const struct field *field, void *item) {
  enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, PERIOD = 12 };
  struct profile *profile = item;
  if (field->name == PERIOD && !field->is_bytes)
    profile->period = field->number;
  if (!field->is_bytes)
    return;
  switch (field->name) {
  case SAMPLE_TYPE:
    read_message(reader, field->bytes, take_value_type, add(&profile->types, sizeof(uint64_t)));
    break;
  case SAMPLE: read_sample(reader, field->bytes); break;
  case MAPPING:
    read_message(reader, field->bytes, take_mapping,
                 add(&profile->mappings, sizeof(struct profile_mapping)));
    break;
  case LOCATION: read_location(reader, field->bytes); break;
  case FUNCTION:
    read_message(reader, field->bytes, take_function,
                 add(&profile->functions, sizeof(struct profile_function)));
    break;
  case STRING: read_string(reader, field->bytes); break;
  default: break;
  }
}

#define EACH(type, item, array)                                                                    \
  for (const struct type *item = (array).items, *end_ = item + (array).count; item != end_; item++)

static bool has_strings(const struct profile *profile) {
  uint64_t most = 0;
  EACH(profile_label, label, profile->labels) {
    most = label->key > most ? label->key : most;
    most = label->text > most ? label->text : most;
  }
  EACH(profile_function, function, profile->functions) {
    most = function->name > most ? function->name : most;
    most = function->source > most ? function->source : most;
  }
  EACH(profile_mapping, mapping, profile->mappings)
  most = mapping->file > most ? mapping->file : most;
  for (size_t i = 0; i < profile->types.count; i++)
    most = number_at(&profile->types, i) > most ? number_at(&profile->types, i) : most;
  return most < profile->strings.count;
}

static bool has_ids(const struct profile *profile) {
  for (size_t i = 0; i < profile->location_ids.count; i++)
    if (find(&profile->locations, sizeof(struct profile_location),
             number_at(&profile->location_ids, i)) == NULL)
      return false;
  EACH(profile_line, line, profile->lines)
  if (line->function != 0 && profile_function_of(profile, line->function) == NULL)
    return false;
  return true;
}

static bool find_columns(struct profile *profile) {
  static const char *const names[PROFILE_VALUES] = {"alloc_objects", "alloc_space", "inuse_objects",
                                                    "inuse_space"};
  for (int value = 0; value < PROFILE_VALUES; value++) {
    size_t column = 0;
    while (column < profile->types.count &&
           strcmp(strings_text(&profile->strings, (uint32_t)number_at(&profile->types, column)),
                  names[value]) != 0)
      column++;
    if (column == profile->types.count)
      return false;
    profile->columns[value] = column;
  }
  return true;
}

static bool has_values(const struct profile *profile) {
  EACH(profile_sample, sample, profile->samples)
  if (sample->values.count != profile->types.count)
    return false;
  return true;
}

/* Returns NULL, or the mistake. */
static const char *resolve(struct profile *profile) {
  if (profile->strings.count == 0)
    strings_add(&profile->strings, "", 0); /* the empty first one may be omitted */
  if (!has_strings(profile))
    return "malformed: it refers to a string that it does not have";
  if (!find_columns(profile))
    return "not an allocation profile: it lacks alloc_objects, alloc_space, inuse_objects and "
           "inuse_space";
  if (!has_values(profile))
    return "malformed: a sample does not have one value for each type";
  sort(&profile->locations, sizeof(struct profile_location));
  sort(&profile->functions, sizeof(struct profile_function));
  sort(&profile->mappings, sizeof(struct profile_mapping));
  return has_ids(profile) ? NULL : "malformed: it refers to a location or function that is missing";
}

static bool is_compressed(struct file_text text) {
  return text.size >= 2 && memcmp(text.bytes, "\x1f\x8b", 2) == 0;
}

static bool read_text(struct profile *profile, const char *path, struct file_text text) {
  const uint8_t *start = (const uint8_t *)text.bytes;
  struct reader reader = {.profile = profile, .start = start};
  if (is_compressed(text))
    return report(path, "it is compressed: use gunzip first"), false;
  read_message(&reader, (struct byte_cursor){start, start + text.size, false}, take_part, profile);
  if (reader.wrong != NULL)
    return report(path, "malformed at byte %zu: not a profile in pprof's format",
                  (size_t)(reader.wrong - start)),
           false;
  const char *problem = resolve(profile);
  if (problem != NULL)
    report(path, "%s", problem);
  return problem == NULL;
}

bool profile_read(struct profile *profile, const char *path) {
  struct file_text text;
  *profile = (struct profile){.period = 0};
  if (!file_read(&text, path))
    return false;
  bool is_read = read_text(profile, path, text);
  free(text.bytes);
  return is_read;
}

void profile_free(struct profile *profile) {
  struct profile_array *const arrays[] = {
      &profile->samples,      &profile->locations, &profile->lines,
      &profile->functions,    &profile->mappings,  &profile->labels,
      &profile->location_ids, &profile->values,    &profile->types};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]->items);
  strings_free(&profile->strings);
}

uint64_t profile_value_of(const struct profile *profile, const struct profile_sample *sample,
                          enum profile_value value) {
  return number_at(&profile->values, sample->values.first + profile->columns[value]);
}

const struct profile_location *profile_location_of(const struct profile *profile,
                                                   const struct profile_sample *sample,
                                                   size_t number) {
  return find(&profile->locations, sizeof(struct profile_location),
              number_at(&profile->location_ids, sample->locations.first + number));
}

const struct profile_function *profile_function_of(const struct profile *profile, uint64_t id) {
  return find(&profile->functions, sizeof(struct profile_function), id);
}

const struct profile_mapping *profile_mapping_of(const struct profile *profile, uint64_t id) {
  return find(&profile->mappings, sizeof(struct profile_mapping), id);
}

const char *profile_label_of(const struct profile *profile, const struct profile_sample *sample,
                             const char *key) {
  const struct profile_label *labels = profile->labels.items;
  for (size_t i = sample->labels.first; i < sample->labels.first + sample->labels.count; i++)
    if (strcmp(strings_text(&profile->strings, (uint32_t)labels[i].key), key) == 0)
      return strings_text(&profile->strings, (uint32_t)labels[i].text);
  return NULL;
}
