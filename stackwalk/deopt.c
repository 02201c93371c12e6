#include <string.h>

#include "spgc/stackmap_reader.h"
#include "stackwalk/walk.h"

static bool register_is_known(unsigned reg) {
  return reg == DWARF_STACK_POINTER || register_is_callee_saved(reg);
}

static void read_stored(uintptr_t place, struct spgc_deopt_value *value) {
  value->kind = SPGC_DEOPT_STORED;
  value->place = (const void *)place;
  memcpy(&value->word, value->place,
         value->size < sizeof value->word ? value->size : sizeof value->word);
}

/* A larger size than a word means a vector register, whose value is unknown. */
static void read_register(const struct visit *visit, unsigned reg, struct spgc_deopt_value *value) {
  if (register_is_callee_saved(reg) && value->size <= WORD_SIZE)
    read_stored(spgc_visit_saved_register(visit, reg), value);
}

static void read_value(const struct visit *visit, const struct deopt_location *location,
                       struct spgc_deopt_value *value) {
  switch ((enum spgc_location_kind)location->kind) {
  case SPGC_LOCATION_REGISTER: read_register(visit, location->reg, value); return;
  case SPGC_LOCATION_DIRECT:
    if (!register_is_known(location->reg))
      return;
    value->kind = SPGC_DEOPT_ADDRESS;
    value->word = spgc_visit_register(visit, location->reg) + (uint64_t)location->value;
    return;
  case SPGC_LOCATION_INDIRECT:
    if (register_is_known(location->reg))
      read_stored(
          spgc_visit_stack_place(visit, location->reg, (intptr_t)location->value, value->size),
          value);
    return;
  case SPGC_LOCATION_CONSTANT:
  case SPGC_LOCATION_CONSTANT_INDEX:
    value->kind = SPGC_DEOPT_CONSTANT;
    value->word = (uint64_t)location->value;
    return;
  }
}

void spgc_visit_deopt(const struct visit *visit) {
  const struct spgc_stack_visitor *visitor = visit->walk->visitor;
  const struct frame_description *description = visit->description;
  for (uint32_t i = 0; i < description->deopt_count; i++) {
    const struct deopt_location *location = &description->deopts[i];
    struct spgc_deopt_value value = {.index = i,
                                     .count = description->deopt_count,
                                     .kind = SPGC_DEOPT_LOST,
                                     .size = location->size};
    read_value(visit, location, &value);
    visitor->deopt(visitor->context, &visit->frame, &value);
  }
}
