#include <inttypes.h>
#include <stdlib.h>

#include "stackwalk/flat_pool.h"
#include "stackwalk/flat_view.h"
#include "stackwalk/stackmap_parser.h"
#include "support/fatal.h"

/* One pool per array. No two functions, calls or points are equal, so these are only appended. */
struct flat_writer {
  const struct spgc_flat_code *code;
  struct spgc_stackmap_section section;
  struct stackmap_contents contents;
#define FLAT_ARRAY(type, name) struct flat_pool name;
  FLAT_ARRAYS(FLAT_ARRAY)
#undef FLAT_ARRAY
  struct spgc_error *error;
};

static enum spgc_result no_memory(struct flat_writer *writer) {
  return spgc_error_set(writer->error, SPGC_ERROR_NO_MEMORY, 0,
                        "cannot allocate a flat stack map: out of memory");
}

static bool is_in_code(const struct flat_writer *writer, uint64_t address) {
  return address - writer->code->start < writer->code->bytes;
}

/* A return address may be the end of the code. */
static bool returns_to_code(const struct flat_writer *writer, uint64_t address) {
  return is_in_code(writer, address - 1);
}

static uint32_t offset_of(const struct flat_writer *writer, uint64_t address) {
  return (uint32_t)(address - writer->code->start);
}

static enum spgc_result add_function(struct flat_writer *writer,
                                     const struct spgc_stackmap_function *function) {
  struct spgc_flat_function *added = spgc_array_append(&writer->function.elements, 1);
  if (added == NULL)
    return no_memory(writer);
  bool varying = function->stack_size == UINT64_MAX;
  if (!varying && function->stack_size >= SPGC_FLAT_NO_STACK_SIZE)
    return spgc_error_set(writer->error, SPGC_ERROR_UNSUPPORTED, function->position,
                          "frames of %" PRIu64 " bytes", function->stack_size);
  added->offset = offset_of(writer, function->address);
  added->size = writer->code->function_size(writer->code->context, function->address);
  added->stack_size = varying ? SPGC_FLAT_NO_STACK_SIZE : (uint32_t)function->stack_size;
  added->flags = varying ? SPGC_FLAT_VARYING_SIZE : 0;
  added->frame_register = DWARF_STACK_POINTER;
  return SPGC_OK;
}

static bool add_locations(struct flat_writer *writer, const struct spgc_stackmap_blob *blob,
                          const struct spgc_stackmap_record *record,
                          struct spgc_flat_point *point) {
  struct array locations = {.element_size = sizeof(struct spgc_flat_location)};
  struct spgc_flat_location *to = spgc_array_append(&locations, record->location_count);
  bool added = to != NULL;
  for (uint32_t i = 0; i < record->location_count && added; i++) {
    struct spgc_stackmap_location from =
        spgc_stackmap_location_at(&writer->section, blob, record, i);
    to[i] = (struct spgc_flat_location){(uint8_t)from.kind, 0, from.size, from.reg, 0, from.offset};
    if (from.kind != SPGC_LOCATION_CONSTANT_INDEX)
      continue;
    uint64_t constant = spgc_stackmap_constant_at(&writer->section, blob, (uint32_t)from.offset);
    uint32_t index;
    added = spgc_flat_pool_add(&writer->constant, &constant, 1, &index);
    to[i].offset = (int32_t)index;
  }
  added = added && spgc_flat_pool_add(&writer->location, locations.data, locations.count,
                                      &point->first_location);
  spgc_array_free(&locations);
  return added;
}

static bool add_live_outs(struct flat_writer *writer, const struct spgc_stackmap_record *record,
                          struct spgc_flat_point *point) {
  struct array live_outs = {.element_size = sizeof(struct spgc_flat_live_out)};
  struct spgc_flat_live_out *to = spgc_array_append(&live_outs, record->live_out_count);
  for (uint32_t i = 0; i < record->live_out_count && to != NULL; i++) {
    struct spgc_stackmap_live_out from = spgc_stackmap_live_out_at(&writer->section, record, i);
    to[i] = (struct spgc_flat_live_out){from.reg, 0, from.size};
  }
  bool added = to != NULL &&
               spgc_flat_pool_add(&writer->live_out, to, live_outs.count, &point->first_live_out);
  spgc_array_free(&live_outs);
  return added;
}

