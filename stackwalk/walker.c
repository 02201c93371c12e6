/* The reference walker: libunwind steps out of the C frames, and says where each saved callee-saved register is.
 *
 *    higher addresses
 *   +------------------------+ <- base: the walk ends at the first frame whose stack pointer reaches it
 *   | C frame                |
 *   +------------------------+
 *   | managed frame          |   slots: stack pointer (or RBP, RBX) + offset
 *   +------------------------+ <- its stack pointer
 *   | C frame                |   may have saved R12, which the managed frame's record names
 *   +------------------------+
 *   | spgc_walk_stack        |   saved every callee-saved register nobody else had
 *   +------------------------+ <- lowest
 */
#define UNW_LOCAL_ONLY
#include <inttypes.h>
#include <libunwind.h>

#include "spgc/stackwalk.h"
#include "stackwalk/frame_table.h"
#include "stackwalk/unmanaged_code.h"
#include "support/fatal.h"

_Static_assert((int)UNW_X86_64_RBX == (int)DWARF_RBX && (int)UNW_X86_64_RBP == (int)DWARF_RBP &&
                   (int)UNW_X86_64_RSP == (int)DWARF_RSP && (int)UNW_X86_64_R12 == (int)DWARF_R12 &&
                   (int)UNW_X86_64_R15 == (int)DWARF_R15,
               "libunwind numbers registers as DWARF does");

struct walk {
  const struct spgc_stack_visitor *visitor;
  const unw_context_t *context;
  struct stack_address lowest; /* of the frame the walk started in */
  struct stack_address base;
  struct spgc_walk_counts counts;
  unw_cursor_t cursor; /* at the frame being looked at */
};

/* A managed frame being visited. */
struct visit {
  struct walk *walk;
  const struct frame_description *description;
  struct spgc_frame frame;
};

static uintptr_t frame_register(struct walk *walk, int reg) {
  unw_word_t value;
  int status = unw_get_reg(&walk->cursor, reg, &value);
  spgc_require(status == 0, "libunwind cannot read register %d: %s", reg, unw_strerror(status));
  return (uintptr_t)value;
}

/* Where the frame's register was saved by a frame it called. A place inside the captured context would be lost: no one
 * reloads the register from there. */
static uintptr_t saved_register(const struct visit *visit, int reg) {
  struct walk *walk = visit->walk;
  unw_save_loc_t saved;
  int status = unw_get_save_loc(&walk->cursor, reg, &saved);
  spgc_require(status == 0 && saved.type == UNW_SLT_MEMORY,
               "register %d, a root of the frame at 0x%" PRIxPTR ", was not saved in memory", reg,
               visit->frame.return_address);
  uintptr_t address = (uintptr_t)saved.u.addr;
  uintptr_t context = (uintptr_t)walk->context;
  spgc_require(address < context || address >= context + sizeof *walk->context,
               "register %d, a root of the frame at 0x%" PRIxPTR ", was saved in the walker's context only", reg,
               visit->frame.return_address);
  spgc_require(address >= walk->lowest.word && address < visit->frame.stack_pointer,
               "register %d, a root of the frame at 0x%" PRIxPTR ", was saved at 0x%" PRIxPTR ", not on the stack", reg,
               visit->frame.return_address, address);
  return address;
}

static uintptr_t stack_slot(const struct visit *visit, const struct location *location) {
  struct walk *walk = visit->walk;
  uintptr_t from = location->reg == DWARF_RSP ? visit->frame.stack_pointer : frame_register(walk, location->reg);
  uintptr_t address = from + (uintptr_t)(intptr_t)location->offset;
  uintptr_t size = (uintptr_t)location->words * WORD_SIZE;
  spgc_require(address >= walk->lowest.word && address < walk->base.word && size <= walk->base.word - address,
               "slot 0x%" PRIxPTR " of the frame at 0x%" PRIxPTR " is outside the stack", address,
               visit->frame.return_address);
  return address;
}

/* The first word of the run; word k follows at location + k. */
static struct spgc_slot resolve(const struct visit *visit, const struct location *location) {
  uintptr_t address = location->in_register ? saved_register(visit, location->reg) : stack_slot(visit, location);
  spgc_require(address % WORD_SIZE == 0, "slot 0x%" PRIxPTR " of the frame at 0x%" PRIxPTR " is not aligned", address,
               visit->frame.return_address);
  return spgc_slot_at((void *)address);
}

static struct spgc_slot lane_of(struct spgc_slot slot, uint32_t lane) {
  return spgc_slot_at(slot.location + lane);
}

static void report_lanes(const struct visit *visit, const struct location *base, const struct location *derived) {
  const struct spgc_stack_visitor *visitor = visit->walk->visitor;
  struct spgc_slot base_slot = resolve(visit, base);
  struct spgc_slot derived_slot = resolve(visit, derived);
  for (uint32_t lane = 0; lane < base->words; lane++) {
    struct spgc_root root = {.base = lane_of(base_slot, lane),
                             .derived = lane_of(derived_slot, lane),
                             .base_in_register = base->in_register,
                             .derived_in_register = derived->in_register};
    visitor->root(visitor->context, &visit->frame, &root);
  }
}

static void report_roots(const struct visit *visit) {
  const struct frame_description *description = visit->description;
  for (uint32_t i = 0; i < description->base_count; i++)
    report_lanes(visit, &description->bases[i], &description->bases[i]);
  for (uint32_t i = 0; i < description->derived_count; i++)
    report_lanes(visit, &description->bases[description->derived[i].base], &description->derived[i].location);
}

