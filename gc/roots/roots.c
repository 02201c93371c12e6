#include "gc/roots/roots.h"

#include <inttypes.h>
#include <stdio.h>

#include "gc/mutator/misuse.h"
#include "gc/naming/code_name.h"
#include "gc/roots/modules.h"
#include "gc/state/locks.h"
#include "gc/weak/weak_processing.h"
#include "spgc/roots.h"

/* Under SPGC_LOCK_MODULES. Words and counts are the program's, read with the world stopped. */
static struct spgc_roots *ranges;

static struct spgc_roots **find(const struct spgc_roots *roots) {
  struct spgc_roots **link = &ranges;
  while (*link != NULL && *link != roots)
    link = &(*link)->next;
  return link;
}

void spgc_roots_add(struct spgc_roots *roots) {
  spgc_require_use(roots != NULL, "no range of roots is given");
  spgc_require_use((roots->reserved[0] | roots->reserved[1]) == 0,
                   "the range has `reserved` members that are not 0: clear the structure first");
  spgc_lock(SPGC_LOCK_MODULES);
  bool is_new = *find(roots) == NULL;
  if (is_new) {
    roots->next = ranges;
    ranges = roots;
  }
  spgc_unlock(SPGC_LOCK_MODULES);
  spgc_require_use(is_new, "the range of roots is added already");
}

void spgc_roots_remove(struct spgc_roots *roots) {
  SPGC_LOCKED(SPGC_LOCK_MODULES);
  struct spgc_roots **link = find(roots);
  if (*link != NULL) {
    *link = roots->next;
    roots->next = NULL;
  }
}

bool spgc_ranges_exist(void) {
  SPGC_LOCKED(SPGC_LOCK_MODULES);
  return ranges != NULL;
}

void spgc_ranges_visit(enum spgc_nulls nulls, spgc_root_visitor visit, void *context) {
  SPGC_LOCKED(SPGC_LOCK_MODULES);
  for (const struct spgc_roots *range = ranges; range != NULL; range = range->next) {
    const char *name = range->name != NULL ? range->name : "range of roots";
    spgc_require(range->first != NULL || range->count == 0, "%s has %" PRIu64 " words at null",
                 name, range->count);
    spgc_root_words_visit(range->first, range->count, nulls, visit, context, name);
  }
}

static void forward_root(void *evacuation, struct spgc_slot slot, const char *what) {
  spgc_evacuation_forward(evacuation, slot);
}

static void forward_stack_bases(void *evacuation, const struct spgc_slot *bases, size_t count) {
  for (size_t i = 0; i < count; i++)
    spgc_evacuation_forward(evacuation, bases[i]);
}

static void add_counts(struct spgc_walk_counts *sum, const struct spgc_walk_counts *counts) {
  sum->managed_frames += counts->managed_frames;
  sum->roots_in_slots += counts->roots_in_slots;
  sum->roots_in_registers += counts->roots_in_registers;
  sum->registers_rewritten += counts->registers_rewritten;
}

struct root_visit {
  bool forwards; /* and collects fibers' variables, for visits of resumed frames */
  enum spgc_visited visited;
  const struct spgc_stack_visitor *frames;
  spgc_root_visitor others;
  const struct spgc_root_reader *reader; /* or NULL */
  struct spgc_walk_counts sum;
};

/* `variables` is NULL unless the stack is a fiber's. Returns the number of managed frames. */
static uint64_t walk(struct root_visit *visit, const struct spgc_suspended_stack *stack,
                     struct spgc_watermark *watermark, struct stack_variables *variables) {
  struct spgc_walk_counts counts;
  struct walk_extent extent = {.variables = visit->forwards ? variables : NULL};
  if (visit->visited == SPGC_CHANGED_ROOTS && watermark != NULL) {
    extent.frames = WALK_RESUMED;
    extent.watermark = watermark;
  }
  spgc_walk(stack, &extent, visit->frames, &counts);
  add_counts(&visit->sum, &counts);
  return counts.managed_frames;
}

