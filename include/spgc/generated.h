/* What generated code calls. Frontends do not call these from C: the lowering's prelude
 * (codegen/prelude.ll) does.
 *
 * Fast path of an allocation: object = thread.cursor; end = object + bytes; if end <= thread.limit
 * then thread.cursor = end, zero the object, store header and length. Otherwise spgc_allocate_slow.
 */
#ifndef SPGC_GENERATED_H
#define SPGC_GENERATED_H

#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/type.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A new zeroed object with header and, for a type with a tail, length stored. Never null: when
 * memory is exhausted and the out-of-memory hook returned, the process ends with a message. A
 * safepoint. */
struct spgc_ref spgc_allocate_slow(const struct spgc_type *type, uint64_t length);

/* Called by a poll that found thread.poll non-zero. A safepoint. */
void spgc_poll_slow(void);

/* What LLVM calls for llvm.memcpy.element.unordered.atomic and its kin, with elements of 1, 2, 4
 * and 8 bytes (objects are aligned to 8); the names are LLVM's. `bytes` is a multiple of the
 * element's size, addresses are aligned to it.
 *
 * With "safepoint", as statepoints call them: from base + offset to base + offset, marking the
 * cards of what is written; a safepoint, attached threads only. The others are leaves and mark
 * nothing: the lowering's barriers do. */
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
