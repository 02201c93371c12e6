#include "gc/mutator/fiber.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gc/mutator/misuse.h"
#include "gc/mutator/mutator.h"
#include "stackwalk/protected_call.h"
#include "stackwalk/shadow_stack.h"
#include "support/fatal.h"

/* If the last walk met more, the stack gets a watermark. */
enum { FRAMES_WITHOUT_WATERMARK = 32 };

/* From libgcc, if the program has split stacks. */
extern void *__splitstack_find(void *segment, void *sp, size_t *size, void **next_segment,
                               void **next_sp, void **initial_sp) __attribute__((weak));

/* From the C++ runtime, if the program starts with one. */
extern struct cxx_exceptions *__cxa_get_globals(void) __attribute__((weak));

/* From sanitizer/common_interface_defs.h, asan_interface.h and tsan_interface.h; null unless a
 * sanitizer is linked. */
extern void __sanitizer_start_switch_fiber(void **fake_stack, const void *low, size_t bytes)
    __attribute__((weak));
extern void __sanitizer_finish_switch_fiber(void *fake_stack, const void **low, size_t *bytes)
    __attribute__((weak));
extern void __asan_unpoison_memory_region(const volatile void *start, size_t bytes)
    __attribute__((weak));
extern void *__tsan_get_current_fiber(void) __attribute__((weak));
extern void *__tsan_create_fiber(unsigned flags) __attribute__((weak));
extern void __tsan_destroy_fiber(void *fiber) __attribute__((weak));
extern void __tsan_switch_to_fiber(void *fiber, unsigned flags) __attribute__((weak));

static void require_own(const struct spgc_fiber *fiber, const struct spgc_mutator *mutator,
                        const char *call) {
  spgc_require(fiber != NULL, "%s: no fiber is given", call);
  spgc_require(fiber->mutator == mutator, "%s: fiber %p belongs to another thread", call,
               (const void *)fiber);
}

/* ---- Lists ---- */

static void put(struct spgc_fiber *fiber, enum fiber_list list) {
  struct spgc_fiber **first = &fiber->mutator->fibers.lists[list];
  fiber->list = list;
  fiber->previous = NULL;
  fiber->next = *first;
  if (*first != NULL)
    (*first)->previous = fiber;
  *first = fiber;
}

static void take(struct spgc_fiber *fiber) {
  if (fiber->previous != NULL)
    fiber->previous->next = fiber->next;
  else
    fiber->mutator->fibers.lists[fiber->list] = fiber->next;
  if (fiber->next != NULL)
    fiber->next->previous = fiber->previous;
}

void spgc_fibers_settle(struct spgc_mutator *mutator) {
  for (struct spgc_fiber *fiber = mutator->fibers.lists[FIBERS_RESUMED], *next; fiber != NULL;
       fiber = next) {
    bool is_writable = fiber->variables.known != 0 || fiber->handles.height != 0;
    next = fiber->next;
    take(fiber);
    put(fiber, fiber->variables.overflowed ? FIBERS_RESUMED
               : is_writable               ? FIBERS_WRITABLE
                                           : FIBERS_UNRESUMED);
  }
}

/* ---- Sanitizers ---- */

/* An unfinished fiber's frames are poisoned, as would be later mappings at their addresses. */
static void destroy_for_sanitizer(struct spgc_fiber *fiber) {
  if (__asan_unpoison_memory_region != NULL && fiber->low != NULL)
    __asan_unpoison_memory_region(fiber->low, fiber->bytes);
  if (__tsan_destroy_fiber != NULL && fiber->sanitizer_thread != NULL)
    __tsan_destroy_fiber(fiber->sanitizer_thread);
}

/* Not inline: a frame that has left its stack would keep AddressSanitizer's poison around these
 * variables, and a thread may end in a fiber. */
