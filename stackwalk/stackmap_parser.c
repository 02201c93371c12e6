#include "stackwalk/stackmap_parser.h"

#include <inttypes.h>

#include "support/fatal.h"

struct parser {
  const struct spgc_stackmap_section *section;
  uint64_t position; /* of the record to be read next */
  const struct record_owner_source *owner_source;
  struct stackmap_contents *contents;
  struct spgc_error *error;
};

static enum spgc_result no_memory(const struct parser *parser) {
  return spgc_error_set(parser->error, SPGC_ERROR_NO_MEMORY, parser->position, "no memory for the stack map");
}

static enum spgc_result append_frame(struct parser *parser, const struct spgc_stackmap_function *function,
                                     const struct statepoint *statepoint) {
  const struct spgc_stackmap_record *record = &statepoint->record;
  uintptr_t word;
  if (__builtin_add_overflow(function->address, record->instruction_offset, &word))
    return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, record->position,
                          "the return address of the record at byte %" PRIu64 " overflows", record->position);
  struct frame_description *frame = array_extend(&parser->contents->frames, 1);
  if (frame == NULL)
    return no_memory(parser);
  *frame = (struct frame_description){
      .return_address = {word}, .id = record->id, .position = record->position, .stack_size = function->stack_size};
  return spgc_statepoint_decode(statepoint, &parser->contents->pools, frame, parser->error);
}

static enum spgc_result parse_record(struct parser *parser, const struct spgc_stackmap_blob *blob,
                                     const struct spgc_stackmap_function *function) {
  struct statepoint statepoint = {.section = parser->section, .blob = blob};
  struct spgc_stackmap_record *record = &statepoint.record;
  enum spgc_result result = spgc_stackmap_read_record(parser->section, blob, &parser->position, record, parser->error);
  if (result != SPGC_OK || !spgc_stackmap_statepoint_layout(parser->section, blob, record, &statepoint.layout))
    return result;
  return append_frame(parser, function, &statepoint);
}

static enum spgc_result append_functions(struct parser *parser, const struct spgc_stackmap_blob *blob) {
  struct function_address *functions = array_extend(&parser->contents->functions, blob->function_count);
  if (functions == NULL)
    return no_memory(parser);
  for (uint32_t i = 0; i < blob->function_count; i++) {
    struct spgc_stackmap_function function = spgc_stackmap_function_at(parser->section, blob, i);
    if (function.address == 0)
      return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, function.position,
                            "the function at byte %" PRIu64 " has address 0: relocations were not applied",
                            function.position);
    functions[i].word = function.address;
  }
  return SPGC_OK;
}

static enum spgc_result parse_records(struct parser *parser, const struct spgc_stackmap_blob *blob) {
  enum spgc_result result = SPGC_OK;
  for (uint32_t i = 0; i < blob->function_count && result == SPGC_OK; i++) {
    struct spgc_stackmap_function function = spgc_stackmap_function_at(parser->section, blob, i);
    for (uint64_t k = 0; k < function.record_count && result == SPGC_OK; k++)
      result = parse_record(parser, blob, &function);
  }
  return result;
}

static enum spgc_result parse_records_v1(struct parser *parser, const struct spgc_stackmap_blob *blob) {
  struct array owners = {.element_size = sizeof(uint32_t)};
  enum spgc_result result =
      spgc_record_owners_find(parser->section, blob, parser->position, parser->owner_source, &owners, parser->error);
  const uint32_t *owner = owners.data;
  for (uint32_t i = 0; i < blob->record_count && result == SPGC_OK; i++) {
    struct spgc_stackmap_function function = spgc_stackmap_function_at(parser->section, blob, owner[i]);
    result = parse_record(parser, blob, &function);
  }
  spgc_array_free(&owners);
  return result;
}

static enum spgc_result parse_section(struct parser *parser) {
  for (;;) {
    struct spgc_stackmap_blob blob;
    enum spgc_result result = spgc_stackmap_read_blob(parser->section, &parser->position, &blob, parser->error);
    if (result != SPGC_OK || blob.version == 0)
      return result;
    result = append_functions(parser, &blob);
    if (result == SPGC_OK)
      result = blob.version == 1 ? parse_records_v1(parser, &blob) : parse_records(parser, &blob);
    if (result != SPGC_OK)
      return result;
  }
}

/* C forbids adding even 0 to a null pointer, which is what a pool without elements has. */
#define SKIP(pointer, count) ((count) != 0 ? (pointer) + (count) : (pointer))

static void point_frames_into_pools(struct stackmap_contents *contents) {
  struct frame_description *frames = contents->frames.data;
  const struct location *bases = contents->pools.bases.data;
  const struct derived_location *derived = contents->pools.derived.data;
  const struct deopt_location *deopts = contents->pools.deopts.data;
  for (size_t i = 0; i < contents->frames.count; i++) {
    frames[i].bases = bases;
    frames[i].derived = derived;
    frames[i].deopts = deopts;
    bases = SKIP(bases, frames[i].base_count);
    derived = SKIP(derived, frames[i].derived_count);
    deopts = SKIP(deopts, frames[i].deopt_count);
  }
}

enum spgc_result spgc_stackmap_parse(const void *bytes, size_t size, const struct record_owner_source *owners,
                                     struct stackmap_contents *contents, struct spgc_error *error) {
  *contents = (struct stackmap_contents){
      .functions.element_size = sizeof(struct function_address),
      .frames.element_size = sizeof(struct frame_description),
      .pools.bases.element_size = sizeof(struct location),
      .pools.derived.element_size = sizeof(struct derived_location),
      .pools.deopts.element_size = sizeof(struct deopt_location),
      .pools.scratch.element_size = sizeof(struct location_pair),
  };
  const struct spgc_stackmap_section section = {
      bytes, size, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? SPGC_BIG_ENDIAN : SPGC_LITTLE_ENDIAN};
  struct parser parser = {.section = &section, .owner_source = owners, .contents = contents, .error = error};
  enum spgc_result result = parse_section(&parser);
  if (result != SPGC_OK)
    return result;
  point_frames_into_pools(contents);
  spgc_array_free(&contents->pools.scratch);
  return SPGC_OK;
}

void spgc_stackmap_contents_free(struct stackmap_contents *contents) {
  spgc_array_free(&contents->functions);
  spgc_array_free(&contents->frames);
  spgc_array_free(&contents->pools.bases);
  spgc_array_free(&contents->pools.derived);
  spgc_array_free(&contents->pools.deopts);
  spgc_array_free(&contents->pools.scratch);
}
