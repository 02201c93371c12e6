#include "gc/mutator/misuse.h"

#include <inttypes.h>

#include "gc/state/runtime.h"
#include "heap/check_type.h"
#include "heap/object.h"

void spgc_misuse_unattached(const char *call) {
  if (spgc_mutator_attached != NULL)
    spgc_fatal("%s: the calling thread is in spgc_call_blocking; go back with spgc_call_managed",
               call);
  char copies[SPGC_COPY_TEXT_BYTES];
  if (!spgc_runtime.started)
    spgc_fatal(
        "%s: the heap is not started, so the calling thread is not attached; call spgc_start and "
        "spgc_thread_attach%s",
        call, spgc_copies_explain(copies));
  spgc_fatal("%s: the calling thread is not attached; call spgc_thread_attach", call);
}

_Thread_local bool spgc_is_forking;

const struct spgc_type *spgc_known_types[1 << SPGC_KNOWN_TYPES_LOGARITHM];

static void remember(const struct spgc_type *type) {
  __atomic_store_n(spgc_known_type_place(type), type, __ATOMIC_RELAXED);
}

static const char *wrong_with(const struct spgc_type *type) {
  if (type == NULL)
    return "it is null";
  if ((uintptr_t)type % _Alignof(struct spgc_type) != 0)
    return "it is not aligned";
  if (spgc_heap_spans(&spgc_runtime.heap, (uintptr_t)type))
    return "it is in the heap";
  if (type->size < SPGC_WORD_BYTES || type->size % SPGC_WORD_BYTES != 0)
    return "its size is 0 or is not a multiple of 8";
  return spgc_check_type(&spgc_runtime.heap, NULL, (uintptr_t)type);
}

void spgc_look_at_type(const char *call, const struct spgc_type *type) {
  const char *wrong = wrong_with(type);
  spgc_require(wrong == NULL,
               "%s: the type descriptor at 0x%" PRIxPTR " cannot be used: %s (spgc/type.h)", call,
               (uintptr_t)type, wrong);
  remember(type);
}

const char *spgc_misuse_of_object(struct spgc_ref object) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  if (!spgc_heap_spans(heap, object.word))
    return object.word == SPGC_HANDLE_POISON ? "it was read from a handle whose scope was closed"
                                             : "it is outside the heap";
  uint32_t block = spgc_heap_block_of(heap, object.word);
  uintptr_t start = spgc_heap_block_start(heap, block);
  enum spgc_space space = spgc_heap_space(heap, block);
  if (space == SPGC_SPACE_FREE)
    return "it leads to free memory";
  if (space == SPGC_SPACE_LARGE_REST ||
      (!spgc_space_is_old_small(space) && space != SPGC_SPACE_NURSERY && object.word != start))
    return "it leads into an object, not to its beginning";
  if (object.word % SPGC_WORD_BYTES != 0)
    return "it is not aligned";
  /* Examines only the word: walking the objects before it would be unsafe, because other threads
   * fill holes between them, and their types may be gone. */
  struct spgc_readable_pages pages = {.known = {0}};
  const struct spgc_type *type = spgc_object_type(object);
  if (type != NULL && spgc_type_is_known(type))
    return NULL;
  if (spgc_check_type(heap, &pages, (uintptr_t)type) != NULL)
    return "it leads into an object, not to its beginning";
  remember(type);
  return NULL;
}

enum spgc_result spgc_check_object(const char *call, const char *which, struct spgc_ref object,
                                   struct spgc_error *error) {
  const char *wrong = spgc_misuse_of_object(object);
  if (wrong == NULL)
    return SPGC_OK;
  return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0, "%s: %s%#" PRIxPTR "%s: %s", call,
                        which, object.word, which[0] == '\0' ? " is not an object" : "", wrong);
}
