#include "stackwalk/simple_frames.h"

#include "stackwalk/entry_roots.h"

enum { BATCH_ROOTS = 128 };

/* Has room for one more frame's bases. Old values of registers are kept to count rewritten ones. */
struct root_batch {
  unsigned slot_count, register_count;
  struct spgc_slot slots[BATCH_ROOTS + ENTRY_SLOT_WORDS];
  struct spgc_slot registers[BATCH_ROOTS + CALLEE_SAVED_REGISTERS];
  uintptr_t values[BATCH_ROOTS + CALLEE_SAVED_REGISTERS];
};

/* Consecutive frames with one return address, all roots of which are at fixed distances from the
 * stack pointer, because each saves every register that holds a root in the frame below. */
struct repetition {
  uintptr_t frame_bytes;
  /* All roots are on the walked stack while the stack pointer is in [lowest_pointer, lowest_pointer
   * + pointers]. */
  uintptr_t lowest_pointer, pointers;
  unsigned slot_count, register_count;
  intptr_t slots[ENTRY_SLOT_WORDS], registers[CALLEE_SAVED_REGISTERS];
};

__attribute__((noinline)) static void deliver_slots(struct walk *walk, struct root_batch *batch) {
  walk->visitor->bases(walk->visitor->context, batch->slots, batch->slot_count);
  walk->counts.roots_in_slots += batch->slot_count;
  batch->slot_count = 0;
}

__attribute__((noinline)) static void deliver_registers(struct walk *walk,
                                                        struct root_batch *batch) {
  walk->visitor->bases(walk->visitor->context, batch->registers, batch->register_count);
  for (unsigned i = 0; i < batch->register_count; i++)
    walk->counts.registers_rewritten +=
        spgc_slot_load(batch->registers[i]).word != batch->values[i];
  walk->counts.roots_in_registers += batch->register_count;
  batch->register_count = 0;
}

static inline void deliver_over(struct walk *walk, struct root_batch *batch, unsigned most) {
  if (batch->slot_count > most)
    deliver_slots(walk, batch);
  if (batch->register_count > most)
    deliver_registers(walk, batch);
}

__attribute__((cold, noinline, noreturn)) static void
reject(struct walk *walk, const struct frame_entry *entry, uintptr_t stack_pointer,
       const struct suspended_frame *suspended) {
  const struct spgc_frame frame = {.return_address = entry->return_address.word,
                                   .stack_pointer = stack_pointer};
  spgc_visit_reject(walk, entry, &frame, suspended);
}

__attribute__((always_inline)) static inline void
collect_roots(struct walk *walk, const struct frame_entry *entry, uintptr_t stack_pointer,
              struct suspended_frame *suspended, struct root_batch *batch) {
  unsigned slots = 0, registers = 0;
  if ((entry->registers != 0 &&
       !entry_registers_locate(walk, entry, suspended, batch->registers + batch->register_count,
                               batch->values + batch->register_count, &registers)) ||
      !entry_slots_locate(walk, entry, stack_pointer, suspended, batch->slots + batch->slot_count,
                          &slots))
    reject(walk, entry, stack_pointer, suspended);
  batch->slot_count += slots;
  batch->register_count += registers;
}

/* False unless all roots are at fixed distances from the stack pointer. */
static bool find_repetition(const struct walk *walk, const struct frame_entry *entry,
                            struct unwind_plan unwind_plan, struct repetition *repetition) {
  uint64_t words = frame_entry_slot_words(entry);
  if (words != 0 && entry->slot_origin != ORIGIN_STACK_POINTER)
    return false;
  unsigned slots = 0, registers = 0;
  intptr_t least = 0, most = 0, first = frame_entry_first_slot(entry);
  for (unsigned left = entry->registers; left != 0; left &= left - 1) {
    intptr_t place = unwind_plan_saved_at(unwind_plan, (enum origin)__builtin_ctz(left));
    if (place == 0)
      return false;
    least = place < least ? place : least;
    repetition->registers[registers++] = place;
  }
  for (; words != 0; words &= words - 1) {
    most = first + (intptr_t)__builtin_ctzll(words) * WORD_SIZE;
    repetition->slots[slots++] = most;
  }
  least = slots != 0 && first < least ? first : least;
  repetition->slot_count = slots;
  repetition->register_count = registers;
  repetition->frame_bytes = unwind_plan_outer_pointer(unwind_plan, 0);
  repetition->lowest_pointer = walk->lowest.word - (uintptr_t)least;
  repetition->pointers =
      walk->limit.word - WORD_SIZE - (uintptr_t)most - repetition->lowest_pointer;
  return true;
}

