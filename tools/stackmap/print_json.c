/* json-c has unsigned integers of 64 bits. */
#include <json-c/json.h>

#include "tools/stackmap/print.h"

/* `failed` stays true once json-c is out of memory. */
struct document {
  const struct print_options *options;
  const struct spgc_stackmap_section *section;
  const struct spgc_stackmap_blob *blob;
  bool failed;
};

static void add(struct document *document, struct json_object *object, const char *key,
                struct json_object *value) {
  if (value == NULL || object == NULL || json_object_object_add(object, key, value) != 0) {
    json_object_put(value);
    document->failed = true;
  }
}

static void append(struct document *document, struct json_object *array,
                   struct json_object *value) {
  if (value == NULL || array == NULL || json_object_array_add(array, value) != 0) {
    json_object_put(value);
    document->failed = true;
  }
}

static void add_unsigned(struct document *document, struct json_object *object, const char *key,
                         uint64_t value) {
  add(document, object, key, json_object_new_uint64(value));
}

static void add_signed(struct document *document, struct json_object *object, const char *key,
                       int64_t value) {
  add(document, object, key, json_object_new_int64(value));
}

static struct json_object *location_json(struct document *document,
                                         const struct spgc_stackmap_record *record,
                                         uint32_t index) {
  struct spgc_stackmap_location location =
      spgc_stackmap_location_at(document->section, document->blob, record, index);
  struct json_object *object = json_object_new_object();
  add(document, object, "kind", json_object_new_string(location_kind_name(location.kind)));
  add_unsigned(document, object, "size", location.size);
  switch (location.kind) {
  case SPGC_LOCATION_REGISTER: add_unsigned(document, object, "reg", location.reg); break;
  case SPGC_LOCATION_DIRECT:
  case SPGC_LOCATION_INDIRECT:
    add_unsigned(document, object, "reg", location.reg);
    add_signed(document, object, "offset", location.offset);
    break;
  case SPGC_LOCATION_CONSTANT: add_signed(document, object, "value", location.offset); break;
  case SPGC_LOCATION_CONSTANT_INDEX:
    add_unsigned(document, object, "index", (uint32_t)location.offset);
    add_unsigned(
        document, object, "value",
        spgc_stackmap_constant_at(document->section, document->blob, (uint32_t)location.offset));
    break;
  }
  return object;
}

static struct json_object *locations_json(struct document *document,
                                          const struct spgc_stackmap_record *record, uint32_t first,
                                          uint32_t count) {
  struct json_object *array = json_object_new_array();
  for (uint32_t i = 0; i < count; i++)
    append(document, array, location_json(document, record, first + i));
  return array;
}

static struct json_object *pairs_json(struct document *document,
                                      const struct spgc_stackmap_record *record,
                                      const struct spgc_statepoint_layout *layout) {
  struct json_object *array = json_object_new_array();
  for (uint32_t i = 0; i < layout->pair_count; i += 2) {
    struct json_object *pair = json_object_new_object();
    add(document, pair, "base", location_json(document, record, layout->first_pair + i));
    add(document, pair, "derived", location_json(document, record, layout->first_pair + i + 1));
    append(document, array, pair);
  }
  return array;
}

/* Null for a record that is not a statepoint's. */
static void add_statepoint(struct document *document, struct json_object *object,
                           const struct spgc_stackmap_record *record) {
  struct spgc_statepoint_layout layout;
  if (!spgc_stackmap_statepoint_layout(document->section, document->blob, record, &layout)) {
    document->failed |= json_object_object_add(object, "statepoint", NULL) != 0;
    return;
  }
  struct json_object *statepoint = json_object_new_object();
  add_unsigned(document, statepoint, "calling_convention", layout.calling_convention);
  add_unsigned(document, statepoint, "flags", layout.flags);
  add(document, statepoint, "deopt",
      locations_json(document, record, layout.first_deopt, layout.deopt_count));
  add(document, statepoint, "pairs", pairs_json(document, record, &layout));
  add(document, statepoint, "allocas",
      locations_json(document, record, layout.first_alloca, layout.alloca_count));
  add(document, object, "statepoint", statepoint);
}

static struct json_object *record_json(struct document *document,
                                       const struct spgc_stackmap_record *record) {
  struct json_object *object = json_object_new_object(), *live_outs = json_object_new_array();
  add_unsigned(document, object, "id", record->id);
  add_unsigned(document, object, "offset", record->instruction_offset);
  add_unsigned(document, object, "flags", record->flags);
  add(document, object, "locations", locations_json(document, record, 0, record->location_count));
  for (uint16_t i = 0; i < record->live_out_count; i++) {
    struct spgc_stackmap_live_out live_out =
        spgc_stackmap_live_out_at(document->section, record, i);
    struct json_object *value = json_object_new_object();
    add_unsigned(document, value, "reg", live_out.reg);
    add_unsigned(document, value, "size", live_out.size);
    append(document, live_outs, value);
  }
  add(document, object, "live_outs", live_outs);
  if (document->options->statepoints && object != NULL)
    add_statepoint(document, object, record);
  return object;
}

static struct json_object *function_json(struct document *document, uint32_t index) {
  struct spgc_stackmap_function function =
      spgc_stackmap_function_at(document->section, document->blob, index);
  struct json_object *object = json_object_new_object();
  add_unsigned(document, object, "address", function.address);
  add_unsigned(document, object, "stack_size", function.stack_size);
  if (document->blob->version != 1)
    add_unsigned(document, object, "record_count", function.record_count);
  else if (object != NULL) /* the format has no such number: null */
    document->failed |= json_object_object_add(object, "record_count", NULL) != 0;
  return object;
}

static struct json_object *blob_json(struct document *document, uint64_t *position) {
  const struct spgc_stackmap_blob *blob = document->blob;
  struct json_object *object = json_object_new_object(), *functions = json_object_new_array();
  struct json_object *constants = json_object_new_array(), *records = json_object_new_array();
  for (uint32_t i = 0; i < blob->function_count && !document->failed; i++)
    append(document, functions, function_json(document, i));
  for (uint32_t i = 0; i < blob->constant_count && !document->failed; i++)
    append(document, constants,
           json_object_new_uint64(spgc_stackmap_constant_at(document->section, blob, i)));
  for (uint32_t i = 0; i < blob->record_count; i++) {
    struct spgc_stackmap_record record = next_record(document->section, blob, position);
    append(document, records, record_json(document, &record));
  }
  add_unsigned(document, object, "version", blob->version);
  add(document, object, "functions", functions);
  add(document, object, "constants", constants);
  add(document, object, "records", records);
  return object;
}

bool print_json(FILE *out, const struct object_file *file, const struct print_options *options) {
  struct spgc_stackmap_section section;
  struct spgc_stackmap_blob blob;
  struct document document = {.options = options, .section = &section, .blob = &blob};
  struct json_object *root = json_object_new_object(), *blobs = json_object_new_array();
  for (size_t i = 0; i < file->section_count && !document.failed; i++) {
    section = file_section(file, i);
    for (uint64_t position = 0; next_blob(&section, &position, &blob) && !document.failed;)
      append(&document, blobs, blob_json(&document, &position));
  }
  add(&document, root, "blobs", blobs);
  const char *text =
      document.failed ? NULL : json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN);
  if (text != NULL)
    fprintf(out, "%s\n", text);
  json_object_put(root);
  return text != NULL;
}
