#include "codegen/jit/jit_arena.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/fatal.h"

enum { GRANULE = 16 };
static const size_t AREA_BYTES = (size_t)512 << 20;

/* ---- Files in memory ---- */

static atomic_uint forks; /* written by fork's handlers, in parent and child */
static pthread_once_t forks_counted = PTHREAD_ONCE_INIT;

static void count_fork(void) {
  atomic_fetch_add(&forks, 1);
}

static void count_forks(void) {
  pthread_atfork(NULL, count_fork, count_fork);
}

static enum spgc_result refuse(const char *what, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0, "the system refuses %s for generated code: %s",
                        what, strerror(errno));
}

/* A file that is longer than the process may write would end it by a signal. */
static bool may_be_as_long(size_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         limit.rlim_cur >= size;
}

/* -1 and errno, if there is none. It is not among the standard streams, even if those are closed.
 */
static int open_file(size_t size) {
  if (!may_be_as_long(size)) {
    errno = EFBIG;
    return -1;
  }
  int first = memfd_create("spgc-jit", MFD_CLOEXEC), file = first;
  if (first >= 0 && first <= STDERR_FILENO) {
    file = fcntl(first, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(first);
  }
  if (file >= 0 && ftruncate(file, (off_t)size) != 0) {
    close(file);
    return -1;
  }
  return file;
}

static bool is_own_file(const struct jit_area *area) {
  struct stat status;
  return fstat(area->file, &status) == 0 && status.st_dev == area->device &&
         status.st_ino == area->number;
}

static bool write_all(int file, const uint8_t *bytes, size_t size, off_t at) {
  while (size > 0) {
    ssize_t written = pwrite(file, bytes, size, at);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes += written;
    size -= (size_t)written;
    at += written;
  }
  return true;
}

static int rights_of(enum jit_access access) {
  return access == JIT_EXECUTABLE ? PROT_READ | PROT_EXEC : PROT_READ;
}

/* Maps the file in place of whatever the area has, in one step: threads that run code there either
 * fetch from the old pages or from the new ones. The mapping is private, because a debugger cannot
 * write breakpoints into a shared one. */
static bool map_file(struct jit_area *area, enum jit_access access, int file) {
  struct stat status;
  if (fstat(file, &status) != 0 || mmap(area->base, area->size, rights_of(access),
                                        MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
    return false;
  area->file = file;
  area->device = status.st_dev;
  area->number = status.st_ino;
  area->forks = atomic_load(&forks);
  return true;
}

struct area_copy {
  const struct jit_area *area;
  int file;
  uint8_t *from; /* what lies before it is copied, or free */
};

/* Copies the bytes before a free extent. Returns whether it failed. */
static bool copy_before(void *context, struct address_node *node) {
  struct area_copy *copy = context;
  uint8_t *base = copy->area->base, *end = base + (node->key - (uintptr_t)base);
  bool copied = write_all(copy->file, copy->from, (size_t)(end - copy->from), copy->from - base);
  copy->from = end + node->value;
  return !copied;
}

static bool copy_area(const struct jit_area *area, int file) {
  struct area_copy copy = {area, file, area->base};
  struct address_node end = {.key = (uintptr_t)area->base + area->size};
  return !spgc_address_tree_each(area->free.root, copy_before, &copy) && !copy_before(&copy, &end);
}

static bool replace_file(struct jit_area *area, enum jit_access access) {
  int file = open_file(area->size), old = is_own_file(area) ? area->file : -1;
  if (file < 0)
    return false;
  if (!copy_area(area, file) || !map_file(area, access, file)) {
    close(file);
    return false;
  }
  if (old >= 0)
    close(old);
  return true;
}

/* Makes the file one that no other process has. False and errno, if it cannot. */
static bool own_file(struct jit_area *area, enum jit_access access) {
  return (area->forks == atomic_load(&forks) && is_own_file(area)) || replace_file(area, access);
}

/* ---- The arena ---- */

static bool add_extent(struct jit_area *area, uintptr_t start, size_t size) {
  struct jit_extent *extent = calloc(1, sizeof *extent);
  if (extent == NULL)
    return false;
  extent->node = (struct address_node){.key = start, .value = size};
  spgc_address_tree_insert(&area->free, &extent->node);
  return true;
}

static enum spgc_result open_area(struct jit_area *area, enum jit_access access,
                                  struct spgc_error *error) {
  area->file = -1;
  if (!add_extent(area, (uintptr_t)area->base, area->size))
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "out of memory");
  if (access == JIT_WRITABLE)
    return mprotect(area->base, area->size, PROT_READ | PROT_WRITE) == 0 ? SPGC_OK
                                                                         : refuse("data", error);
  int file = open_file(area->size);
  if (file < 0)
    return refuse("a file in memory", error);
  if (map_file(area, access, file))
    return SPGC_OK;
  enum spgc_result result =
      refuse(access == JIT_EXECUTABLE ? "executable memory" : "read-only memory", error);
  close(file);
  return result;
}

static enum spgc_result open_areas(struct jit_arena *arena, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  uint8_t *base = arena->base;
  for (int i = 0; i < JIT_AREAS && result == SPGC_OK; i++) {
    arena->areas[i].base = base;
    base += arena->areas[i].size;
    result = open_area(&arena->areas[i], (enum jit_access)i, error);
  }
  return result;
}

enum spgc_result spgc_jit_arena_reserve(struct jit_arena *arena, size_t code_bytes,
                                        struct spgc_error *error) {
  pthread_once(&forks_counted, count_forks);
  *arena = (struct jit_arena){.page = (size_t)sysconf(_SC_PAGESIZE)};
  for (int i = 0; i < JIT_AREAS; i++) {
    bool is_code = i == JIT_EXECUTABLE && code_bytes != 0;
    arena->areas[i] = (struct jit_area){.size = is_code ? code_bytes : AREA_BYTES, .file = -1};
    arena->size += arena->areas[i].size;
  }
  void *base =
      mmap(NULL, arena->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "cannot reserve address space for generated code");
  arena->base = base;
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
  enum spgc_result result = open_areas(arena, error);
  if (result != SPGC_OK)
    spgc_jit_arena_release(arena);
  return result;
}

static void free_extents(struct address_node *node) {
  for (struct address_node *right; node != NULL; node = right) {
    right = node->right;
    free_extents(node->left);
    free(node);
  }
}

void spgc_jit_arena_release(struct jit_arena *arena) {
  spgc_require(munmap(arena->base, arena->size) == 0, "the JIT's arena cannot be unmapped");
  for (int i = 0; i < JIT_AREAS; i++) {
    struct jit_area *area = &arena->areas[i];
    free_extents(area->free.root);
    if (area->file >= 0 && is_own_file(area))
      close(area->file);
  }
  *arena = (struct jit_arena){0};
}

/* ---- Spans ---- */

/* Cuts [start, start + size) out of a free extent. False without any change if there is no
 * memory. */
static bool cut(struct jit_area *area, struct jit_extent *extent, uintptr_t start, size_t size) {
  uintptr_t first = extent->node.key, end = first + extent->node.value;
  if (start + size < end && !add_extent(area, start + size, end - (start + size)))
    return false;
  spgc_address_tree_remove(&area->free, &extent->node);
  extent->node.value = start - first;
  if (start > first)
    spgc_address_tree_insert(&area->free, &extent->node);
  else
    free(extent);
  return true;
}

bool spgc_jit_arena_take(struct jit_arena *arena, enum jit_access access, size_t bytes,
                         size_t alignment, struct jit_span *span) {
  struct jit_area *area = &arena->areas[access];
  if (bytes > area->size || alignment > area->size)
    return false;
  size_t size = (bytes + GRANULE - 1) & ~(size_t)(GRANULE - 1),
         slack = alignment > GRANULE ? alignment - GRANULE : 0;
  struct address_node *node = spgc_address_tree_first(area->free.root, size + slack);
  struct jit_extent *own = node != NULL ? calloc(1, sizeof *own) : NULL;
  uintptr_t start = node != NULL ? (node->key + slack) & ~(uintptr_t)(alignment - 1) : 0;
  if (alignment <= GRANULE && node != NULL)
    start = node->key;
  if (own == NULL || !cut(area, (struct jit_extent *)node, start, size)) {
    free(own);
    return false;
  }
  area->used += size;
  *span = (struct jit_span){area->base + (start - (uintptr_t)area->base), size, own};
  if (access == JIT_WRITABLE)
    memset(span->start, 0, size);
  return true;
}

/* On AArch64, instructions come through a cache that does not see writes: the first call brings it
 * up to date. A core may also have fetched earlier code of these pages, or a sled that was patched
 * since, and may run that until it synchronises (Arm Architecture Reference Manual, B2.2.5; Intel's
 * manual, volume 3A, "cross-modifying code"): the second call makes every core that runs a thread
 * of the process do so. A sandbox may refuse it. Then that small window stays, as in JITs that do
 * without. */
static void publish_instructions(uint8_t *start, size_t size) {
  __builtin___clear_cache((char *)start, (char *)start + size);
  syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

/* A page with a breakpoint is a copy that does not follow the file. Without the copy it does, and
 * the debugger writes its breakpoints again when the program goes on after it stopped next. */
static void forget_breakpoints(const struct jit_arena *arena, const uint8_t *to, size_t size) {
  uintptr_t first = (uintptr_t)to & ~(arena->page - 1);
  madvise((void *)first, (uintptr_t)to + size - first, MADV_DONTNEED);
}

enum spgc_result spgc_jit_arena_write(struct jit_arena *arena, enum jit_access access, uint8_t *to,
                                      const void *bytes, size_t size, struct spgc_error *error) {
  struct jit_area *area = &arena->areas[access];
  if (!own_file(area, access) || !write_all(area->file, bytes, size, to - area->base))
    return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0,
                          "the system refuses to write %zu bytes of generated code: %s", size,
                          strerror(errno));
  if (access == JIT_EXECUTABLE) {
    forget_breakpoints(arena, to, size);
    publish_instructions(to, size);
  }
  return SPGC_OK;
}

/* Gives the pages from `first` to `end` back to the system, if it takes them. */
static void drop_pages(struct jit_area *area, enum jit_access access, uintptr_t first,
                       uintptr_t end) {
  if (first >= end)
    return;
  if (access == JIT_WRITABLE)
    madvise(area->base + (first - (uintptr_t)area->base), end - first, MADV_DONTNEED);
  else if (own_file(area, access))
    fallocate(area->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)(first - (uintptr_t)area->base), (off_t)(end - first));
}

static uintptr_t greater(uintptr_t a, uintptr_t b) {
  return a > b ? a : b;
}

static uintptr_t lesser(uintptr_t a, uintptr_t b) {
  return a < b ? a : b;
}

/* Joins the free extent at the end of another one, which is not in the tree, into it. */
static void absorb_next(struct jit_area *area, struct address_node *into) {
  struct address_node *next = spgc_address_tree_find(area->free.root, into->key + into->value, 0);
  if (next == NULL)
    return;
  spgc_address_tree_remove(&area->free, next);
  into->value += next->value;
  free(next);
}

void spgc_jit_arena_give_back(struct jit_arena *arena, enum jit_access access,
                              struct jit_span *span) {
  if (span->start == NULL)
    return;
  struct jit_area *area = &arena->areas[access];
  uintptr_t start = (uintptr_t)span->start, end = start + span->size, mask = arena->page - 1;
  struct address_node *node = &span->extent->node,
                      *before = spgc_address_tree_before(area->free.root, start);
  *node = (struct address_node){.key = start, .value = span->size};
  absorb_next(area, node);
  if (before != NULL && before->key + before->value == start) {
    spgc_address_tree_remove(&area->free, before);
    before->value += node->value;
    free(node);
    node = before;
  }
  spgc_address_tree_insert(&area->free, node);
  drop_pages(area, access, greater((node->key + mask) & ~mask, start & ~mask),
             lesser((node->key + node->value) & ~mask, (end + mask) & ~mask));
  area->used -= span->size;
  *span = (struct jit_span){0};
}
