/* Counts are written as given. */
#ifndef SPGC_TESTS_STACKMAP_BUILDER_H
#define SPGC_TESTS_STACKMAP_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stackmap_builder {
  unsigned char *bytes;
  size_t size;
  size_t capacity;
  bool big_endian; /* set before anything is built */
  uint8_t version; /* the last header's */
};

struct builder_location {
  uint8_t kind;
  uint16_t size;
  uint16_t reg;
  int32_t offset;
};

void builder_bytes(struct stackmap_builder *builder, const void *bytes, size_t size);
void builder_u16(struct stackmap_builder *builder, uint16_t value);
void builder_u32(struct stackmap_builder *builder, uint32_t value);
void builder_u64(struct stackmap_builder *builder, uint64_t value);
void builder_align(struct stackmap_builder *builder);

void builder_header(struct stackmap_builder *builder, uint8_t version, uint32_t functions,
                    uint32_t constants, uint32_t records);
/* Version 1 leaves `records` out. */
void builder_function(struct stackmap_builder *builder, uint64_t address, uint64_t stack_size,
                      uint64_t records);
void builder_record(struct stackmap_builder *builder, uint64_t id, uint32_t offset,
                    const struct builder_location *locations, uint16_t count, uint16_t live_outs);

/* With flags, and live-outs of DWARF register i and size 8 + i. */
void builder_flagged_record(struct stackmap_builder *builder, uint64_t id, uint32_t offset,
                            uint16_t flags, const struct builder_location *locations,
                            uint16_t count, uint16_t live_outs);

/* With calling convention 0, no flags, no deopt locations, then `locations`. */
void builder_statepoint(struct stackmap_builder *builder, uint64_t id, uint32_t offset,
                        const struct builder_location *locations, uint16_t count);

void builder_free(struct stackmap_builder *builder);

#endif