static __attribute__((noinline)) void find_own_stack(struct spgc_fiber *own) {
  pthread_attr_t attributes;
  void *low;
  if (own->low != NULL || pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  if (pthread_attr_getstack(&attributes, &low, &own->bytes) == 0)
    own->low = low;
  pthread_attr_destroy(&attributes);
}

/* NULL lets the sanitizer release a finished fiber's data. */
static void leave_stack_for_sanitizer(struct spgc_fiber *from, struct spgc_fiber *to) {
  if (__sanitizer_start_switch_fiber != NULL) {
    find_own_stack(to);
    __sanitizer_start_switch_fiber(from->state == FIBER_FINISHED ? NULL : &from->sanitizer_stack,
                                   to->low, to->bytes);
  }
  if (__tsan_switch_to_fiber != NULL) {
    if (from->sanitizer_thread == NULL)
      from->sanitizer_thread = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->sanitizer_thread, 0);
  }
}

/* The fiber's stack starts or resumes. */
static void enter_stack_for_sanitizer(struct spgc_fiber *fiber) {
  if (__sanitizer_finish_switch_fiber != NULL)
    __sanitizer_finish_switch_fiber(fiber->sanitizer_stack, NULL, NULL);
}

/* A thread that ends on a fiber is on its own stack again, whose frames it did not return from. */
static void come_back_for_sanitizer(struct spgc_fiber *from, struct spgc_fiber *own) {
  leave_stack_for_sanitizer(from, own);
  enter_stack_for_sanitizer(own);
  const char *left = (const char *)own->left.stack_pointer;
  if (__asan_unpoison_memory_region != NULL && own->low != NULL)
    __asan_unpoison_memory_region(left, (size_t)((const char *)own->low + own->bytes - left));
}

/* ---- Switching ---- */

void spgc_fibers_prepare_walk(struct spgc_mutator *mutator) {
  if (mutator->watermark == NULL && mutator->fibers.running->frames > FRAMES_WITHOUT_WATERMARK)
    mutator->watermark = spgc_watermark_create();
  spgc_watermark_thin(mutator->watermark);
}

/* A running hook's TLAB belongs to the reserve, which other fibers must not use. */
static void save(struct spgc_fiber *fiber) {
  struct spgc_mutator *mutator = fiber->mutator;
  if (mutator->handles.hook_height != 0)
    spgc_tlab_drop(&mutator->tlab);
  spgc_fibers_prepare_walk(mutator);
  fiber->stack_base = mutator->stack_base;
  fiber->watermark = mutator->watermark;
  fiber->handles = mutator->handles;
  fiber->blocking_calls = mutator->blocking_calls;
  fiber->stack_limit = spgc_thread.stack_limit;
  fiber->protected_call = spgc_protected_call_innermost();
  if (__cxa_get_globals != NULL)
    fiber->exceptions = *__cxa_get_globals();
  fiber->left.is_compared = false;
}

static void restore(struct spgc_fiber *fiber) {
  struct spgc_mutator *mutator = fiber->mutator;
  mutator->stack_base = fiber->stack_base;
  mutator->watermark = fiber->watermark;
  mutator->handles = fiber->handles;
  mutator->blocking_calls = fiber->blocking_calls;
  spgc_thread.stack_limit = fiber->stack_limit;
  spgc_protected_call_set_innermost(fiber->protected_call);
  if (__cxa_get_globals != NULL)
    *__cxa_get_globals() = fiber->exceptions;
  fiber->state = FIBER_RUNNING;
  mutator->fibers.running = fiber;
}

static void require_target(const struct spgc_fiber *to, const struct spgc_mutator *mutator,
                           const char *call) {
  spgc_require(to != NULL, "%s: there is no fiber to continue in", call);
  require_own(to, mutator, call);
  spgc_require(to->state != FIBER_FINISHED, "%s: fiber %p has finished", call, (const void *)to);
  spgc_require(to->state != FIBER_RUNNING, "%s: fiber %p is running already", call,
               (const void *)to);
}

/* `from` was saved, and is on a list. */
static void *go_on_in(struct spgc_fiber *to, struct spgc_fiber *from, void *value) {
  take(to);
  restore(to);
  leave_stack_for_sanitizer(from, to);
  void *passed = spgc_stack_switch(&from->left, &to->left, value);
  enter_stack_for_sanitizer(from);
  return passed;
}

