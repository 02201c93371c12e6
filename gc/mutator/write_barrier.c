/* Generated code inlines the same barrier (codegen/prelude.ll). */
#include "gc/mutator/misuse.h"
#include "gc/state/runtime.h"
#include "heap/remembered/barrier.h"
#include "spgc/allocate.h"
#include "spgc/generated.h"
#include "spgc/thread.h"

/* A thread that may not touch objects has no cards. */
static inline void require_field(const char *call, struct spgc_slot field) {
  if (__builtin_expect(spgc_thread.cards == 0, 0))
    spgc_misuse_unattached(call);
  spgc_require(spgc_heap_contains(&spgc_runtime.heap, (uintptr_t)field.location),
               "%s: %p is not a field of an object", call, (const void *)field.location);
}

void spgc_store(struct spgc_slot field, struct spgc_ref value) {
  require_field(__func__, field);
  __atomic_store_n(&field.location->word, value.word, __ATOMIC_RELEASE);
  spgc_remembered_note(field);
}

struct spgc_ref spgc_exchange(struct spgc_slot field, struct spgc_ref value) {
  require_field(__func__, field);
  uintptr_t found = __atomic_exchange_n(&field.location->word, value.word, __ATOMIC_SEQ_CST);
  spgc_remembered_note(field);
  return (struct spgc_ref){found};
}

bool spgc_compare_exchange(struct spgc_slot field, struct spgc_ref *expected,
                           struct spgc_ref value) {
  require_field(__func__, field);
  spgc_require_use(expected != NULL, "no expected reference is given");
  bool stored = __atomic_compare_exchange_n(&field.location->word, &expected->word, value.word,
                                            false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (stored)
    spgc_remembered_note(field);
  return stored;
}

static struct spgc_slot field_of(struct spgc_ref object, uint64_t offset) {
  return (struct spgc_slot){(void *)(object.word + offset)};
}

struct spgc_ref spgc_field_load(struct spgc_ref object, uint64_t offset) {
  struct spgc_slot field = field_of(object, offset);
  return (struct spgc_ref){__atomic_load_n(&field.location->word, __ATOMIC_ACQUIRE)};
}

void spgc_field_store(struct spgc_ref object, uint64_t offset, struct spgc_ref value) {
  spgc_store(field_of(object, offset), value);
}

struct spgc_ref spgc_field_exchange(struct spgc_ref object, uint64_t offset,
                                    struct spgc_ref value) {
  return spgc_exchange(field_of(object, offset), value);
}

struct spgc_ref spgc_field_compare_exchange(struct spgc_ref object, uint64_t offset,
                                            struct spgc_ref expected, struct spgc_ref value) {
  spgc_compare_exchange(field_of(object, offset), &expected, value);
  return expected;
}
