#include "gc/mutator/fiber_sanitizer.h"

#include <pthread.h>
#include <stddef.h>

#include "gc/mutator/fiber.h"

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

void spgc_sanitizer_create_fiber(struct spgc_fiber *fiber) {
  if (__tsan_create_fiber != NULL)
    fiber->sanitizer_thread = __tsan_create_fiber(0);
}

/* An unfinished fiber's frames are poisoned, as would be later mappings at their addresses. */
void spgc_sanitizer_destroy_fiber(struct spgc_fiber *fiber) {
  if (__asan_unpoison_memory_region != NULL && fiber->low != NULL)
    __asan_unpoison_memory_region(fiber->low, fiber->bytes);
  if (__tsan_destroy_fiber != NULL && fiber->sanitizer_thread != NULL)
    __tsan_destroy_fiber(fiber->sanitizer_thread);
}

static void find_own_stack(struct spgc_fiber *own) {
  pthread_attr_t attributes;
  void *low;
  if (own->low != NULL || pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  if (pthread_attr_getstack(&attributes, &low, &own->bytes) == 0)
    own->low = low;
  pthread_attr_destroy(&attributes);
}

/* NULL lets the sanitizer release a finished fiber's data. */
void spgc_sanitizer_leave_stack(struct spgc_fiber *from, struct spgc_fiber *to) {
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

void spgc_sanitizer_enter_stack(struct spgc_fiber *fiber) {
  if (__sanitizer_finish_switch_fiber != NULL)
    __sanitizer_finish_switch_fiber(fiber->sanitizer_stack, NULL, NULL);
}