void *spgc_fiber_switch(struct spgc_fiber *to, void *value) {
  struct spgc_mutator *mutator = spgc_caller_of("spgc_fiber_switch");
  require_target(to, mutator, "spgc_fiber_switch");
  spgc_require_may_stop("spgc_fiber_switch");
  struct spgc_fiber *from = mutator->fibers.running;
  save(from);
  from->state = FIBER_SUSPENDED;
  put(from, FIBERS_RESUMED);
  return go_on_in(to, from, value);
}

static void drop_contents(struct spgc_fiber *fiber) {
  spgc_watermark_destroy(fiber->watermark);
  spgc_handle_stack_free(&fiber->handles);
  fiber->watermark = NULL;
  fiber->handles = (struct spgc_handle_stack){0};
}

static void finish(struct spgc_fiber *fiber, struct spgc_fiber_end end) {
  struct spgc_mutator *mutator = spgc_caller_of("the end of a fiber's entry");
  require_target(end.to, mutator, "the end of a fiber's entry");
  save(fiber);
  fiber->state = FIBER_FINISHED;
  put(fiber, FIBERS_UNRESUMED);
  drop_contents(fiber);
  go_on_in(end.to, fiber, end.value);
  spgc_fatal("a finished fiber was resumed");
}

static void run(void *argument, void *value) {
  struct spgc_fiber *fiber = argument;
  enter_stack_for_sanitizer(fiber);
  fiber->mutator->stack_base = __builtin_frame_address(0);
  finish(fiber, fiber->entry(value));
}

/* ---- Life ---- */

static void initialise(struct spgc_fiber *fiber, struct spgc_mutator *mutator) {
  fiber->mutator = mutator;
  fiber->variables =
      (struct stack_variables){.capacity = FIBER_VARIABLES, .runs = fiber->variable_runs};
}

void spgc_fibers_begin(struct spgc_mutator *mutator) {
  struct spgc_fibers *fibers = &mutator->fibers;
  fibers->own = (struct spgc_fiber){.state = FIBER_RUNNING};
  initialise(&fibers->own, mutator);
  fibers->running = &fibers->own;
}

/* The lowest page is a guard page. */
static bool map_stack(struct spgc_fiber *fiber, size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t bytes = ((size + page - 1) & ~(page - 1)) + page;
  if (bytes < size)
    return false;
  void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED)
    return false;
  if (mprotect(mapping, page, PROT_NONE) != 0) {
    munmap(mapping, bytes);
    return false;
  }
  fiber->mapping = mapping;
  fiber->mapping_bytes = bytes;
  fiber->low = (char *)mapping + page;
  fiber->bytes = bytes - page;
  return true;
}

static enum spgc_result check_arguments(spgc_fiber_entry entry, size_t size,
                                        struct spgc_error *error) {
  if (entry == NULL)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_fiber_create: the entry function is null");
  if (size < SPGC_FIBER_STACK_LEAST)
    return spgc_error_set(
        error, SPGC_ERROR_INVALID_ARGUMENT, 0,
        "spgc_fiber_create: a stack of %zu bytes is smaller than SPGC_FIBER_STACK_LEAST, %d", size,
        SPGC_FIBER_STACK_LEAST);
  if (__splitstack_find != NULL)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "spgc_fiber_create: fibers do not work with split stacks");
  if (spgc_shadow_stack_is_on())
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "spgc_fiber_create: " SPGC_SHADOW_STACK_REMEDY);
  return SPGC_OK;
}

enum spgc_result spgc_fiber_create(spgc_fiber_entry entry, void *stack, size_t size,
                                   struct spgc_fiber **fiber, struct spgc_error *error) {
  struct spgc_mutator *mutator = spgc_caller_of("spgc_fiber_create");
  spgc_require(fiber != NULL, "spgc_fiber_create: no place for the fiber is given");
  enum spgc_result result = check_arguments(entry, size, error);
  if (result != SPGC_OK)
    return result;
  struct spgc_fiber *made = calloc(1, sizeof *made);
  if (made == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "spgc_fiber_create: cannot allocate a fiber: out of memory");
  made->low = stack;
  made->bytes = size;
  if (stack == NULL && !map_stack(made, size)) {
    free(made);
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "spgc_fiber_create: cannot map a stack of %zu bytes for fiber %zu of the "
                          "thread: out of memory, or beyond vm.max_map_count (a stack is two "
                          "mappings) or RLIMIT_AS (ulimit -v)",
                          size, mutator->fibers.count + 1);
  }
  initialise(made, mutator);
  made->entry = entry;
  spgc_stack_prepare(&made->left, (void *)made->low, made->bytes, run, made);
  if (__tsan_create_fiber != NULL)
    made->sanitizer_thread = __tsan_create_fiber(0);
  put(made, FIBERS_UNRESUMED);
  mutator->fibers.count++;
  *fiber = made;
  return SPGC_OK;
}