/* settle_functions turns the counts into indices. */
static enum spgc_result add_point(struct flat_writer *writer, const struct spgc_stackmap_blob *blob,
                                  const struct spgc_stackmap_function *function,
                                  const struct spgc_stackmap_record *record) {
  struct spgc_flat_point point = {
      .offset = offset_of(writer, function->address + record->instruction_offset),
      .location_count = record->location_count,
      .live_out_count = record->live_out_count};
  struct spgc_flat_function *functions = writer->function.elements.data;
  functions[writer->function.elements.count - 1].first_point++;
  struct spgc_flat_point *added = NULL;
  if (spgc_flat_pool_add(&writer->constant, &record->id, 1, &point.id) &&
      add_locations(writer, blob, record, &point) && add_live_outs(writer, record, &point))
    added = spgc_array_append(&writer->point.elements, 1);
  if (added == NULL)
    return no_memory(writer);
  *added = point;
  return SPGC_OK;
}

static enum spgc_result add_records(struct flat_writer *writer,
                                    const struct spgc_stackmap_blob *blob,
                                    const struct spgc_stackmap_function *function,
                                    uint64_t *position) {
  bool wanted = is_in_code(writer, function->address);
  enum spgc_result result = wanted ? add_function(writer, function) : SPGC_OK;
  for (uint64_t i = 0; i < function->record_count && result == SPGC_OK; i++) {
    struct spgc_stackmap_record record;
    struct spgc_statepoint_layout layout;
    result = spgc_stackmap_read_record(&writer->section, blob, position, &record, writer->error);
    if (result != SPGC_OK || !wanted)
      continue;
    if (function->address + record.instruction_offset - writer->code->start > writer->code->bytes)
      return spgc_error_set(writer->error, SPGC_ERROR_MALFORMED, record.position,
                            "the record at byte %" PRIu64 " is beyond the code of its function",
                            record.position);
    if (!spgc_stackmap_statepoint_layout(&writer->section, blob, &record, &layout))
      result = add_point(writer, blob, function, &record);
    else
      ((struct spgc_flat_function *)
           writer->function.elements.data)[writer->function.elements.count - 1]
          .first_call++;
  }
  return result;
}

static enum spgc_result add_functions(struct flat_writer *writer) {
  for (uint64_t position = 0;;) {
    struct spgc_stackmap_blob blob;
    enum spgc_result result =
        spgc_stackmap_read_blob(&writer->section, &position, &blob, writer->error);
    if (result != SPGC_OK || blob.version == 0)
      return result;
    if (blob.version == 1)
      return spgc_error_set(writer->error, SPGC_ERROR_UNSUPPORTED, blob.position,
                            "a map of version 1 made flat");
    for (uint32_t i = 0; i < blob.function_count; i++) {
      struct spgc_stackmap_function function =
          spgc_stackmap_function_at(&writer->section, &blob, i);
      result = add_records(writer, &blob, &function, &position);
      if (result != SPGC_OK)
        return result;
    }
  }
}

static struct spgc_flat_base flat_base(const struct location *from) {
  unsigned flags = (from->in_register ? SPGC_FLAT_IN_REGISTER : 0u) |
                   (from->is_variable ? SPGC_FLAT_VARIABLE : 0u);
  return (struct spgc_flat_base){from->offset, from->words, from->reg, (uint8_t)flags};
}

static bool add_bases(struct flat_writer *writer, const struct frame_description *from,
                      struct spgc_flat_frame *frame) {
  struct array bases = {.element_size = sizeof(struct spgc_flat_base)};
  struct spgc_flat_base *to = spgc_array_append(&bases, from->base_count);
  for (uint32_t i = 0; i < from->base_count && to != NULL; i++)
    to[i] = flat_base(&from->bases[i]);
  frame->base_count = (uint16_t)from->base_count;
  bool added = to != NULL && spgc_flat_pool_add(&writer->base, to, bases.count, &frame->first_base);
  spgc_array_free(&bases);
  return added;
}

