#include "stackwalk/stepper.h"

#include <inttypes.h>

#include "stackwalk/odd_address.h"
#include "support/fatal.h"

void spgc_stepper_start(struct stepper *stepper, const struct spgc_suspended_stack *stack,
                        struct spgc_watermark *watermark, bool by_unwind_plan) {
  stepper->frame = stack->frame;
  stepper->recent = &spgc_frame_map_empty;
  stepper->by_unwind_plan = by_unwind_plan;
  stepper->is_interrupted = false;
  stepper->reached_watermark = false;
  stepper->inner.word = 0;
  stepper->base = stack->base;
  stepper->stacklets = stack->stacklets;
  stepper->watermark = watermark;
  stepper->ruled.word = 0;
  stepper->asked = (struct asked_files){0};
  stepper->unwinder.places_ascend = !stack->stacklets.exist;
  suspended_stack_extent(stack, &stepper->unwinder.lowest, &stepper->limit);
  stepper->unwinder.limit = stepper->limit;
  stepper_arrive(stepper, NULL);
}

static void bring_unwinder(struct stepper *stepper) {
  if (!stepper->unwinder_is_here)
    spgc_unwinder_start(&stepper->unwinder, &stepper->frame);
  stepper->unwinder_is_here = true;
}

/* Does nothing if they were read last. Without plans, finds only rules that libunwind does not
 * know. */
static bool find_rules(struct stepper *stepper) {
  struct return_address address = stepper->frame.return_address;
  if ((!stepper->by_unwind_plan && !SIGNS_RETURN_ADDRESSES) || stepper->is_interrupted)
    return false;
  if (stepper->ruled.word != address.word)
    stepper->ruled.word = spgc_call_frame_find(address, &stepper->rules) ? address.word : 0;
  return stepper->ruled.word != 0 && (stepper->by_unwind_plan || stepper->rules.is_signed);
}

/* Exceptions may end in the frame, so it gets no barrier. */
static void learn_function(struct frame_entry *entry, bool has_personality) {
  if (!has_personality)
    atomic_store_explicit(&entry->landing, LANDING_NONE, memory_order_relaxed);
}

/* If another thread has learnt one, it stays, because walkers read it twice. */
static void learn_unwind_plan(struct frame_entry *entry, struct unwind_plan unknown,
                              const struct suspended_frame *frame,
                              const struct suspended_frame *outer) {
  struct unwind_plan unwind_plan = spgc_unwind_plan_observe(unknown, frame, outer);
  atomic_compare_exchange_strong_explicit(&entry->unwind_plan, &unknown.word, unwind_plan.word,
                                          memory_order_relaxed, memory_order_relaxed);
}

/* `learning` is NULL if there is nothing to learn. */
static bool step_by_rules(struct stepper *stepper, struct frame_entry *learning) {
  if (!find_rules(stepper) ||
      !spgc_call_frame_step(&stepper->rules, &stepper->frame, stepper->limit))
    return false;
  stepper->unwinder_is_here = false;
  if (learning != NULL)
    learn_function(learning, stepper->rules.has_personality);
  return true;
}

static struct odd_address why_odd(const struct stepper *stepper) {
  return spgc_odd_address(stepper->frame.return_address, stepper->inner);
}

static struct unwinder_function function_by_unwinder(struct stepper *stepper) {
  struct unwinder_function function;
  bring_unwinder(stepper);
  bool known = spgc_unwinder_function(&stepper->unwinder, &function);
  spgc_require(known,
               "no unwind information for the frame at 0x%" PRIxPTR
               ", and frames above it would be missed%s",
               stepper->frame.return_address.word, why_odd(stepper).text);
  return function;
}