static void destroy(struct spgc_fiber *fiber) {
  take(fiber);
  drop_contents(fiber);
  destroy_for_sanitizer(fiber);
  if (fiber->mapping != NULL)
    munmap(fiber->mapping, fiber->mapping_bytes);
  fiber->mutator->fibers.count--;
  free(fiber);
}

void spgc_fiber_release(struct spgc_fiber *fiber) {
  if (fiber == NULL)
    return;
  struct spgc_mutator *mutator = spgc_caller_of("spgc_fiber_release");
  require_own(fiber, mutator, "spgc_fiber_release");
  spgc_require(fiber != &mutator->fibers.own,
               "spgc_fiber_release: the thread's own stack cannot be released");
  spgc_require(fiber->state != FIBER_RUNNING, "spgc_fiber_release: fiber %p is running",
               (const void *)fiber);
  destroy(fiber);
}

static void destroy_all(struct spgc_fibers *fibers) {
  for (unsigned list = 0; list < FIBER_LISTS; list++)
    for (struct spgc_fiber *fiber = fibers->lists[list], *next; fiber != NULL; fiber = next) {
      next = fiber->next;
      destroy(fiber);
    }
}

void spgc_fibers_abandon(struct spgc_mutator *mutator) {
  struct spgc_fibers *fibers = &mutator->fibers;
  if (fibers->running != &fibers->own) {
    struct spgc_fiber *running = fibers->running;
    save(running);
    running->state = FIBER_FINISHED;
    put(running, FIBERS_UNRESUMED);
    take(&fibers->own);
    restore(&fibers->own);
    come_back_for_sanitizer(running, &fibers->own);
  }
  destroy_all(fibers);
}

void spgc_fibers_forget(struct spgc_mutator *mutator) {
  struct spgc_fibers *fibers = &mutator->fibers;
  if (fibers->running != &fibers->own) {
    take(&fibers->own);
    drop_contents(&fibers->own);
    fibers->running->watermark = NULL;
    fibers->running->handles = (struct spgc_handle_stack){0};
    put(fibers->running, FIBERS_UNRESUMED);
  }
  destroy_all(fibers);
}

/* ---- Questions ---- */

struct spgc_fiber *spgc_fiber_current(void) {
  return spgc_caller_of("spgc_fiber_current")->fibers.running;
}

bool spgc_fiber_is_finished(const struct spgc_fiber *fiber) {
  require_own(fiber, spgc_caller_of("spgc_fiber_is_finished"), "spgc_fiber_is_finished");
  return fiber->state == FIBER_FINISHED;
}

void *spgc_stack_base(void) {
  return spgc_caller_of("spgc_stack_base")->stack_base;
}

void spgc_fiber_walk(const struct spgc_fiber *fiber, const struct spgc_stack_visitor *visitor,
                     struct spgc_walk_counts *counts) {
  require_own(fiber, spgc_caller_of("spgc_fiber_walk"), "spgc_fiber_walk");
  spgc_require(visitor != NULL, "spgc_fiber_walk: no visitor is given");
  spgc_require(fiber->state != FIBER_RUNNING,
               "spgc_fiber_walk: fiber %p is running: use spgc_walk_stack", (const void *)fiber);
  if (counts != NULL)
    *counts = (struct spgc_walk_counts){0};
  if (fiber->state != FIBER_SUSPENDED)
    return;
  struct spgc_suspended_stack stack = fiber_stack((struct spgc_fiber *)fiber);
  spgc_walk_suspended(&stack, visitor, counts);
}
