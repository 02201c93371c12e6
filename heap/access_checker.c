#include "heap/access_checker.h"

#include "support/valgrind_requests.h"

/* sanitizer/asan_interface.h; null unless the sanitizer is linked. */
extern void __asan_poison_memory_region(const volatile void *start, size_t bytes)
    __attribute__((weak));
extern void __asan_unpoison_memory_region(const volatile void *start, size_t bytes)
    __attribute__((weak));

/* Valgrind's other tools return 0. */
bool spgc_access_is_checked(void) {
  const unsigned char byte = 0;
  unsigned char bits = 0;
  return __asan_poison_memory_region != NULL || VALGRIND_GET_VBITS(&byte, &bits, sizeof bits) == 1;
}

void spgc_access_forbid(uintptr_t from, size_t bytes) {
  if (__asan_poison_memory_region != NULL)
    __asan_poison_memory_region((const void *)from, bytes);
  VALGRIND_MAKE_MEM_NOACCESS(from, bytes);
}

void spgc_access_allow(uintptr_t from, size_t bytes) {
  if (__asan_unpoison_memory_region != NULL)
    __asan_unpoison_memory_region((const void *)from, bytes);
  VALGRIND_MAKE_MEM_UNDEFINED(from, bytes);
}