static void tell(const struct root_visit *visit, enum spgc_root_group group,
                 const struct spgc_mutator *mutator, const struct spgc_fiber *fiber) {
  if (visit->reader != NULL)
    visit->reader->group(visit->frames->context, group, mutator, fiber);
}

static void visit_handles(const struct root_visit *visit, const struct spgc_handle_stack *handles,
                          const struct spgc_mutator *mutator, const struct spgc_fiber *fiber) {
  tell(visit, SPGC_ROOTS_IN_SCOPED_HANDLES, mutator, fiber);
  spgc_handle_stack_visit(handles, visit->visited, visit->others, visit->frames->context);
}

static void visit_fiber_frames(struct root_visit *visit, struct spgc_fiber *fiber, bool walks) {
  struct spgc_walk_counts counts;
  struct spgc_suspended_stack stack = fiber_stack(fiber);
  if (walks) {
    fiber->frames = walk(visit, &stack, fiber->watermark, &fiber->variables);
    return;
  }
  spgc_walk_variables(&fiber->variables, visit->frames, &counts);
  add_counts(&visit->sum, &counts);
}

/* For fibers not resumed only variables and handles, unless all frames are walked. */
static void visit_fibers(struct root_visit *visit, const struct spgc_mutator *mutator) {
  for (enum fiber_list list = FIBERS_RESUMED; list < FIBER_LISTS; list++) {
    bool walks = list == FIBERS_RESUMED || visit->visited == SPGC_ALL_ROOTS;
    if (!walks && list != FIBERS_WRITABLE)
      continue;
    for (struct spgc_fiber *fiber = mutator->fibers.lists[list]; fiber != NULL;
         fiber = fiber->next) {
      tell(visit, SPGC_ROOTS_IN_FRAMES, mutator, fiber);
      if (fiber->state == FIBER_SUSPENDED)
        visit_fiber_frames(visit, fiber, walks);
      visit_handles(visit, &fiber->handles, mutator, fiber);
    }
  }
}

static void visit_all(struct spgc_stopped_world world, struct root_visit *visit) {
  for (const struct spgc_mutator *mutator = world.mutators; mutator != NULL;
       mutator = mutator->next) {
    tell(visit, SPGC_ROOTS_IN_FRAMES, mutator, NULL);
    mutator->fibers.running->frames = walk(visit, mutator->stack, mutator->watermark, NULL);
    visit_handles(visit, &mutator->handles, mutator, NULL);
    visit_fibers(visit, mutator);
  }
  enum spgc_nulls nulls = visit->reader != NULL ? SPGC_NULLS_VISITED : SPGC_NULLS_SKIPPED;
  tell(visit, SPGC_ROOTS_IN_GLOBAL_HANDLES, NULL, NULL);
  spgc_global_handles_visit(visit->visited, visit->others, visit->frames->context);
  tell(visit, SPGC_ROOTS_IN_VARIABLES, NULL, NULL);
  spgc_modules_visit(nulls, visit->others, visit->frames->context);
  tell(visit, SPGC_ROOTS_IN_RANGES, NULL, NULL);
  spgc_ranges_visit(nulls, visit->others, visit->frames->context);
}

void spgc_roots_read(struct spgc_stopped_world world, const struct spgc_root_reader *reader) {
  struct root_visit visit = {.frames = &reader->frames, .others = reader->others, .reader = reader};
  visit_all(world, &visit);
}

void spgc_roots_forward(struct spgc_stopped_world world, enum spgc_visited visited,
                        struct spgc_evacuation *evacuation, struct spgc_walk_counts *counts) {
  const struct spgc_stack_visitor visitor = {.context = evacuation, .bases = forward_stack_bases};
  struct root_visit visit = {
      .forwards = true, .visited = visited, .frames = &visitor, .others = forward_root};
  visit_all(world, &visit);
  *counts = visit.sum;
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    spgc_fibers_settle(mutator);
}

static void mark_root(void *context, struct spgc_slot slot, const char *what) {
  struct spgc_scanner *scanner = context;
  if (spgc_heap_contains(scanner->heap, slot.location->word))
    spgc_mark(scanner, *slot.location, SPGC_TRACE_SERIAL);
}