static inline void collect_repeated(const struct repetition *repetition, uintptr_t stack_pointer,
                                    struct root_batch *batch) {
  struct spgc_slot *slots = batch->slots + batch->slot_count;
  for (unsigned i = 0; i < repetition->slot_count; i++)
    slots[i] = spgc_slot_at((void *)(stack_pointer + (uintptr_t)repetition->slots[i]));
  batch->slot_count += repetition->slot_count;
  for (unsigned i = 0; i < repetition->register_count; i++) {
    uintptr_t place = stack_pointer + (uintptr_t)repetition->registers[i];
    batch->registers[batch->register_count] = spgc_slot_at((void *)place);
    batch->values[batch->register_count++] = *(const uintptr_t *)place;
  }
}

/* Leaves out the outermost frame. The frame before must have the same return address. Returns the
 * number visited. */
__attribute__((noinline)) static uint64_t
visit_repetition(struct walk *walk, struct stepper *stepper, const struct frame_entry *entry,
                 uintptr_t stack_pointer, uint64_t most, struct root_batch *batch) {
  const struct unwind_plan unwind_plan = frame_entry_unwind_plan(entry);
  const uintptr_t address = entry->return_address.word;
  struct repetition repetition;
  uint64_t met = 0;
  if (!find_repetition(walk, entry, unwind_plan, &repetition))
    return 0;
  for (; met < most && stepper_has_frame_at(stepper, stack_pointer) &&
         stack_pointer - repetition.lowest_pointer <= repetition.pointers;
       met++) {
    uintptr_t outer_pointer = stack_pointer + repetition.frame_bytes;
    if (unwind_plan_return_address(unwind_plan, outer_pointer).word != address)
      break;
    if (batch != NULL) {
      collect_repeated(&repetition, stack_pointer, batch);
      deliver_over(walk, batch, BATCH_ROOTS);
    }
    stack_pointer = outer_pointer;
  }
  if (batch == NULL) {
    walk->counts.roots_in_slots += met * repetition.slot_count;
    walk->counts.roots_in_registers += met * repetition.register_count;
  }
  if (met != 0)
    unwind_plan_apply_to_registers(unwind_plan, stack_pointer, &stepper->frame);
  return met;
}

/* Looks up the next frame's entry before collecting this one's roots, so that both overlap. */
__attribute__((always_inline)) static inline void
visit_frames(struct walk *walk, struct stepper *stepper, uint64_t most, struct root_batch *batch) {
  struct frame_entry *entry = stepper->entry;
  uintptr_t stack_pointer = frame_stack_pointer(&stepper->frame);
  struct return_address outer;
  struct unwind_plan unwind_plan;
  uint64_t met = 0;
  do {
    unwind_plan = frame_entry_unwind_plan(entry);
    struct frame_entry *const visited = entry;
    uintptr_t outer_pointer = unwind_plan_outer_pointer(unwind_plan, stack_pointer);
    outer = unwind_plan_return_address(unwind_plan, outer_pointer);
    bool is_repeated = outer.word == visited->return_address.word;
    if (!is_repeated)
      entry = frame_map_find(stepper->recent, outer);
    if (batch != NULL)
      collect_roots(walk, visited, stack_pointer, &stepper->frame, batch);
    else
      walk_count_roots(walk, visited);
    if (unwind_plan_saves_registers(unwind_plan))
      unwind_plan_apply_to_registers(unwind_plan, outer_pointer, &stepper->frame);
    if (batch != NULL)
      deliver_over(walk, batch, BATCH_ROOTS);
    stack_pointer = outer_pointer;
    met++;
    if (is_repeated && stepper_has_frame_at(stepper, stack_pointer) &&
        unwind_plan_return_address(unwind_plan,
                                   unwind_plan_outer_pointer(unwind_plan, stack_pointer))
                .word == outer.word) {
      uint64_t repeated = visit_repetition(walk, stepper, entry, stack_pointer, most - met, batch);
      stack_pointer += repeated * unwind_plan_outer_pointer(unwind_plan, 0);
      met += repeated;
    }
  } while (met < most && frame_is_simple(entry) && stepper_has_frame_at(stepper, stack_pointer));
  walk->counts.frames += met;
  walk->counts.managed_frames += met;
  unwind_plan_arrive(unwind_plan, stack_pointer, outer, &stepper->frame);
  stepper_arrive(stepper, entry);
}

void spgc_visit_simple_frames(struct walk *walk, struct stepper *stepper, uint64_t most) {
  if (walk->visitor->bases == NULL) {
    visit_frames(walk, stepper, most, NULL);
    return;
  }
  struct root_batch batch;
  batch.slot_count = batch.register_count = 0;
  visit_frames(walk, stepper, most, &batch);
  deliver_over(walk, &batch, 0);
}
