#include "tests/support/stackmap_builder.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/assertions.h"

void builder_bytes(struct stackmap_builder *builder, const void *bytes, size_t size) {
  if (builder->size + size > builder->capacity) {
    builder->capacity = 2 * (builder->size + size);
    builder->bytes = realloc(builder->bytes, builder->capacity);
    ck_assert_ptr_nonnull(builder->bytes);
  }
  memcpy(builder->bytes + builder->size, bytes, size);
  builder->size += size;
}

void builder_u16(struct stackmap_builder *builder, uint16_t value) {
  value = builder->big_endian ? htobe16(value) : htole16(value);
  builder_bytes(builder, &value, sizeof value);
}

void builder_u32(struct stackmap_builder *builder, uint32_t value) {
  value = builder->big_endian ? htobe32(value) : htole32(value);
  builder_bytes(builder, &value, sizeof value);
}

void builder_u64(struct stackmap_builder *builder, uint64_t value) {
  value = builder->big_endian ? htobe64(value) : htole64(value);
  builder_bytes(builder, &value, sizeof value);
}

void builder_align(struct stackmap_builder *builder) {
  while (builder->size % 8 != 0)
    builder_bytes(builder, "", 1);
}

void builder_header(struct stackmap_builder *builder, uint8_t version, uint32_t functions,
                    uint32_t constants, uint32_t records) {
  const unsigned char start[4] = {version};
  builder->version = version;
  builder_bytes(builder, start, sizeof start);
  builder_u32(builder, functions);
  builder_u32(builder, constants);
  builder_u32(builder, records);
}

void builder_function(struct stackmap_builder *builder, uint64_t address, uint64_t stack_size,
                      uint64_t records) {
  builder_u64(builder, address);
  builder_u64(builder, stack_size);
  if (builder->version != 1)
    builder_u64(builder, records);
}

static void write_location(struct stackmap_builder *builder, struct builder_location location) {
  bool narrow = builder->version == 1 || builder->version == 2;
  const unsigned char start[2] = {location.kind, narrow ? (unsigned char)location.size : 0};
  builder_bytes(builder, start, sizeof start);
  if (!narrow)
    builder_u16(builder, location.size);
  builder_u16(builder, location.reg);
  if (!narrow)
    builder_u16(builder, 0);
  builder_u32(builder, (uint32_t)location.offset);
}

static void write_record_start(struct stackmap_builder *builder, uint64_t id, uint32_t offset,
                               uint16_t flags, uint16_t count) {
  builder_u64(builder, id);
  builder_u32(builder, offset);
  builder_u16(builder, flags);
  builder_u16(builder, count);
}

static void write_record_end(struct stackmap_builder *builder, uint16_t live_outs) {
  builder_align(builder);
  builder_u16(builder, 0);
  builder_u16(builder, live_outs);
  for (uint16_t i = 0; i < live_outs; i++) {
    const unsigned char end[2] = {0, (unsigned char)(8 + i)};
    builder_u16(builder, i);
    builder_bytes(builder, end, sizeof end);
  }
  builder_align(builder);
}

void builder_flagged_record(struct stackmap_builder *builder, uint64_t id, uint32_t offset,
                            uint16_t flags, const struct builder_location *locations,
                            uint16_t count, uint16_t live_outs) {
  write_record_start(builder, id, offset, flags, count);
  for (uint16_t i = 0; i < count; i++)
    write_location(builder, locations[i]);
  write_record_end(builder, live_outs);
}

void builder_record(struct stackmap_builder *builder, uint64_t id, uint32_t offset,
                    const struct builder_location *locations, uint16_t count, uint16_t live_outs) {
  builder_flagged_record(builder, id, offset, 0, locations, count, live_outs);
}

void builder_statepoint(struct stackmap_builder *builder, uint64_t id, uint32_t offset,
                        const struct builder_location *locations, uint16_t count) {
  const struct builder_location zero = {.kind = 4, .size = 8};
  write_record_start(builder, id, offset, 0, (uint16_t)(count + 3));
  for (int i = 0; i < 3; i++)
    write_location(builder, zero);
  for (uint16_t i = 0; i < count; i++)
    write_location(builder, locations[i]);
  write_record_end(builder, 0);
}

void builder_free(struct stackmap_builder *builder) {
  free(builder->bytes);
  *builder = (struct stackmap_builder){0};
}
