#include "tests/support/stackmap_builder.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

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
  builder_bytes(builder, &value, sizeof value);
}

void builder_u32(struct stackmap_builder *builder, uint32_t value) {
  builder_bytes(builder, &value, sizeof value);
}

void builder_u64(struct stackmap_builder *builder, uint64_t value) {
  builder_bytes(builder, &value, sizeof value);
}

void builder_align(struct stackmap_builder *builder) {
  while (builder->size % 8 != 0)
    builder_bytes(builder, "", 1);
}

void builder_header(struct stackmap_builder *builder, uint8_t version, uint32_t functions, uint32_t constants,
                    uint32_t records) {
  builder_u32(builder, version);
  builder_u32(builder, functions);
  builder_u32(builder, constants);
  builder_u32(builder, records);
}

void builder_function(struct stackmap_builder *builder, uint64_t address, uint64_t stack_size, uint64_t records) {
  builder_u64(builder, address);
  builder_u64(builder, stack_size);
  builder_u64(builder, records);
}

static void write_location(struct stackmap_builder *builder, struct builder_location location) {
  builder_u16(builder, location.kind);
  builder_u16(builder, location.size);
  builder_u16(builder, location.reg);
  builder_u16(builder, 0);
  builder_u32(builder, (uint32_t)location.offset);
}

static void write_record_start(struct stackmap_builder *builder, uint64_t id, uint32_t offset, uint16_t count) {
  builder_u64(builder, id);
  builder_u32(builder, offset);
  builder_u16(builder, 0);
  builder_u16(builder, count);
}

static void write_record_end(struct stackmap_builder *builder, uint16_t live_outs) {
  builder_align(builder);
  builder_u16(builder, 0);
  builder_u16(builder, live_outs);
  for (uint16_t i = 0; i < live_outs; i++)
    builder_u32(builder, i);
  builder_align(builder);
}

void builder_record(struct stackmap_builder *builder, uint64_t id, uint32_t offset,
                    const struct builder_location *locations, uint16_t count, uint16_t live_outs) {
  write_record_start(builder, id, offset, count);
  for (uint16_t i = 0; i < count; i++)
    write_location(builder, locations[i]);
  write_record_end(builder, live_outs);
}

void builder_statepoint(struct stackmap_builder *builder, uint64_t id, uint32_t offset,
                        const struct builder_location *locations, uint16_t count) {
  const struct builder_location zero = {.kind = 4, .size = 8};
  write_record_start(builder, id, offset, (uint16_t)(count + 3));
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
