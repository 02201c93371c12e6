#include "stackwalk/frame_description.h"

static bool base_equal(const struct location *a, const struct location *b) {
  return location_equal(a, b) && a->is_variable == b->is_variable;
}

static bool derived_equal(const struct derived_location *a, const struct derived_location *b) {
  return location_equal(&a->location, &b->location) && a->base == b->base &&
         a->rewritten == b->rewritten;
}

static bool deopt_equal(const struct deopt_location *a, const struct deopt_location *b) {
  return a->kind == b->kind && a->size == b->size && a->reg == b->reg && a->value == b->value;
}

bool spgc_frame_description_equal(const struct frame_description *a,
                                  const struct frame_description *b) {
  bool equal = a->return_address.word == b->return_address.word && a->id == b->id &&
               a->flags == b->flags && a->base_count == b->base_count &&
               a->derived_count == b->derived_count && a->deopt_count == b->deopt_count;
  for (uint32_t i = 0; equal && i < a->base_count; i++)
    equal = base_equal(&a->bases[i], &b->bases[i]);
  for (uint32_t i = 0; equal && i < a->derived_count; i++)
    equal = derived_equal(&a->derived[i], &b->derived[i]);
  for (uint32_t i = 0; equal && i < a->deopt_count; i++)
    equal = deopt_equal(&a->deopts[i], &b->deopts[i]);
  return equal;
}
