#include "codegen/jit/jit_arena.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/fatal.h"

static const size_t arena_size = (size_t)512 << 20;

bool spgc_jit_arena_reserve(struct jit_arena *arena) {
  *arena = (struct jit_arena){.size = arena_size, .page = (size_t)sysconf(_SC_PAGESIZE)};
  struct jit_extent *all = malloc(sizeof *all);
  if (all == NULL)
    return false;
  void *base =
      mmap(NULL, arena_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    free(all);
    return false;
  }
  *all = (struct jit_extent){.first = 0, .count = arena_size / arena->page};
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
  arena->base = base;
  arena->free = all;
  return true;
}

void spgc_jit_arena_release(struct jit_arena *arena) {
  spgc_require(munmap(arena->base, arena->size) == 0, "the JIT's arena cannot be unmapped");
  for (struct jit_extent *extent = arena->free, *next; extent != NULL; extent = next) {
    next = extent->next;
    free(extent);
  }
  *arena = (struct jit_arena){0};
}

/* First fit. An extent that is used up leaves the list. */
bool spgc_jit_arena_take(struct jit_arena *arena, size_t bytes, struct jit_span *span) {
  size_t page = arena->page, pages = bytes / page + (bytes % page != 0 || bytes == 0);
  struct jit_extent **link = &arena->free;
  while (*link != NULL && (*link)->count < pages)
    link = &(*link)->next;
  struct jit_extent *extent = *link;
  if (extent == NULL)
    return false;
  uint8_t *start = arena->base + extent->first * page;
  if (mprotect(start, pages * page, PROT_READ | PROT_WRITE) != 0)
    return false;
  extent->first += pages;
  extent->count -= pages;
  if (extent->count == 0) {
    *link = extent->next;
    free(extent);
  }
  *span = (struct jit_span){start, pages * page};
  return true;
}

/* On AArch64, instructions come through a cache that does not see writes: the first call brings it
 * up to date. A core may also have fetched earlier code of these pages, or a sled that was patched
 * since, and may run that until it synchronises (Arm Architecture Reference Manual, B2.2.5; Intel's
 * manual, volume 3A, "cross-modifying code"): the second call makes every core that runs a thread
 * of the process do so. A sandbox may refuse it. Then that small window stays, as in JITs that do
 * without. */
static void publish_instructions(struct jit_span span) {
  __builtin___clear_cache((char *)span.start, (char *)span.start + span.size);
  syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

bool spgc_jit_arena_protect(struct jit_span span, enum jit_protection protection) {
  static const int flags[] = {
      [JIT_WRITABLE] = PROT_READ | PROT_WRITE,
      [JIT_READ_ONLY] = PROT_READ,
      [JIT_EXECUTABLE] = PROT_READ | PROT_EXEC,
  };
  if (protection == JIT_EXECUTABLE)
    publish_instructions(span);
  return mprotect(span.start, span.size, flags[protection]) == 0;
}

static void merge_with_next(struct jit_extent *extent) {
  struct jit_extent *next = extent->next;
  if (next == NULL || extent->first + extent->count != next->first)
    return;
  extent->count += next->count;
  extent->next = next->next;
  free(next);
}

/* Mapping the pages anew drops their contents and their access rights in one step. */
void spgc_jit_arena_give_back(struct jit_arena *arena, struct jit_span span) {
  void *mapped = mmap(span.start, span.size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  struct jit_extent *extent = malloc(sizeof *extent);
  spgc_require(mapped == span.start && extent != NULL, "out of memory");
  *extent = (struct jit_extent){(size_t)(span.start - arena->base) / arena->page,
                                span.size / arena->page, NULL};
  struct jit_extent *before = NULL, **link = &arena->free;
  for (; *link != NULL && (*link)->first < extent->first; link = &(*link)->next)
    before = *link;
  extent->next = *link;
  *link = extent;
  merge_with_next(extent);
  if (before != NULL)
    merge_with_next(before);
}
