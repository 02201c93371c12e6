#include "support/memory_lock.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* EAGAIN means that a mapping may not be locked. */
static bool is_refused_for_its_lock(size_t bytes) {
  void *mapping = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return errno == EAGAIN;
  munmap(mapping, bytes);
  return false;
}

bool spgc_memory_lock_is_limited(size_t *bytes) {
  int saved = errno;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), larger;
  struct rlimit limit;
  bool limited = getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
                 !__builtin_add_overflow(limit.rlim_cur, page, &larger) &&
                 is_refused_for_its_lock(larger);
  *bytes = limited ? limit.rlim_cur : 0;
  errno = saved;
  return limited;
}
