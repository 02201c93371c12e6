#include "frontend-demo/runtime/stack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/fatal.h"

static const size_t size_default = (size_t)64 << 20;
static const size_t size_min = (size_t)4 << 20;
static const size_t size_max = (size_t)64 << 30;
static const size_t guard = (size_t)64 << 10;
static const size_t margin = (size_t)1 << 20;

static bool map(struct lox_stack *stack, size_t size) {
  void *start = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (start == MAP_FAILED)
    return false;
  *stack = (struct lox_stack){start, size};
  if (mprotect(start, guard, PROT_NONE) == 0)
    return true;
  lox_stack_release(stack);
  return false;
}

/* 0 without a value, SIZE_MAX if it is not a size. */
static size_t size_by_environment(const char *value) {
  if (value == NULL || *value == '\0')
    return 0;
  char *end;
  errno = 0;
  unsigned long mebibytes = strtoul(value, &end, 10);
  bool is_number = *value >= '0' && *value <= '9' && *end == '\0' && errno == 0;
  if (!is_number || mebibytes < size_min >> 20 || mebibytes > size_max >> 20)
    return SIZE_MAX;
  return (size_t)mebibytes << 20;
}

enum spgc_result lox_stack_reserve(struct lox_stack *stack, struct spgc_error *error) {
  const char *value = getenv("LOX_STACK_MIB");
  size_t size = size_by_environment(value);
  if (size == SIZE_MAX)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "LOX_STACK_MIB: \"%s\" is not a number of mebibytes from %zu to %zu",
                          value, size_min >> 20, size_max >> 20);
  size_t least = size != 0 ? size : size_min;
  for (size = size != 0 ? size : size_default; size >= least; size /= 2)
    if (map(stack, size))
      return SPGC_OK;
  return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "cannot reserve a stack: %s",
                        strerror(errno));
}

void lox_stack_release(struct lox_stack *stack) {
  munmap(stack->start, stack->size);
}

uintptr_t lox_stack_limit(const struct lox_stack *stack) {
  return (uintptr_t)stack->start + guard + margin;
}
