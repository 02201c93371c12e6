#include "tests/support/stackmap_reencode.h"

#include <stdlib.h>

#include "spgc/stackmap_reader.h"
#include "support/fatal.h"

enum { MOST_LOCATIONS = 64, MOST_RECORDS = 64 };

struct reencoder {
  struct spgc_stackmap_section source;
  struct spgc_stackmap_blob blob;
  uint64_t position;
  struct stackmap_reencoded *out;
};

static void write_tables(struct reencoder *reencoder, uint8_t version) {
  const struct spgc_stackmap_blob *blob = &reencoder->blob;
  struct stackmap_builder *section = &reencoder->out->section;
  builder_header(section, version, blob->function_count, blob->constant_count, blob->record_count);
  for (uint32_t i = 0; i < blob->function_count; i++) {
    struct spgc_stackmap_function function = spgc_stackmap_function_at(&reencoder->source, blob, i);
    builder_function(section, function.address, function.stack_size, function.record_count);
  }
  for (uint32_t i = 0; i < blob->constant_count; i++)
    builder_u64(section, spgc_stackmap_constant_at(&reencoder->source, blob, i));
}

static uint64_t new_id(struct stackmap_reencoded *out, uint64_t owner) {
  out->owners[out->owner_count] = owner;
  return out->owner_count++;
}

static void write_record(struct reencoder *reencoder, const struct spgc_stackmap_record *record,
                         uint64_t owner) {
  struct builder_location locations[MOST_LOCATIONS];
  spgc_require(record->location_count <= MOST_LOCATIONS, "%u locations", record->location_count);
  for (uint32_t i = 0; i < record->location_count; i++) {
    struct spgc_stackmap_location from =
        spgc_stackmap_location_at(&reencoder->source, &reencoder->blob, record, i);
    locations[i] = (struct builder_location){(uint8_t)from.kind, from.size, from.reg, from.offset};
  }
  builder_flagged_record(&reencoder->out->section, new_id(reencoder->out, owner),
                         record->instruction_offset, record->flags, locations,
                         record->location_count, record->live_out_count);
}

static void write_records(struct reencoder *reencoder, uint32_t function_index) {
  struct spgc_stackmap_record records[MOST_RECORDS];
  struct spgc_stackmap_function function =
      spgc_stackmap_function_at(&reencoder->source, &reencoder->blob, function_index);
  spgc_require(function.record_count <= MOST_RECORDS, "%u records",
               (unsigned)function.record_count);
  for (uint64_t i = 0; i < function.record_count; i++) {
    enum spgc_result read = spgc_stackmap_read_record(&reencoder->source, &reencoder->blob,
                                                      &reencoder->position, &records[i], NULL);
    spgc_require(read == SPGC_OK, "the record cannot be read");
  }
  for (uint64_t i = function.record_count; i > 0; i--)
    write_record(reencoder, &records[i - 1], function.address);
}

void stackmap_reencode(const void *section, size_t size, uint8_t version,
                       struct stackmap_reencoded *reencoded) {
  struct reencoder reencoder = {.source = {section, size, SPGC_LITTLE_ENDIAN}, .out = reencoded};
  *reencoded = (struct stackmap_reencoded){
      .owners = malloc(size)}; /* a record takes more bytes than its owner */
  spgc_require(reencoded->owners != NULL, "no memory");
  for (;;) {
    enum spgc_result read =
        spgc_stackmap_read_blob(&reencoder.source, &reencoder.position, &reencoder.blob, NULL);
    spgc_require(read == SPGC_OK, "the map cannot be read");
    if (reencoder.blob.version == 0)
      return;
    write_tables(&reencoder, version);
    for (uint32_t i = 0; i < reencoder.blob.function_count; i++)
      write_records(&reencoder, i);
  }
}

uint64_t stackmap_reencoded_owner(void *context, uint64_t id, uint32_t instruction_offset) {
  const struct stackmap_reencoded *reencoded = context;
  spgc_require(id < reencoded->owner_count, "an ID nobody gave");
  return reencoded->owners[id];
}

void stackmap_reencoded_free(struct stackmap_reencoded *reencoded) {
  builder_free(&reencoded->section);
  free(reencoded->owners);
}
