/* Roots of any frame, by its description. */
#include <inttypes.h>

#include "stackwalk/walk.h"
#include "support/fatal.h"

uintptr_t spgc_visit_saved_register(const struct visit *visit, unsigned reg) {
  uintptr_t place = visit->suspended->origins[register_origin(reg)].word;
  spgc_require(place >= visit->walk->lowest.word,
               "register %u, which the frame at 0x%" PRIxPTR " needs, was not saved on the stack",
               reg, visit->frame.return_address);
  return place;
}

uintptr_t spgc_visit_register(const struct visit *visit, unsigned reg) {
  return reg == DWARF_STACK_POINTER ? visit->frame.stack_pointer
                                    : *(const uintptr_t *)spgc_visit_saved_register(visit, reg);
}

uintptr_t spgc_visit_stack_place(const struct visit *visit, unsigned reg, intptr_t offset,
                                 uintptr_t size) {
  const struct walk *walk = visit->walk;
  uintptr_t address = spgc_visit_register(visit, reg) + (uintptr_t)offset;
  spgc_require(address >= walk->lowest.word && address < walk->limit.word &&
                   size <= walk->limit.word - address,
               "slot 0x%" PRIxPTR " of the frame at 0x%" PRIxPTR " is outside the stack", address,
               visit->frame.return_address);
  return address;
}

struct spgc_slot spgc_visit_locate(const struct visit *visit, const struct location *location) {
  uintptr_t size = (uintptr_t)location->words * WORD_SIZE;
  uintptr_t address = location->in_register
                          ? spgc_visit_saved_register(visit, location->reg)
                          : spgc_visit_stack_place(visit, location->reg, location->offset, size);
  spgc_require(address % WORD_SIZE == 0,
               "slot 0x%" PRIxPTR " of the frame at 0x%" PRIxPTR " is not aligned", address,
               visit->frame.return_address);
  return spgc_slot_at((void *)address);
}

static struct spgc_slot lane_of(struct spgc_slot slot, uint32_t lane) {
  return spgc_slot_at(slot.location + lane);
}

static void report_lanes(const struct visit *visit, const struct location *base,
                         const struct location *derived) {
  const struct spgc_stack_visitor *visitor = visit->walk->visitor;
  struct spgc_slot base_slot = spgc_visit_locate(visit, base);
  struct spgc_slot derived_slot = spgc_visit_locate(visit, derived);
  for (uint32_t lane = 0; lane < base->words; lane++) {
    struct spgc_root root = {.base = lane_of(base_slot, lane),
                             .derived = lane_of(derived_slot, lane),
                             .base_in_register = base->in_register,
                             .derived_in_register = derived->in_register,
                             .base_register = base->reg,
                             .derived_register = derived->reg};
    visitor->root(visitor->context, &visit->frame, &root);
  }
}

static bool is_left_out(const struct visit *visit, const struct location *base) {
  return base->is_variable && visit->walk->without_variables;
}

static void report_roots(const struct visit *visit) {
  const struct frame_description *description = visit->description;
  for (uint32_t i = 0; i < description->base_count; i++)
    if (!is_left_out(visit, &description->bases[i]))
      report_lanes(visit, &description->bases[i], &description->bases[i]);
  for (uint32_t i = 0; i < description->derived_count; i++)
    report_lanes(visit, &description->bases[description->derived[i].base],
                 &description->derived[i].location);
}

static void count_base(struct walk *walk, const struct location *base) {
  if (base->in_register)
    walk->counts.roots_in_registers++;
  else
    walk->counts.roots_in_slots += base->words;
}

static void shift_derived(const struct visit *visit, const struct derived_location *derived,
                          uint32_t lane, uintptr_t shift) {
  struct spgc_slot slot = lane_of(spgc_visit_locate(visit, &derived->location), lane);
  slot.location->word += shift;
  visit->walk->counts.registers_rewritten += derived->location.in_register;
}

static void move_base(const struct visit *visit, const struct location *base,
                      const struct derived_location *derived, uint32_t derived_count) {
  const struct spgc_stack_visitor *visitor = visit->walk->visitor;
  struct spgc_slot first = spgc_visit_locate(visit, base);
  for (uint32_t lane = 0; lane < base->words; lane++) {
    struct spgc_slot slot = lane_of(first, lane);
    uintptr_t old = spgc_slot_load(slot).word;
    visitor->bases(visitor->context, &slot, 1);
    uintptr_t shift = spgc_slot_load(slot).word - old;
    if (shift == 0)
      continue;
    visit->walk->counts.registers_rewritten += base->in_register;
    for (uint32_t i = 0; i < derived_count; i++)
      if (derived[i].rewritten)
        shift_derived(visit, &derived[i], lane, shift);
  }
}

static void visit_base(const struct visit *visit, const struct location *base,
                       const struct derived_location *derived, uint32_t derived_count) {
  count_base(visit->walk, base);
  if (visit->walk->visitor->bases != NULL)
    move_base(visit, base, derived, derived_count);
}

static void visit_bases(const struct visit *visit) {
  const struct frame_description *description = visit->description;
  uint32_t first = 0;
  for (uint32_t i = 0; i < description->base_count; i++) {
    uint32_t end = first;
    while (end < description->derived_count && description->derived[end].base == i)
      end++;
    if (!is_left_out(visit, &description->bases[i]))
      visit_base(visit, &description->bases[i], description->derived + first, end - first);
    first = end;
  }
}

static void note_variables(const struct visit *visit) {
  const struct frame_description *description = visit->description;
  for (uint32_t i = 0; i < description->base_count; i++) {
    const struct location *base = &description->bases[i];
    if (base->is_variable)
      spgc_stack_variables_meet(visit->walk->variables, spgc_visit_locate(visit, base),
                                base->words);
  }
}

void spgc_visit_roots(const struct visit *visit) {
  if (visit->walk->visitor->root != NULL)
    report_roots(visit);
  visit_bases(visit);
  if (visit->walk->variables != NULL)
    note_variables(visit);
  if (visit->walk->visitor->deopt != NULL)
    spgc_visit_deopt(visit);
}

void spgc_visit_reject(struct walk *walk, const struct frame_entry *entry,
                       const struct spgc_frame *frame, const struct suspended_frame *suspended) {
  struct entry_description room;
  const struct visit visit = {walk, spgc_frame_entry_description(entry, &room), suspended, *frame};
  for (uint32_t i = 0; i < visit.description->base_count; i++)
    spgc_visit_locate(&visit, &visit.description->bases[i]);
  spgc_fatal("the roots of the frame at 0x%" PRIxPTR " are not those of its description",
             frame->return_address);
}
