#include "stackwalk/statepoint.h"

#include <stdlib.h>

#include "stackwalk/raw_items.h"
#include "support/fatal.h"

static inline struct spgc_stackmap_location location_at(const struct statepoint *statepoint,
                                                        uint32_t index) {
  return checked_location(statepoint->section, statepoint->blob, &statepoint->record, index);
}

/* A place that can be read and written while the frame is suspended. */
__attribute__((always_inline)) static inline enum spgc_result
writable_location(const struct spgc_stackmap_location *raw, struct location *location,
                  struct spgc_error *error) {
  if (raw->size == 0 || raw->size % WORD_SIZE != 0)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, raw->position, "a reference of %u bytes",
                          raw->size);
  bool in_register = raw->kind == SPGC_LOCATION_REGISTER;
  if (in_register && raw->size != WORD_SIZE)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, raw->position,
                          "a vector of references in register %u", raw->reg);
  if (!register_is_callee_saved(raw->reg) && (in_register || raw->reg != DWARF_STACK_POINTER))
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, raw->position,
                          "a reference that depends on register %u, which calls do not preserve",
                          raw->reg);
  *location = (struct location){.offset = in_register ? 0 : raw->offset,
                                .words = (uint16_t)(raw->size / WORD_SIZE),
                                .reg = (uint8_t)raw->reg,
                                .in_register = in_register};
  return SPGC_OK;
}

/* Constants and addresses of allocas never refer to a moving heap's objects. */
static inline bool is_immovable(const struct spgc_stackmap_location *location) {
  return location->kind != SPGC_LOCATION_REGISTER && location->kind != SPGC_LOCATION_INDIRECT;
}

/* Not compared field by field, as in statepoint_layout.c. */
static inline bool is_same(const struct spgc_stackmap_location *a,
                           const struct spgc_stackmap_location *b) {
  unsigned differ = ((unsigned)a->kind ^ (unsigned)b->kind) | (unsigned)(a->reg ^ b->reg) |
                    (unsigned)(a->size ^ b->size) | ((unsigned)a->offset ^ (unsigned)b->offset);
  return differ == 0;
}

/* The base must not be immovable. */
static inline enum spgc_result read_pair(const struct spgc_stackmap_location *base,
                                         const struct spgc_stackmap_location *derived,
                                         struct location_pair *pair, struct spgc_error *error) {
  struct location location;
  enum spgc_result result = writable_location(base, &location, error);
  if (result != SPGC_OK)
    return result;
  pair->base = location;
  pair->derived = location;
  if (is_same(base, derived) ||
      is_immovable(derived)) /* folded to a constant: the base must still be kept */
    return SPGC_OK;
  result = writable_location(derived, &pair->derived, error);
  if (result == SPGC_OK && pair->derived.words != pair->base.words)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, derived->position,
                          "a derived location of %u bytes with a base of %u bytes", derived->size,
                          base->size);
  return result;
}

static int64_t constant_at(const struct statepoint *statepoint, int32_t index) {
  return (int64_t)spgc_stackmap_constant_at(statepoint->section, statepoint->blob, (uint32_t)index);
}

static enum spgc_result read_run(const struct statepoint *statepoint,
                                 const struct spgc_stackmap_location *start,
                                 const struct spgc_stackmap_location *raw, struct location *run,
                                 struct spgc_error *error) {
  bool pooled = raw->kind == SPGC_LOCATION_CONSTANT_INDEX;
  int64_t code = pooled ? constant_at(statepoint, raw->offset) : raw->offset;
  uint16_t words = (uint16_t)code;
  int64_t offset = start->offset + (code >> SPGC_STACKMAP_RUN_OFFSET_SHIFT);
  if (start->kind != SPGC_LOCATION_DIRECT || words == 0 || code < 0 ||
      offset > INT32_MAX - words * WORD_SIZE)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, raw->position,
                          "a run of references in no variable");
  enum spgc_result result = writable_location(start, run, error);
  run->offset = (int32_t)offset;
  run->words = words;
  return result;
}