static bool add_derived(struct flat_writer *writer, const struct frame_description *from,
                        struct spgc_flat_frame *frame) {
  struct array derived = {.element_size = sizeof(struct spgc_flat_derived)};
  struct spgc_flat_derived *to = spgc_array_append(&derived, from->derived_count);
  for (uint32_t i = 0; i < from->derived_count && to != NULL; i++) {
    const struct derived_location *each = &from->derived[i];
    to[i] =
        (struct spgc_flat_derived){flat_base(&each->location), each->base, each->rewritten, {0}};
  }
  frame->derived_count = (uint16_t)from->derived_count;
  bool added =
      to != NULL && spgc_flat_pool_add(&writer->derived, to, derived.count, &frame->first_derived);
  spgc_array_free(&derived);
  return added;
}

static bool add_deopts(struct flat_writer *writer, const struct frame_description *from,
                       struct spgc_flat_frame *frame) {
  struct array deopts = {.element_size = sizeof(struct spgc_flat_deopt)};
  struct spgc_flat_deopt *to = spgc_array_append(&deopts, from->deopt_count);
  for (uint32_t i = 0; i < from->deopt_count && to != NULL; i++) {
    const struct deopt_location *each = &from->deopts[i];
    to[i] = (struct spgc_flat_deopt){each->kind, 0, each->size, each->reg, 0, each->value};
  }
  frame->deopt_count = (uint16_t)from->deopt_count;
  bool added =
      to != NULL && spgc_flat_pool_add(&writer->deopt, to, deopts.count, &frame->first_deopt);
  spgc_array_free(&deopts);
  return added;
}

static enum spgc_result add_call(struct flat_writer *writer, const struct frame_description *from) {
  struct spgc_flat_frame frame = {0};
  struct spgc_flat_call call = {
      .offset = offset_of(writer, from->return_address.word),
      .call_size = writer->code->call_size(writer->code->context, from->return_address.word),
      .flags = (uint8_t)from->flags,
  };
  struct spgc_flat_call *added = NULL;
  if (add_bases(writer, from, &frame) && add_derived(writer, from, &frame) &&
      add_deopts(writer, from, &frame) &&
      spgc_flat_pool_add(&writer->frame, &frame, 1, &call.frame) &&
      spgc_flat_pool_add(&writer->constant, &from->id, 1, &call.id))
    added = spgc_array_append(&writer->call.elements, 1);
  if (added == NULL)
    return no_memory(writer);
  *added = call;
  return SPGC_OK;
}

static enum spgc_result add_calls(struct flat_writer *writer) {
  const struct frame_description *frames = writer->contents.frames.data;
  enum spgc_result result = SPGC_OK;
  for (size_t i = 0; i < writer->contents.frames.count && result == SPGC_OK; i++)
    if (returns_to_code(writer, frames[i].return_address.word))
      result = add_call(writer, &frames[i]);
  return result;
}

/* Every sorted record starts with its offset. */
static int compare_offsets(const void *a, const void *b) {
  uint32_t left, right;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  return (left > right) - (left < right);
}

static void sort(struct flat_pool *pool) {
  if (pool->elements.count != 0)
    qsort(pool->elements.data, pool->elements.count, pool->elements.element_size, compare_offsets);
}

/* Notes the register that slots of a function's frames are relative to. If it is RBX for one slot,
 * it may be for all slots in frames of varying size. */
static void note_frame_register(const struct flat_writer *writer,
                                struct spgc_flat_function *function,
                                const struct spgc_flat_call *call) {
  const struct spgc_flat_frame *frame =
      (const struct spgc_flat_frame *)writer->frame.elements.data + call->frame;
  const struct spgc_flat_base *bases =
      (const struct spgc_flat_base *)writer->base.elements.data + frame->first_base;
  for (uint16_t i = 0; i < frame->base_count; i++)
    if ((bases[i].flags & SPGC_FLAT_IN_REGISTER) == 0 && bases[i].reg != DWARF_STACK_POINTER) {
      function->flags |= SPGC_FLAT_FRAME_POINTER;
      function->frame_register = bases[i].reg;
    }
}

