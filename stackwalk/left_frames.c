#include "stackwalk/left_frames.h"

#include <stddef.h>

/* sanitizer/asan_interface.h; undefined unless the sanitizer is linked. */
extern void __asan_unpoison_memory_region(const volatile void *start, size_t bytes)
    __attribute__((weak));

/* No stack is larger. Between a signal's stack and another, live frames' marks are also cleared, so
 * the sanitizer misses a few errors. */
static const size_t largest_stack = (size_t)1 << 36;

void spgc_frames_left(uintptr_t stack_pointer) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (__asan_unpoison_memory_region != NULL && stack_pointer - here < largest_stack)
    __asan_unpoison_memory_region((const void *)here, stack_pointer - here);
}
