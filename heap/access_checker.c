#include "heap/access_checker.h"

#include <pthread.h>

#include "support/valgrind_requests.h"

/* sanitizer/asan_interface.h; null unless the sanitizer is linked. */
extern void __asan_poison_memory_region(const volatile void *start, size_t bytes)
    __attribute__((weak));
extern void __asan_unpoison_memory_region(const volatile void *start, size_t bytes)
    __attribute__((weak));

struct name {
  uintptr_t from;
  size_t bytes;
  unsigned handle;
};

static struct name names[SPGC_ACCESS_NAMES];
static size_t next_name;
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

/* Only by memcheck: other tools of Valgrind return 0. */
bool spgc_access_names_are_shown(void) {
  const unsigned char byte = 0;
  unsigned char bits = 0;
  return VALGRIND_GET_VBITS(&byte, &bits, sizeof bits) == 1;
}

bool spgc_access_is_checked(void) {
  return __asan_poison_memory_region != NULL || spgc_access_names_are_shown();
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

static void forget(struct name *name) {
  if (name->bytes != 0)
    VALGRIND_DISCARD(name->handle);
  name->bytes = 0;
}

void spgc_access_name(uintptr_t from, size_t bytes, const char *text) {
  pthread_mutex_lock(&names_lock);
  struct name *name = &names[next_name++ % SPGC_ACCESS_NAMES];
  forget(name);
  *name = (struct name){from, bytes, (unsigned)VALGRIND_CREATE_BLOCK(from, bytes, text)};
  pthread_mutex_unlock(&names_lock);
}

void spgc_access_forget_names(uintptr_t from, size_t bytes) {
  pthread_mutex_lock(&names_lock);
  for (size_t i = 0; i < SPGC_ACCESS_NAMES; i++)
    if (names[i].from - from < bytes)
      forget(&names[i]);
  pthread_mutex_unlock(&names_lock);
}