/* Advances *next past the pairs. */
static enum spgc_result read_variables(const struct statepoint *statepoint,
                                       struct location_pair **next, struct spgc_error *error) {
  const struct spgc_statepoint_layout *layout = &statepoint->layout;
  struct spgc_stackmap_location start = {.kind = SPGC_LOCATION_CONSTANT};
  bool is_private = false;
  enum spgc_result result = SPGC_OK;
  for (uint32_t i = 0; i < layout->variable_count && result == SPGC_OK; i++) {
    struct spgc_stackmap_location item = location_at(statepoint, layout->first_variable + i);
    if (item.kind == SPGC_LOCATION_DIRECT) {
      start = item;
      is_private = false;
      continue;
    }
    if (item.kind == SPGC_LOCATION_CONSTANT && item.offset == SPGC_STACKMAP_RUN_PRIVATE) {
      is_private = true;
      continue;
    }
    if (item.kind != SPGC_LOCATION_CONSTANT && item.kind != SPGC_LOCATION_CONSTANT_INDEX)
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, item.position,
                            "a variable that is not on the stack");
    result = read_run(statepoint, &start, &item, &(*next)->base, error);
    (*next)->base.is_variable = !is_private;
    (*next)->derived = (*next)->base;
    (*next)++;
  }
  return result;
}

static enum spgc_result collect_pairs(const struct statepoint *statepoint,
                                      struct location_pools *pools, struct spgc_error *error) {
  const struct spgc_statepoint_layout *layout = &statepoint->layout;
  pools->scratch.count = 0;
  struct location_pair *pairs = array_extend(
      &pools->scratch, layout->pair_count / 2 + layout->alloca_count + layout->variable_count);
  if (pairs == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, statepoint->record.position,
                          "cannot allocate locations: out of memory");
  struct location_pair *next = pairs;
  enum spgc_result result = SPGC_OK;
  for (uint32_t i = 0; i < layout->pair_count && result == SPGC_OK; i += 2) {
    struct spgc_stackmap_location base = location_at(statepoint, layout->first_pair + i);
    struct spgc_stackmap_location derived = location_at(statepoint, layout->first_pair + i + 1);
    if (!is_immovable(&base))
      result = read_pair(&base, &derived, next++, error);
  }
  for (uint32_t i = 0; i < layout->alloca_count && result == SPGC_OK; i++) {
    struct spgc_stackmap_location slot = location_at(statepoint, layout->first_alloca + i);
    result = writable_location(&slot, &next->base, error);
    next->base.is_variable = true;
    next->derived = next->base;
    next++;
  }
  if (result == SPGC_OK)
    result = read_variables(statepoint, &next, error);
  pools->scratch.count = (size_t)(next - pairs);
  return result;
}

static int compare_locations(const void *a, const void *b) {
  return location_compare(a, b);
}

/* Insertion sort, because slots are few and mostly in order. */
static void sort_locations(struct location *locations, size_t count) {
  enum { FEW = 16 };
  if (count > FEW) {
    qsort(locations, count, sizeof *locations, compare_locations);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    struct location moved = locations[i];
    size_t place = i;
    for (; place > 0 && location_compare(&locations[place - 1], &moved) > 0; place--)
      locations[place] = locations[place - 1];
    locations[place] = moved;
  }
}

static int compare_derived_locations(const void *a, const void *b) {
  const struct derived_location *left = a, *right = b;
  int order = location_compare(&left->location, &right->location);
  return order != 0 ? order : (left->base > right->base) - (left->base < right->base);
}

static int compare_derived_bases(const void *a, const void *b) {
  const struct derived_location *left = a, *right = b;
  if (left->base != right->base)
    return left->base < right->base ? -1 : 1;
  return location_compare(&left->location, &right->location);
}

static enum spgc_result clash(const struct statepoint *statepoint, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_MALFORMED, statepoint->record.locations,
                        "two references overlap without being the same location");
}

