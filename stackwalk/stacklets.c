#include "stackwalk/stacklets.h"

#include <stddef.h>
#include <stdint.h>

/* From libgcc, for programs with split stacks. Enumerates the parts of the calling thread's stack,
 * innermost first. The thread's first stack is last; then *next_segment is 2. */
extern void *__splitstack_find(void *segment, void *sp, size_t *size, void **next_segment,
                               void **next_sp, void **initial_sp) __attribute__((weak));

static const uintptr_t initial_stack_found = 2;

struct stacklets spgc_stacklets(struct stack_address base) {
  struct stacklets stacklets = {.above = {UINTPTR_MAX}};
  void *segment = NULL, *sp = NULL, *initial_sp = NULL;
  size_t size;
  if (__splitstack_find == NULL)
    return stacklets;
  void *part = __splitstack_find(segment, sp, &size, &segment, &sp, &initial_sp);
  while (part != NULL && (uintptr_t)segment != initial_stack_found) {
    stacklets.exist = true;
    if ((uintptr_t)part > base.word && (uintptr_t)part < stacklets.above.word)
      stacklets.above.word = (uintptr_t)part;
    part = __splitstack_find(segment, sp, &size, &segment, &sp, &initial_sp);
  }
  return stacklets;
}
