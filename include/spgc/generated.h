/* The entry points of generated code, called by the lowering's prelude (codegen/prelude.ll);
 * frontends do not call them from C.
 *
 * An allocation's fast path: object = thread.cursor; end = object + bytes; if end <= thread.limit,
 * thread.cursor = end, zero the object, store header and length; else spgc_allocate_slow. */
#ifndef SPGC_GENERATED_H
#define SPGC_GENERATED_H

#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/type.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Allocates a zeroed object and stores its header and, for a type with a tail, its length. Never
 * returns null (spgc/managed.h). A safepoint. Attached threads only. */
struct spgc_ref spgc_allocate_slow(const struct spgc_type *type, uint64_t length);

/* Called by a poll that found thread.poll non-zero. Does nothing in spgc_call_blocking. A
 * safepoint. */
void spgc_poll_slow(void);

/* Atomic access to fields (spgc/managed.h). `offset` is in bytes. Leaves. Attached threads only. */
struct spgc_ref spgc_field_load(struct spgc_ref object, uint64_t offset);
void spgc_field_store(struct spgc_ref object, uint64_t offset, struct spgc_ref value);
struct spgc_ref spgc_field_exchange(struct spgc_ref object, uint64_t offset, struct spgc_ref value);
struct spgc_ref spgc_field_compare_exchange(struct spgc_ref object, uint64_t offset,
                                            struct spgc_ref expected, struct spgc_ref value);

/* Called by code that was lowered with check_numbers (spgc/lower.h). The first checks a word, the
 * second the words that `bytes` bytes at `first` touch, the third those copied to `first` in
 * `object`, except references of its descriptor. Each ends the process with a message if a word is
 * the address of an object, even one that has moved or died. `place` is text: file, line, function,
 * and the operation. Leaves, for any thread in any state. */
void spgc_check_number(uint64_t number, const char *place);
void spgc_check_words(uint64_t first, uint64_t bytes, const char *place);
void spgc_check_copy(struct spgc_ref object, const void *first, uint64_t bytes, const char *place);

/* Called by LLVM, under its names, for llvm.memcpy.element.unordered.atomic and the related
 * intrinsics, with elements of 1, 2, 4 or 8 bytes, because objects are aligned to 8. `bytes` and
 * the addresses are multiples of the element's size.
 *
 * Those with "safepoint" in the name are called by statepoints, copy between bases + offsets, and
 * mark the cards of the copies. They are safepoints, for attached threads only. The others are
 * leaves and mark no cards, because the lowering adds barriers. */
#define SPGC_ELEMENT_COPIES(X) X(1) X(2) X(4) X(8)
#define SPGC_DECLARE_ELEMENT_COPIES(width)                                                         \
  void __llvm_memcpy_element_unordered_atomic_safepoint_##width(                                   \
      struct spgc_ref to, uint64_t to_offset, struct spgc_ref from, uint64_t from_offset,          \
      uint64_t bytes);                                                                             \
  void __llvm_memmove_element_unordered_atomic_safepoint_##width(                                  \
      struct spgc_ref to, uint64_t to_offset, struct spgc_ref from, uint64_t from_offset,          \
      uint64_t bytes);                                                                             \
  void __llvm_memcpy_element_unordered_atomic_##width(void *to, const void *from, uint64_t bytes); \
  void __llvm_memmove_element_unordered_atomic_##width(void *to, const void *from,                 \
                                                       uint64_t bytes);                            \
  void __llvm_memset_element_unordered_atomic_##width(void *to, uint8_t byte, uint64_t bytes);
SPGC_ELEMENT_COPIES(SPGC_DECLARE_ELEMENT_COPIES)
#undef SPGC_DECLARE_ELEMENT_COPIES

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