static enum spgc_result append_bases(const struct statepoint *statepoint,
                                     struct location_pools *pools, struct frame_description *frame,
                                     struct spgc_error *error) {
  const struct location_pair *pairs = pools->scratch.data;
  size_t count = pools->scratch.count;
  struct location *bases = array_extend(&pools->bases, count);
  if (bases == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, statepoint->record.position,
                          "cannot allocate locations: out of memory");
  for (size_t i = 0; i < count; i++)
    bases[i] = pairs[i].base;
  sort_locations(bases, count);
  uint32_t distinct = 0;
  for (size_t i = 0; i < count; i++) {
    if (distinct > 0 && location_equal(&bases[distinct - 1], &bases[i]))
      continue;
    if (distinct > 0 && location_clash(&bases[distinct - 1], &bases[i]))
      return clash(statepoint, error);
    bases[distinct++] = bases[i];
  }
  pools->bases.count -= count - distinct;
  frame->base_count = distinct;
  return SPGC_OK;
}

static uint32_t base_index(const struct location *bases, uint32_t count,
                           const struct location *base) {
  const struct location *found = bsearch(base, bases, count, sizeof *bases, compare_locations);
  spgc_require(found != NULL, "a base at register %u offset %d is not among the bases", base->reg,
               base->offset);
  return (uint32_t)(found - bases);
}

/* Bases are sorted and disjoint, so only neighbours can overlap. */
static bool clashes_with_a_base(const struct location *bases, uint32_t count,
                                const struct location *location) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (location_compare(&bases[middle], location) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return (low < count && location_clash(&bases[low], location)) ||
         (low > 0 && location_clash(&bases[low - 1], location));
}

/* The walker writes each derived location once, and no base. If a location derives from two bases,
 * both are copies of one reference, so either will do. */
static bool mark_rewritten(const struct location *bases, uint32_t base_count,
                           struct derived_location *derived, uint32_t count) {
  if (count == 0)
    return true;
  qsort(derived, count, sizeof *derived, compare_derived_locations);
  for (uint32_t i = 0; i < count; i++) {
    const struct location *location = &derived[i].location;
    if (clashes_with_a_base(bases, base_count, location))
      return false;
    if (i > 0 && location_clash(&derived[i - 1].location, location))
      return false;
    bool listed_before = i > 0 && location_equal(&derived[i - 1].location, location);
    bool is_base = bsearch(location, bases, base_count, sizeof *bases, compare_locations) != NULL;
    derived[i].rewritten = !listed_before && !is_base;
  }
  qsort(derived, count, sizeof *derived, compare_derived_bases);
  return true;
}

static enum spgc_result append_derived(const struct statepoint *statepoint,
                                       struct location_pools *pools,
                                       struct frame_description *frame, struct spgc_error *error) {
  const struct location_pair *pairs = pools->scratch.data;
  const struct location *bases =
      (const struct location *)pools->bases.data + pools->bases.count - frame->base_count;
  size_t pair_count = pools->scratch.count;
  size_t differing = 0;
  for (size_t i = 0; i < pair_count; i++)
    differing += !location_equal(&pairs[i].base, &pairs[i].derived);
  frame->derived_count = (uint32_t)differing;
  if (differing == 0)
    return SPGC_OK;
  struct derived_location *derived = spgc_array_append(&pools->derived, differing);
  if (derived == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, statepoint->record.position,
                          "cannot allocate locations: out of memory");
  uint32_t count = 0;
  for (size_t i = 0; i < pair_count; i++) {
    if (location_equal(&pairs[i].base, &pairs[i].derived))
      continue;
    derived[count++] = (struct derived_location){
        .location = pairs[i].derived, .base = base_index(bases, frame->base_count, &pairs[i].base)};
  }
  return mark_rewritten(bases, frame->base_count, derived, count) ? SPGC_OK
                                                                  : clash(statepoint, error);
}