static void step_by_unwinder(struct stepper *stepper, struct frame_entry *learning) {
  bring_unwinder(stepper);
  if (learning != NULL)
    learn_function(learning, function_by_unwinder(stepper).personality != 0);
  stepper->is_interrupted = spgc_unwinder_is_at_signal(&stepper->unwinder);
  bool stepped = spgc_unwinder_step(&stepper->unwinder, &stepper->frame);
  spgc_require(stepped, "the stack walk ended at 0x%" PRIxPTR ", before its base 0x%" PRIxPTR "%s",
               frame_stack_pointer(&stepper->frame), stepper->base.word, why_odd(stepper).text);
}

void spgc_stepper_unwind(struct stepper *stepper) {
  struct frame_entry *entry = stepper->entry;
  const struct suspended_frame frame = stepper->frame;
  stepper->inner = frame.return_address;
  struct unwind_plan known = {0};
  if (stepper->by_unwind_plan && entry != NULL)
    known = frame_entry_unwind_plan(entry);
  bool learns = unwind_plan_kind(known) == UNWIND_PLAN_UNKNOWN;
  struct frame_entry *learning = learns ? entry : NULL;
  if (!step_by_rules(stepper, learning))
    step_by_unwinder(stepper, learning);
  if (learns && frame_stack_pointer(&stepper->frame) <=
                    stepper->limit.word) /* otherwise its return address was not read */
    learn_unwind_plan(entry, known, &frame, &stepper->frame);
  stepper->entry = stepper_look_up(stepper);
  if (stepper->entry == NULL)
    spgc_stepper_see_through(stepper);
  spgc_require(stepper->entry == NULL || frame_stack_pointer(&stepper->frame) % WORD_SIZE == 0,
               "the stack pointer 0x%" PRIxPTR " of the frame at 0x%" PRIxPTR " is not aligned",
               frame_stack_pointer(&stepper->frame), stepper->frame.return_address.word);
}

/* libunwind sees the stub as a frame. */
void spgc_stepper_see_through(struct stepper *stepper) {
  struct return_address stub = stepper->frame.return_address;
  if (!return_address_is_barrier(stub))
    return;
  uintptr_t stack_pointer = frame_stack_pointer(&stepper->frame);
  if (stepper->unwinder_is_here)
    spgc_require(spgc_unwinder_step(&stepper->unwinder, &stepper->frame) &&
                     frame_stack_pointer(&stepper->frame) == stack_pointer &&
                     stepper->frame.return_address.word == return_barrier_original(stub).word,
                 "libunwind does not step through the return barrier at 0x%" PRIxPTR,
                 stack_pointer);
  stepper->frame.return_address = return_barrier_original(stub);
  stepper->entry = stepper_look_up(stepper);
  if (stepper->watermark == NULL ||
      !spgc_watermark_is_reached(stepper->watermark, stub, frame_return_place(&stepper->frame)))
    return;
  stepper->reached_watermark = true;
  stepper->base.word = stack_pointer;
}

struct unwinder_function spgc_stepper_function(struct stepper *stepper) {
  struct call_frame_function function;
  if ((stepper->by_unwind_plan || SIGNS_RETURN_ADDRESSES) && !stepper->is_interrupted &&
      spgc_call_frame_function(stepper->frame.return_address, &function))
    return (struct unwinder_function){function.start, function.personality, function.language_data};
  return function_by_unwinder(stepper);
}

/* Maps give only functions' starts; unwind information gives the extent. */
static void require_unmanaged(struct stepper *stepper) {
  struct function_address start =
      find_rules(stepper) ? stepper->rules.start : spgc_stepper_function(stepper).start;
  spgc_require(!spgc_frame_table_has_function(start),
               "return address 0x%" PRIxPTR " of the managed function at 0x%" PRIxPTR
               " has no stack map record",
               stepper->frame.return_address.word, start.word);
}

void spgc_stepper_identify(struct stepper *stepper) {
  if (spgc_missing_maps_ask(&stepper->asked, stepper->frame.return_address))
    stepper->entry = stepper_look_up(stepper);
  if (stepper->entry == NULL)
    require_unmanaged(stepper);
}