static enum spgc_result settle_functions(struct flat_writer *writer) {
  struct spgc_flat_function *functions = writer->function.elements.data;
  const struct spgc_flat_call *calls = writer->call.elements.data;
  uint32_t first_call = 0, first_point = 0;
  for (size_t i = 0; i < writer->function.elements.count; i++) {
    uint32_t call_count = functions[i].first_call, point_count = functions[i].first_point;
    if (call_count > writer->call.elements.count - first_call)
      break;
    functions[i].first_call = first_call;
    functions[i].first_point = first_point;
    for (uint32_t k = 0; k < call_count; k++)
      note_frame_register(writer, &functions[i], &calls[first_call + k]);
    first_call += call_count;
    first_point += point_count;
  }
  if (first_call != writer->call.elements.count)
    return spgc_error_set(writer->error, SPGC_ERROR_MALFORMED, 0,
                          "a call that returns to the code of another function");
  return SPGC_OK;
}

static enum spgc_result assemble(struct flat_writer *writer, struct spgc_flat_header **map) {
  struct spgc_flat_header header = {.version = SPGC_FLAT_VERSION,
                                    .code_bytes = (uint32_t)writer->code->bytes};
  memcpy(header.magic, SPGC_FLAT_MAGIC, sizeof header.magic);
#define FLAT_ARRAY(type, name) header.name##_count = (uint32_t)writer->name.elements.count;
  FLAT_ARRAYS(FLAT_ARRAY)
#undef FLAT_ARRAY
  uint64_t bytes = flat_view_of(&header).bytes;
  if (bytes > UINT32_MAX)
    return spgc_error_set(writer->error, SPGC_ERROR_UNSUPPORTED, 0,
                          "a flat stack map of %" PRIu64 " bytes", bytes);
  header.bytes = (uint32_t)bytes;
  *map = calloc(1, bytes);
  if (*map == NULL)
    return no_memory(writer);
  **map = header;
  struct flat_view view = flat_view_of(*map);
#define FLAT_ARRAY(type, name)                                                                     \
  if (writer->name.elements.count != 0)                                                            \
    memcpy((void *)(uintptr_t)view.name, writer->name.elements.data,                               \
           writer->name.elements.count * sizeof(type));
  FLAT_ARRAYS(FLAT_ARRAY)
#undef FLAT_ARRAY
  return SPGC_OK;
}

static enum spgc_result fill(struct flat_writer *writer) {
  const struct record_owner_source unknown = {0};
  if (writer->code->bytes > UINT32_MAX)
    return spgc_error_set(writer->error, SPGC_ERROR_UNSUPPORTED, 0, "%" PRIu64 " bytes of code",
                          writer->code->bytes);
  enum spgc_result result = spgc_stackmap_parse(writer->section.bytes, writer->section.size,
                                                &unknown, NULL, &writer->contents, writer->error);
  if (result == SPGC_OK)
    result = add_functions(writer);
  if (result == SPGC_OK)
    result = add_calls(writer);
  return result;
}

enum spgc_result spgc_flat_stackmap_make(const void *section, size_t size,
                                         const struct spgc_flat_code *code,
                                         struct spgc_flat_header **map, struct spgc_error *error) {
  struct flat_writer writer = {
      .code = code, .section = {section, size, SPGC_LITTLE_ENDIAN}, .error = error};
#define FLAT_ARRAY(type, name) writer.name = spgc_flat_pool_of(sizeof(type));
  FLAT_ARRAYS(FLAT_ARRAY)
#undef FLAT_ARRAY
  enum spgc_result result = fill(&writer);
  if (result == SPGC_OK) {
    sort(&writer.function);
    sort(&writer.call);
    sort(&writer.point);
    result = settle_functions(&writer);
  }
  if (result == SPGC_OK)
    result = assemble(&writer, map);
#define FLAT_ARRAY(type, name) spgc_flat_pool_free(&writer.name);
  FLAT_ARRAYS(FLAT_ARRAY)
#undef FLAT_ARRAY
  spgc_stackmap_contents_free(&writer.contents);
  return result;
}