static enum spgc_result append_deopts(const struct statepoint *statepoint,
                                      struct location_pools *pools, struct frame_description *frame,
                                      struct spgc_error *error) {
  uint32_t count = statepoint->layout.deopt_count;
  frame->deopt_count = count;
  if (count == 0)
    return SPGC_OK;
  struct deopt_location *deopts = spgc_array_append(&pools->deopts, count);
  if (deopts == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, statepoint->record.position,
                          "cannot allocate deopt locations: out of memory");
  for (uint32_t i = 0; i < count; i++) {
    struct spgc_stackmap_location raw = location_at(statepoint, statepoint->layout.first_deopt + i);
    bool pooled = raw.kind == SPGC_LOCATION_CONSTANT_INDEX;
    deopts[i] =
        (struct deopt_location){.kind = (uint8_t)(pooled ? SPGC_LOCATION_CONSTANT : raw.kind),
                                .size = raw.size,
                                .reg = raw.reg,
                                .value = pooled ? constant_at(statepoint, raw.offset) : raw.offset};
  }
  return SPGC_OK;
}

/* False if it overlaps another. */
static inline bool insert_base(struct location *bases, uint32_t *count, struct location added) {
  uint32_t place = *count;
  while (place > 0 && location_compare(&bases[place - 1], &added) > 0)
    place--;
  if (place > 0 && location_equal(&bases[place - 1], &added))
    return true;
  if ((place > 0 && location_clash(&bases[place - 1], &added)) ||
      (place < *count && location_clash(&added, &bases[place])))
    return false;
  for (uint32_t i = (*count)++; i > place; i--)
    bases[i] = bases[i - 1];
  bases[place] = added;
  return true;
}

/* A base listed as its own derived location, as nearly all are, in a register or one slot. */
static inline bool is_plain(const struct raw_location *base, const struct raw_location *derived) {
  bool in_register = base->kind == SPGC_LOCATION_REGISTER;
  return memcmp(base, derived, sizeof *base) == 0 && base->size == WORD_SIZE &&
         (register_is_callee_saved(base->reg) ||
          (base->reg == DWARF_STACK_POINTER && !in_register));
}

/* False, without a change, unless all bases are plain. */
static bool append_plain_bases(const struct statepoint *statepoint, struct location_pools *pools,
                               struct frame_description *frame) {
  const struct spgc_statepoint_layout *layout = &statepoint->layout;
  uint32_t pairs = layout->pair_count / 2, count = 0;
  if (layout->deopt_count + layout->variable_count + layout->alloca_count != 0 ||
      !items_are_raw(statepoint->section, statepoint->blob))
    return false;
  const size_t before = pools->bases.count;
  struct location *bases = array_extend(&pools->bases, pairs);
  bool plain = bases != NULL;
  for (uint32_t i = 0; i < pairs && plain; i++) {
    struct raw_location pair[2];
    raw_locations_copy(pair, 2, statepoint->section, &statepoint->record,
                       layout->first_pair + 2 * i);
    bool in_register = pair[0].kind == SPGC_LOCATION_REGISTER;
    if (!in_register && pair[0].kind != SPGC_LOCATION_INDIRECT)
      continue;
    plain = is_plain(&pair[0], &pair[1]) &&
            insert_base(bases, &count,
                        (struct location){.offset = in_register ? 0 : pair[0].offset,
                                          .words = 1,
                                          .reg = (uint8_t)pair[0].reg,
                                          .in_register = in_register});
  }
  pools->bases.count = plain ? before + count : before;
  frame->base_count = count;
  return plain;
}

enum spgc_result spgc_statepoint_decode(const struct statepoint *statepoint,
                                        struct location_pools *pools,
                                        struct frame_description *frame, struct spgc_error *error) {
  frame->flags = statepoint->layout.flags;
  if (append_plain_bases(statepoint, pools, frame))
    return SPGC_OK;
  enum spgc_result result = append_deopts(statepoint, pools, frame, error);
  if (result == SPGC_OK)
    result = collect_pairs(statepoint, pools, error);
  if (result == SPGC_OK)
    result = append_bases(statepoint, pools, frame, error);
  if (result == SPGC_OK)
    result = append_derived(statepoint, pools, frame, error);
  return result;
}
