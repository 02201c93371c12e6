#include "stackwalk/stackmap_parser.h"

#include <inttypes.h>

#include "stackwalk/code_check.h"
#include "stackwalk/raw_items.h"
#include "stackwalk/statepoint.h"
#include "support/fatal.h"

struct parser {
  const struct spgc_stackmap_section *section;
  uint64_t position; /* the next record's */
  const struct record_owner_source *owner_source;
  const struct frame_taker *taker;
  struct function_code code; /* the current function's, if the taker checks it */
  uint64_t records;          /* those in the blobs read so far */
  uint64_t announced;        /* the taker expects at least all records of the current blob */
  struct stackmap_contents *contents;
  struct spgc_error *error;
};

static enum spgc_result no_memory(const struct parser *parser) {
  return spgc_error_set(parser->error, SPGC_ERROR_NO_MEMORY, parser->position,
                        "cannot allocate the stack map: out of memory");
}

static enum spgc_result hand_over(const struct parser *parser, struct frame_description *frame) {
  const struct frame_taker *taker = parser->taker;
  bool keep = true;
  spgc_location_pools_point(&parser->contents->pools, frame);
  enum spgc_result result =
      spgc_code_check_call(&parser->code, frame->return_address, frame->position, parser->error);
  if (result == SPGC_OK)
    result = taker->take(taker->context, frame, &keep, parser->error);
  if (!keep)
    spgc_stackmap_contents_forget_last(parser->contents);
  return result;
}

static enum spgc_result append_frame(struct parser *parser,
                                     const struct spgc_stackmap_function *function,
                                     const struct statepoint *statepoint) {
  const struct spgc_stackmap_record *record = &statepoint->record;
  uintptr_t word;
  if (__builtin_add_overflow(function->address, record->instruction_offset, &word))
    return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, record->position,
                          "the return address of the record at byte %" PRIu64 " overflows",
                          record->position);
  struct frame_description *frame = array_extend(&parser->contents->frames, 1);
  if (frame == NULL)
    return no_memory(parser);
  *frame = (struct frame_description){.return_address = {word},
                                      .id = record->id,
                                      .position = record->position,
                                      .stack_size = function->stack_size};
  enum spgc_result result =
      spgc_statepoint_decode(statepoint, &parser->contents->pools, frame, parser->error);
  return result == SPGC_OK ? hand_over(parser, frame) : result;
}

static void find_code(struct parser *parser, const struct spgc_stackmap_function *function) {
  if (parser->taker->checks_code && parser->code.function.word != function->address)
    parser->code = spgc_function_code((struct function_address){function->address});
}

static enum spgc_result parse_record(struct parser *parser, const struct spgc_stackmap_blob *blob,
                                     const struct spgc_stackmap_function *function) {
  struct statepoint statepoint; /* not initialised, because its parts are large */
  struct spgc_stackmap_record *record = &statepoint.record;
  statepoint.section = parser->section;
  statepoint.blob = blob;
  enum spgc_result result =
      spgc_stackmap_read_record(parser->section, blob, &parser->position, record, parser->error);
  if (result != SPGC_OK ||
      !spgc_stackmap_statepoint_layout(parser->section, blob, record, &statepoint.layout))
    return result;
  find_code(parser, function);
  return append_frame(parser, function, &statepoint);
}

static enum spgc_result append_functions(struct parser *parser,
                                         const struct spgc_stackmap_blob *blob) {
  struct function_address *functions =
      array_extend(&parser->contents->functions, blob->function_count);
  if (functions == NULL)
    return no_memory(parser);
  for (uint32_t i = 0; i < blob->function_count; i++) {
    struct spgc_stackmap_function function = checked_function(parser->section, blob, i);
    if (function.address == 0)
      return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, function.position,
                            "the function at byte %" PRIu64
                            " has address 0: relocations were not applied",
                            function.position);
    functions[i].word = function.address;
  }
  return SPGC_OK;
}

static enum spgc_result parse_records(struct parser *parser,
                                      const struct spgc_stackmap_blob *blob) {
  enum spgc_result result = SPGC_OK;
  for (uint32_t i = 0; i < blob->function_count && result == SPGC_OK; i++) {
    struct spgc_stackmap_function function = checked_function(parser->section, blob, i);
    for (uint64_t k = 0; k < function.record_count && result == SPGC_OK; k++)
      result = parse_record(parser, blob, &function);
  }
  return result;
}

static enum spgc_result parse_records_v1(struct parser *parser,
                                         const struct spgc_stackmap_blob *blob) {
  struct array owners = {.element_size = sizeof(uint32_t)};
  enum spgc_result result = spgc_record_owners_find(parser->section, blob, parser->position,
                                                    parser->owner_source, &owners, parser->error);
  const uint32_t *owner = owners.data;
  for (uint32_t i = 0; i < blob->record_count && result == SPGC_OK; i++) {
    struct spgc_stackmap_function function = checked_function(parser->section, blob, owner[i]);
    result = parse_record(parser, blob, &function);
  }
  spgc_array_free(&owners);
  return result;
}

/* Further blobs are assumed to have as many records for their size as those before, plus a
 * margin. */
static uint64_t guess_records(const struct parser *parser, const struct spgc_stackmap_blob *blob) {
  if (blob->position == 0)
    return blob->record_count;
  double each = (double)parser->records / (double)blob->position;
  uint64_t guess =
      (uint64_t)(each * (double)(parser->section->size - blob->position)) + blob->record_count / 8;
  return guess > blob->record_count ? guess : blob->record_count;
}

static enum spgc_result announce(struct parser *parser, const struct spgc_stackmap_blob *blob) {
  if (parser->announced - parser->records >= blob->record_count)
    return SPGC_OK;
  uint64_t count = guess_records(parser, blob);
  parser->announced = parser->records + count;
  return parser->taker->expect(parser->taker->context, count, parser->error);
}

static enum spgc_result parse_blob(struct parser *parser, const struct spgc_stackmap_blob *blob) {
  enum spgc_result result = announce(parser, blob);
  if (result == SPGC_OK)
    result = append_functions(parser, blob);
  if (result == SPGC_OK)
    result = blob->version == 1 ? parse_records_v1(parser, blob) : parse_records(parser, blob);
  parser->records += blob->record_count;
  return result;
}

static enum spgc_result parse_section(struct parser *parser) {
  for (;;) {
    struct spgc_stackmap_blob blob;
    enum spgc_result result =
        spgc_stackmap_read_blob(parser->section, &parser->position, &blob, parser->error);
    if (result != SPGC_OK || blob.version == 0)
      return result;
    result = parse_blob(parser, &blob);
    if (result != SPGC_OK)
      return result;
  }
}

enum spgc_result spgc_stackmap_parse(const void *bytes, size_t size,
                                     const struct record_owner_source *owners,
                                     const struct frame_taker *taker,
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
  struct parser parser = {.section = &section,
                          .owner_source = owners,
                          .taker = taker,
                          .contents = contents,
                          .error = error};
  return parse_section(&parser);
}