static void count_base(struct walk *walk, const struct location *base) {
  if (base->in_register)
    walk->counts.roots_in_registers++;
  else
    walk->counts.roots_in_slots += base->words;
}

/* new derived = new base + (old derived - old base) */
static void shift_derived(const struct visit *visit, const struct derived_location *derived, uint32_t lane,
                          uintptr_t shift) {
  struct spgc_slot slot = lane_of(resolve(visit, &derived->location), lane);
  slot.location->word += shift;
  visit->walk->counts.registers_rewritten += derived->location.in_register;
}

/* Moves the base's lanes and what derives from them. `derived` are those of this base. */
static void move_base(const struct visit *visit, const struct location *base, const struct derived_location *derived,
                      uint32_t derived_count) {
  const struct spgc_stack_visitor *visitor = visit->walk->visitor;
  struct spgc_slot first = resolve(visit, base);
  for (uint32_t lane = 0; lane < base->words; lane++) {
    struct spgc_slot slot = lane_of(first, lane);
    uintptr_t old = spgc_slot_load(slot).word;
    visitor->base(visitor->context, &visit->frame, slot, base->in_register);
    uintptr_t shift = spgc_slot_load(slot).word - old;
    if (shift == 0)
      continue;
    visit->walk->counts.registers_rewritten += base->in_register;
    for (uint32_t i = 0; i < derived_count; i++)
      if (derived[i].rewritten)
        shift_derived(visit, &derived[i], lane, shift);
  }
}

static void visit_bases(const struct visit *visit) {
  const struct frame_description *description = visit->description;
  uint32_t first = 0;
  for (uint32_t i = 0; i < description->base_count; i++) {
    uint32_t end = first;
    while (end < description->derived_count && description->derived[end].base == i)
      end++;
    count_base(visit->walk, &description->bases[i]);
    if (visit->walk->visitor->base != NULL)
      move_base(visit, &description->bases[i], description->derived + first, end - first);
    first = end;
  }
}

/* False when the visitor ends the walk. */
static bool visit_managed_frame(struct walk *walk, const struct frame_description *description,
                                struct stack_address stack_pointer) {
  const struct spgc_stack_visitor *visitor = walk->visitor;
  struct visit visit = {.walk = walk,
                        .description = description,
                        .frame = {.return_address = description->return_address.word,
                                  .stack_pointer = stack_pointer.word,
                                  .statepoint_id = description->id,
                                  .statepoint_flags = description->flags}};
  walk->counts.managed_frames++;
  if (visitor->frame != NULL && !visitor->frame(visitor->context, &visit.frame))
    return false;
  if (visitor->root != NULL)
    report_roots(&visit);
  visit_bases(&visit);
  return true;
}

/* A frame without a record must be C: it has unwind information (without it libunwind would guess, and might step over
 * managed frames), and is not of a function that a live map lists. Maps give only starts of functions, so the extent
 * comes from the unwind information. */
static void require_unmanaged(struct walk *walk, struct return_address address) {
  if (spgc_unmanaged_code_is_known(address))
    return;
  unw_proc_info_t function;
  int status = unw_get_proc_info(&walk->cursor, &function);
  /* For code it knows nothing of, libunwind answers with this one-byte function. */
  bool unknown = status != 0 || (function.start_ip == address.word && function.end_ip == address.word + 1);
  spgc_require(!unknown, "no unwind information for the frame at 0x%" PRIxPTR ": frames above it would be missed",
               address.word);
  struct function_address start = {(uintptr_t)function.start_ip};
  spgc_require(!spgc_frame_table_has_function(start),
               "return address 0x%" PRIxPTR " of the managed function at 0x%" PRIxPTR " has no stack map record",
               address.word, start.word);
  spgc_unmanaged_code_remember(address);
}

static void walk_frames(struct walk *walk) {
  for (;;) {
    int status = unw_step(&walk->cursor);
    spgc_require(status > 0, "the stack walk ended (%d) after %" PRIu64 " frames, before its base 0x%" PRIxPTR, status,
                 walk->counts.frames, walk->base.word);
    struct stack_address stack_pointer = {frame_register(walk, UNW_X86_64_RSP)};
    if (stack_pointer.word >= walk->base.word)
      return;
    walk->counts.frames++;
    struct return_address address = {frame_register(walk, UNW_X86_64_RIP)};
    const struct frame_description *description = spgc_frame_table_find(address);
    if (description == NULL)
      require_unmanaged(walk, address);
    else if (!visit_managed_frame(walk, description, stack_pointer))
      return;
  }
}

/* Saves every callee-saved register in its own frame, so that each has a place on the stack from which the frames that
 * called reload it. */
__attribute__((noinline)) void spgc_walk_stack(void *base, const struct spgc_stack_visitor *visitor,
                                               struct spgc_walk_counts *counts) {
  __builtin_unwind_init();
  unw_context_t context;
  struct walk walk = {.visitor = visitor, .context = &context, .base = {(uintptr_t)base}};
  int status = unw_getcontext(&context);
  if (status == 0)
    status = unw_init_local(&walk.cursor, &context);
  spgc_require(status == 0, "libunwind cannot start a walk: %s", unw_strerror(status));
  walk.lowest.word = frame_register(&walk, UNW_X86_64_RSP);
  spgc_require(walk.lowest.word < walk.base.word, "base 0x%" PRIxPTR " lies below the stack pointer", walk.base.word);
  walk_frames(&walk);
  if (counts != NULL)
    *counts = walk.counts;
}