static void mark_stack_bases(void *context, const struct spgc_slot *bases, size_t count) {
  for (size_t i = 0; i < count; i++)
    mark_root(context, bases[i], NULL);
}

void spgc_roots_mark(struct spgc_stopped_world world, struct spgc_marker *marker) {
  const struct spgc_stack_visitor frames = {.context = &marker->scanners[0],
                                            .bases = mark_stack_bases};
  struct root_visit visit = {.frames = &frames, .others = mark_root};
  visit_all(world, &visit);
}

struct root_check {
  const struct spgc_check *check;
  struct spgc_error *error;
  enum spgc_result result;
  struct spgc_slot wrong; /* the first, unless it is in a frame */
};

static void check_root(void *context, struct spgc_slot slot, const char *what) {
  struct root_check *roots = context;
  if (roots->result != SPGC_OK)
    return;
  roots->result = spgc_check_root(roots->check, what, slot, roots->error);
  if (roots->result != SPGC_OK)
    roots->wrong = slot;
}

static void check_stack_root(void *context, const struct spgc_frame *frame,
                             const struct spgc_root *root) {
  check_root(context, root->base, root->base_in_register ? "saved register" : "stack slot");
}

static void check_old_root(void *context, const struct spgc_frame *frame,
                           const struct spgc_root *root) {
  struct root_check *roots = context;
  const struct spgc_heap *heap = roots->check->heap;
  uintptr_t word = root->base.location->word;
  if (roots->result == SPGC_OK && spgc_heap_contains(heap, word) &&
      spgc_space_is_young(spgc_heap_space(heap, spgc_heap_block_of(heap, word))))
    roots->result = spgc_error_set(
        roots->error, SPGC_ERROR_MALFORMED, 0,
        "the frame at 0x%" PRIxPTR
        ", not resumed since the last collection, refers to the young object 0x%" PRIxPTR,
        frame->return_address, word);
}

static void check_unresumed_fibers(const struct spgc_fibers *fibers,
                                   const struct spgc_stack_visitor *visitor) {
  for (enum fiber_list list = FIBERS_RESUMED; list < FIBER_LISTS; list++)
    for (struct spgc_fiber *fiber = fibers->lists[list]; fiber != NULL; fiber = fiber->next) {
      if (fiber->state != FIBER_SUSPENDED)
        continue;
      struct spgc_suspended_stack stack = fiber_stack(fiber);
      if (list != FIBERS_RESUMED)
        spgc_walk(&stack, &(struct walk_extent){.without_variables = true}, visitor, NULL);
      else if (fiber->watermark != NULL)
        spgc_walk_unresumed(&stack, fiber->watermark, visitor, NULL);
    }
}

static void check_unresumed_frames(struct spgc_stopped_world world, struct root_check *roots) {
  const struct spgc_stack_visitor visitor = {.context = roots, .root = check_old_root};
  for (const struct spgc_mutator *mutator = world.mutators; mutator != NULL;
       mutator = mutator->next) {
    if (mutator->watermark != NULL)
      spgc_walk_unresumed(mutator->stack, mutator->watermark, &visitor, NULL);
    check_unresumed_fibers(&mutator->fibers, &visitor);
  }
}

enum spgc_result spgc_roots_check(struct spgc_stopped_world world, const struct spgc_check *check,
                                  struct spgc_error *error) {
  struct root_check roots = {.check = check, .error = error, .result = SPGC_OK};
  const struct spgc_stack_visitor frames = {.context = &roots, .root = check_stack_root};
  struct root_visit visit = {.frames = &frames, .others = check_root};
  visit_all(world, &visit);
  check_unresumed_frames(world, &roots);
  spgc_weak_processing_visit(check_root, &roots);
  char name[128], what[160];
  if (roots.wrong.location != NULL &&
      spgc_variable_find((uintptr_t)roots.wrong.location, name, sizeof name)) {
    /* Checks again, with the name. No lock is held. */
    snprintf(what, sizeof what, "global variable %s", name);
    roots.result = spgc_check_root(check, what, roots.wrong, error);
  }
  return roots.result;
}
