#include "stackwalk/stackmap_parser.h"

#include <inttypes.h>

#include "stackwalk/reader.h"
#include "support/fatal.h"

enum {
  BLOB_ALIGNMENT = 8,
  FUNCTION_SIZE = 24,
  CONSTANT_SIZE = 8,
  RECORD_SIZE_LEAST = 24, /* no locations, no live-outs */
  LIVE_OUT_SIZE = 4,
};

struct parser {
  struct reader reader;
  struct stackmap_contents *contents;
  struct spgc_error *error;
};

/* The counts and tables at the start of the blob being parsed. */
struct blob {
  uint32_t function_count;
  uint32_t constant_count;
  uint32_t record_count;
  uint64_t functions; /* offset of the first function in the section */
  const unsigned char *constants;
};

struct record_header {
  uint64_t id;
  uint32_t instruction_offset;
  uint16_t location_count;
};

static enum spgc_result truncated(const struct parser *parser, const char *what) {
  return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, parser->reader.position,
                        "the section ends inside %s at byte %" PRIu64, what, parser->reader.position);
}

static enum spgc_result no_memory(const struct parser *parser) {
  return spgc_error_set(parser->error, SPGC_ERROR_NO_MEMORY, parser->reader.position, "no memory for the stack map");
}

/* location := u8 kind, u8 reserved, u16 size, u16 register, u16 reserved, i32 offset */
static enum spgc_result check_location(const struct parser *parser, const struct blob *blob, const unsigned char *bytes,
                                       uint64_t position) {
  struct raw_location location = spgc_raw_location_read(bytes);
  if (location.kind < LOCATION_REGISTER || location.kind > LOCATION_CONSTANT_INDEX)
    return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, position, "unknown location kind %u at byte %" PRIu64,
                          location.kind, position);
  if (location.kind == LOCATION_CONSTANT_INDEX && (uint32_t)location.offset >= blob->constant_count)
    return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, position,
                          "constant %" PRIu32 " of a pool of %" PRIu32 " at byte %" PRIu64, (uint32_t)location.offset,
                          blob->constant_count, position);
  return SPGC_OK;
}

/* record := header { location } align 8, u16 padding, u16 live-outs { live-out } align 8 */
static enum spgc_result parse_record_body(struct parser *parser, const struct blob *blob,
                                          const struct record_header *header, struct statepoint_record *record) {
  struct reader *reader = &parser->reader;
  uint16_t padding, live_outs;
  uint64_t first = reader->position;
  const unsigned char *locations = reader->bytes + first;
  if (!reader_skip(reader, (uint64_t)header->location_count * STACKMAP_LOCATION_SIZE))
    return truncated(parser, "the locations of a record");
  for (uint16_t i = 0; i < header->location_count; i++) {
    uint64_t offset = (uint64_t)i * STACKMAP_LOCATION_SIZE;
    enum spgc_result result = check_location(parser, blob, locations + offset, first + offset);
    if (result != SPGC_OK)
      return result;
  }
  if (!reader_align(reader, BLOB_ALIGNMENT) || !reader_u16(reader, &padding) || !reader_u16(reader, &live_outs) ||
      !reader_skip(reader, (uint64_t)live_outs * LIVE_OUT_SIZE) || !reader_align(reader, BLOB_ALIGNMENT))
    return truncated(parser, "the live-outs of a record");
  *record = (struct statepoint_record){.locations = locations,
                                       .position = first,
                                       .constants = blob->constants,
                                       .constant_count = blob->constant_count,
                                       .location_count = header->location_count,
                                       .live_out_count = live_outs};
  return SPGC_OK;
}

static enum spgc_result append_frame(struct parser *parser, struct function_address function,
                                     const struct record_header *header, const struct statepoint_record *record,
                                     uint64_t position) {
  uintptr_t word;
  if (__builtin_add_overflow(function.word, header->instruction_offset, &word))
    return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, position,
                          "the return address of the record at byte %" PRIu64 " overflows", position);
  struct frame_description *frame = spgc_array_append(&parser->contents->frames, 1);
  if (frame == NULL)
    return no_memory(parser);
  frame->return_address.word = word;
  frame->id = header->id;
  frame->position = position;
  return spgc_statepoint_decode(record, &parser->contents->pools, frame, parser->error);
}

static enum spgc_result parse_record(struct parser *parser, const struct blob *blob, struct function_address function) {
  struct reader *reader = &parser->reader;
  struct record_header header;
  struct statepoint_record record;
  uint16_t reserved;
  uint64_t position = reader->position;
  if (!reader_u64(reader, &header.id) || !reader_u32(reader, &header.instruction_offset) ||
      !reader_u16(reader, &reserved) || !reader_u16(reader, &header.location_count))
    return truncated(parser, "a record");
  enum spgc_result result = parse_record_body(parser, blob, &header, &record);
  if (result != SPGC_OK || !spgc_statepoint_recognise(&record))
    return result;
  return append_frame(parser, function, &header, &record, position);
}

