/* Calls, which --wrap redirects here, must begin at pages of PAGE_BYTES, and affect whole ones. */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void *__real_mmap64(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t bytes);
int __real_mprotect(void *address, size_t bytes, int protection);
int __real_madvise(void *address, size_t bytes, int advice);
long __real_sysconf(int name);

void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t bytes);
int __wrap_mprotect(void *address, size_t bytes, int protection);
int __wrap_madvise(void *address, size_t bytes, int advice);
long __wrap_sysconf(int name);

static size_t whole(size_t bytes) {
  return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static int refuse(const void *address) {
  if ((uintptr_t)address % PAGE_BYTES == 0)
    return 0;
  errno = EINVAL;
  return -1;
}

/* The first page is aligned like a larger one. */
void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int file,
                    off_t offset) {
  if ((flags & MAP_FIXED) != 0)
    return refuse(address) != 0
               ? MAP_FAILED
               : __real_mmap64(address, whole(bytes), protection, flags, file, offset);
  char *mapping =
      __real_mmap64(address, whole(bytes) + PAGE_BYTES, protection, flags, file, offset);
  if (mapping == MAP_FAILED)
    return MAP_FAILED;
  size_t before = -(uintptr_t)mapping % PAGE_BYTES;
  if (before != 0)
    __real_munmap(mapping, before);
  __real_munmap(mapping + before + whole(bytes), PAGE_BYTES - before);
  return mapping + before;
}

int __wrap_munmap(void *address, size_t bytes) {
  return refuse(address) != 0 ? -1 : __real_munmap(address, whole(bytes));
}

int __wrap_mprotect(void *address, size_t bytes, int protection) {
  return refuse(address) != 0 ? -1 : __real_mprotect(address, whole(bytes), protection);
}

int __wrap_madvise(void *address, size_t bytes, int advice) {
  return refuse(address) != 0 ? -1 : __real_madvise(address, whole(bytes), advice);
}

long __wrap_sysconf(int name) {
  return name == _SC_PAGESIZE ? PAGE_BYTES : __real_sysconf(name);
}
