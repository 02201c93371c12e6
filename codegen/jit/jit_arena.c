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

enum { GRANULE = 16, NOEXEC_SEAL = 8 /* MFD_NOEXEC_SEAL */ };
static const size_t AREA_BYTES = (size_t)512 << 20; /* 32 bits hold any offset */

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

/* Beyond RLIMIT_FSIZE, a signal would end the process. */
static bool may_be_as_long(size_t size) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur >= size)
    return true;
  errno = EFBIG;
  return false;
}

/* Linux 6.3 and later ask whether such a file may be executed as a program, and may refuse that
 * (vm.memfd_noexec). It can be mapped as code all the same. */
static int create_file(void) {
  int file = memfd_create("spgc-jit", MFD_CLOEXEC | NOEXEC_SEAL);
  return file < 0 && errno == EINVAL ? memfd_create("spgc-jit", MFD_CLOEXEC) : file;
}

/* Never a standard stream, even if those are closed. -1 and errno on failure. */
static int open_file(void) {
  int first = create_file(), file = first;
  if (first >= 0 && first <= STDERR_FILENO) {
    file = fcntl(first, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(first);
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

/* Maps the file over the area in one step, so threads that run code there always find the old or
 * the new pages. The mapping is private: a debugger cannot write breakpoints into a shared one. */
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

/* gdb writes core files in pieces of 1 MiB, and leaves out a piece with memory beyond the file. If
 * the file cannot become longer, core files lack the code. */
static void fill_last_piece(int file, size_t length) {
  static const size_t piece = 1 << 20;
  size_t end = (length + piece - 1) / piece * piece;
  bool unused = may_be_as_long(end) && ftruncate(file, (off_t)end) == 0;
  (void)unused;
}

static bool copy_area(const struct jit_area *area, int file) {
  size_t start = 0, end = 0;
  for (; spgc_jit_space_next(&area->space, &start, &end) && start * GRANULE < area->length;
       start = end) {
    size_t first = start * GRANULE, rest = area->length - first, size = (end - start) * GRANULE;
    if (!write_all(file, area->base + first, size < rest ? size : rest, (off_t)first))
      return false;
  }
  fill_last_piece(file, area->length);
  return true;
}

static bool replace_file(struct jit_area *area, enum jit_access access) {
  int file = open_file(), old = is_own_file(area) ? area->file : -1;
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

/* A forked process gets its own file. False and errno on failure. */
static bool own_file(struct jit_area *area, enum jit_access access) {
  return (area->forks == atomic_load(&forks) && is_own_file(area)) || replace_file(area, access);
}

static enum spgc_result open_area(struct jit_area *area, enum jit_access access,
                                  struct spgc_error *error) {
  area->file = -1;
  if (!spgc_jit_space_open(&area->space, area->size / GRANULE))
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "cannot reserve address space for generated code");
  if (access == JIT_WRITABLE)
    return mprotect(area->base, area->size, PROT_READ | PROT_WRITE) == 0 ? SPGC_OK
                                                                         : refuse("data", error);
  int file = open_file();
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

void spgc_jit_arena_release(struct jit_arena *arena) {
  spgc_require(munmap(arena->base, arena->size) == 0, "the JIT's arena cannot be unmapped");
  for (int i = 0; i < JIT_AREAS; i++) {
    struct jit_area *area = &arena->areas[i];
    spgc_jit_space_close(&area->space);
    if (area->file >= 0 && is_own_file(area))
      close(area->file);
  }
  *arena = (struct jit_arena){0};
}

static size_t granules_of(size_t bytes) {
  return (bytes + GRANULE - 1) / GRANULE;
}

bool spgc_jit_arena_take(struct jit_arena *arena, enum jit_access access, size_t bytes,
                         size_t alignment, struct jit_span *span) {
  struct jit_area *area = &arena->areas[access];
  if (bytes > area->size || alignment > area->size)
    return false;
  size_t start, count = granules_of(bytes);
  const struct jit_alignment aligned = {granules_of(alignment), (uintptr_t)area->base / GRANULE};
  if (!spgc_jit_space_take(&area->space, count, aligned, &start))
    return false;
  *span = (struct jit_span){(uint32_t)((size_t)(area->base - arena->base) + start * GRANULE),
                            (uint32_t)(count * GRANULE)};
  area->used += span->size;
  if (access == JIT_WRITABLE)
    memset(jit_span_start(arena, *span), 0, span->size);
  return true;
}

/* On AArch64, the instruction cache does not see writes: the first call updates it. A core may also
 * have fetched earlier code of these pages, or the sled before it was patched, and may run that
 * until it synchronises (Arm Architecture Reference Manual, B2.2.5; Intel's manual, volume 3A,
 * "cross-modifying code"). The second call makes all cores that run the process do so. If a sandbox
 * refuses it, a small window remains. */
static void publish_instructions(uint8_t *start, size_t size) {
  __builtin___clear_cache((char *)start, (char *)start + size);
  syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

/* A page with a breakpoint is a copy that does not follow the file. Dropping the copy makes it
 * follow again; the debugger rewrites its breakpoints when it next continues the program. */
static void forget_breakpoints(const struct jit_arena *arena, const uint8_t *to, size_t size) {
  uintptr_t first = (uintptr_t)to & ~(arena->page - 1);
  madvise((void *)first, (uintptr_t)to + size - first, MADV_DONTNEED);
}

enum spgc_result spgc_jit_arena_write(struct jit_arena *arena, enum jit_access access, uint8_t *to,
                                      const void *bytes, size_t size, struct spgc_error *error) {
  struct jit_area *area = &arena->areas[access];
  size_t end = (size_t)(to - area->base) + size;
  if (!may_be_as_long(end) || !own_file(area, access) ||
      !write_all(area->file, bytes, size, to - area->base))
    return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0,
                          "the system refuses to write %zu bytes of generated code: %s", size,
                          strerror(errno));
  if (end > area->length) {
    area->length = end;
    fill_last_piece(area->file, end);
  }
  if (access == JIT_EXECUTABLE) {
    forget_breakpoints(arena, to, size);
    publish_instructions(to, size);
  }
  return SPGC_OK;
}

static void drop_pages(struct jit_area *area, enum jit_access access, size_t first, size_t end) {
  if (access == JIT_WRITABLE)
    madvise(area->base + first, end - first, MADV_DONTNEED);
  else if (own_file(area, access))
    fallocate(area->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first,
              (off_t)(end - first));
}

static bool is_free(const struct jit_area *area, size_t first, size_t end) {
  return spgc_jit_space_is_free(&area->space, first / GRANULE, end / GRANULE);
}

void spgc_jit_arena_give_back(struct jit_arena *arena, enum jit_access access,
                              struct jit_span *span) {
  if (span->size == 0)
    return;
  struct jit_area *area = &arena->areas[access];
  size_t start = (size_t)(jit_span_start(arena, *span) - area->base), end = start + span->size;
  size_t first = start & ~(arena->page - 1), last = (end + arena->page - 1) & ~(arena->page - 1);
  spgc_jit_space_give_back(&area->space, start / GRANULE, span->size / GRANULE);
  if (!is_free(area, first, start))
    first += arena->page;
  if (!is_free(area, end, last))
    last -= arena->page;
  if (first < last)
    drop_pages(area, access, first, last);
  area->used -= span->size;
  *span = (struct jit_span){0};
}