/* function := u64 address, u64 stack size, u64 records; `position` is its offset, `left` the records not yet owned */
static enum spgc_result parse_function(struct parser *parser, const struct blob *blob, uint64_t position,
                                       uint64_t *left) {
  struct reader table = parser->reader;
  uint64_t address, stack_size, records;
  table.position = position;
  if (!reader_u64(&table, &address) || !reader_u64(&table, &stack_size) || !reader_u64(&table, &records))
    return truncated(parser, "the functions");
  if (address == 0)
    return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, position,
                          "the function at byte %" PRIu64 " has address 0: relocations were not applied", position);
  if (records > *left)
    return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, position,
                          "the function at byte %" PRIu64 " claims %" PRIu64 " records, %" PRIu64 " are left", position,
                          records, *left);
  *left -= records;
  struct function_address *function = spgc_array_append(&parser->contents->functions, 1);
  if (function == NULL)
    return no_memory(parser);
  function->word = address;
  struct function_address owner = *function;
  enum spgc_result result = SPGC_OK;
  for (uint64_t i = 0; i < records && result == SPGC_OK; i++)
    result = parse_record(parser, blob, owner);
  return result;
}

/* Skips the tables that the counts promise, so that no count is believed that the section is too short for. */
static enum spgc_result parse_tables_v3(struct parser *parser, struct blob *blob) {
  struct reader *reader = &parser->reader;
  if (!reader_u32(reader, &blob->function_count) || !reader_u32(reader, &blob->constant_count) ||
      !reader_u32(reader, &blob->record_count))
    return truncated(parser, "a header");
  blob->functions = reader->position;
  if (!reader_skip(reader, (uint64_t)blob->function_count * FUNCTION_SIZE))
    return truncated(parser, "the functions");
  blob->constants = reader->bytes + reader->position;
  if (!reader_skip(reader, (uint64_t)blob->constant_count * CONSTANT_SIZE))
    return truncated(parser, "the constants");
  if (blob->record_count > reader_remaining(reader) / RECORD_SIZE_LEAST)
    return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, reader->position,
                          "%" PRIu32 " records do not fit into the %" PRIu64 " bytes after byte %" PRIu64,
                          blob->record_count, reader_remaining(reader), reader->position);
  return SPGC_OK;
}

/* blob (v3) := header { function } { constant } { record } */
static enum spgc_result parse_blob_v3(struct parser *parser) {
  struct blob blob = {0};
  enum spgc_result result = parse_tables_v3(parser, &blob);
  if (result != SPGC_OK)
    return result;
  uint64_t left = blob.record_count;
  for (uint32_t i = 0; i < blob.function_count && result == SPGC_OK; i++)
    result = parse_function(parser, &blob, blob.functions + (uint64_t)i * FUNCTION_SIZE, &left);
  if (result == SPGC_OK && left != 0)
    return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, parser->reader.position,
                          "%" PRIu64 " of %" PRIu32 " records belong to no function", left, blob.record_count);
  return result;
}

static enum spgc_result parse_blob(struct parser *parser) {
  struct reader *reader = &parser->reader;
  uint64_t position = reader->position;
  struct {
    uint8_t version;
    uint8_t reserved_byte;
    uint16_t reserved_half;
  } start;
  _Static_assert(sizeof start == 4, "the header starts with four bytes");
  if (!reader_read(reader, &start, sizeof start))
    return truncated(parser, "a header");
  if (start.reserved_byte != 0 || start.reserved_half != 0)
    return spgc_error_set(parser->error, SPGC_ERROR_MALFORMED, position,
                          "no stack map header at byte %" PRIu64 ": reserved bytes are not 0", position);
  switch (start.version) {
  case 3: return parse_blob_v3(parser);
  default:
    return spgc_error_set(parser->error, SPGC_ERROR_UNSUPPORTED, position,
                          "stack map version %u at byte %" PRIu64 "; version 3 is supported", start.version, position);
  }
}

/* Padding between blobs; a blob never starts with eight zero bytes, its version is not 0. */
static bool skip_padding(struct reader *reader) {
  uint64_t width = reader_remaining(reader) < BLOB_ALIGNMENT ? reader_remaining(reader) : BLOB_ALIGNMENT;
  uint64_t word = 0;
  struct reader ahead = *reader;
  if (!reader_read(&ahead, &word, width) || word != 0)
    return false;
  *reader = ahead;
  return true;
}

static void point_frames_into_pools(struct stackmap_contents *contents) {
  struct frame_description *frames = contents->frames.data;
  const struct location *bases = contents->pools.bases.data;
  const struct derived_location *derived = contents->pools.derived.data;
  const struct deopt_location *deopts = contents->pools.deopts.data;
  for (size_t i = 0; i < contents->frames.count; i++) {
    frames[i].bases = bases;
    frames[i].derived = derived;
    frames[i].deopts = deopts;
    bases += frames[i].base_count;
    derived += frames[i].derived_count;
    deopts += frames[i].deopt_count;
  }
}

enum spgc_result spgc_stackmap_parse(const void *section, size_t size, struct stackmap_contents *contents,
                                     struct spgc_error *error) {
  *contents = (struct stackmap_contents){
      .functions.element_size = sizeof(struct function_address),
      .frames.element_size = sizeof(struct frame_description),
      .pools.bases.element_size = sizeof(struct location),
      .pools.derived.element_size = sizeof(struct derived_location),
      .pools.deopts.element_size = sizeof(struct deopt_location),
      .pools.scratch.element_size = sizeof(struct location_pair),
  };
  struct parser parser = {.reader = {.bytes = section, .size = size}, .contents = contents, .error = error};
  while (reader_remaining(&parser.reader) > 0) {
    if (skip_padding(&parser.reader))
      continue;
    enum spgc_result result = parse_blob(&parser);
    if (result != SPGC_OK)
      return result;
  }
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
