#include "heap/memory.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

size_t spgc_memory_page_bytes(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

static void *map(size_t bytes, int protection) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *mapping = mmap(NULL, bytes, protection, flags, -1, 0);
  return mapping == MAP_FAILED ? NULL : mapping;
}

/* It must end at a page boundary: the memory around it is unmapped. */
void *spgc_memory_reserve(size_t bytes, size_t alignment) {
  size_t padded, page = spgc_memory_page_bytes();
  if (alignment < page)
    alignment = page;
  if (__builtin_add_overflow(bytes, page - 1, &bytes) ||
      __builtin_add_overflow(bytes & ~(page - 1), alignment, &padded))
    return NULL;
  bytes = padded - alignment;
  void *mapping = map(padded, PROT_NONE);
  if (mapping == NULL)
    return NULL;
  uintptr_t start = (uintptr_t)mapping;
  uintptr_t aligned = (start + alignment - 1) & ~((uintptr_t)alignment - 1);
  size_t before = aligned - start;
  if (before != 0)
    spgc_memory_unmap(mapping, before);
  if (padded - before != bytes)
    spgc_memory_unmap((void *)(aligned + bytes), padded - before - bytes);
  madvise((void *)aligned, bytes, MADV_DONTDUMP);
  return (void *)aligned;
}

void *spgc_memory_reserve_zero(size_t bytes) {
  return map(bytes, PROT_READ);
}

void *spgc_memory_map(size_t bytes) {
  return map(bytes, PROT_READ | PROT_WRITE);
}

void *spgc_memory_enlarge(void *start, size_t bytes, size_t larger) {
  void *mapping = mremap(start, bytes, larger, MREMAP_MAYMOVE);
  return mapping == MAP_FAILED ? NULL : mapping;
}

/* If the system refuses to unmap part of a mapping, its address space is lost. */
void spgc_memory_unmap(void *start, size_t bytes) {
  if (munmap(start, bytes) != 0 && mprotect(start, bytes, PROT_NONE) == 0)
    madvise(start, bytes, MADV_DONTNEED);
}

bool spgc_memory_open(void *start, size_t bytes) {
  return mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
}

bool spgc_memory_close(void *start, size_t bytes) {
  return mprotect(start, bytes, PROT_NONE) == 0;
}

void spgc_memory_include_in_cores(void *start, size_t bytes) {
  madvise(start, bytes, MADV_DODUMP);
}

/* Maps again, because strict overcommit charges for protected pages. */
bool spgc_memory_give_back(void *start, size_t bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  return mmap(start, bytes, PROT_NONE, flags, -1, 0) != MAP_FAILED;
}

void spgc_memory_populate(void *start, size_t bytes) {
#ifdef MADV_POPULATE_WRITE /* Linux 5.14 */
  if (madvise(start, bytes, MADV_POPULATE_WRITE) == 0 || errno != EINVAL)
    return;
#endif
  for (size_t page = spgc_memory_page_bytes(), at = 0; at < bytes; at += page)
    __atomic_fetch_or((char *)start + at, 0, __ATOMIC_RELAXED);
}

bool spgc_memory_discard(void *start, size_t bytes) {
  return madvise(start, bytes, MADV_DONTNEED) == 0;
}
