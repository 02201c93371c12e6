/* Element-wise atomic copies for llvm.memcpy.element.unordered.atomic and its relatives. Each
 * element takes one access, so no thread sees half a reference.
 *
 * The "safepoint" forms take bases and offsets. They copy in chunks, with a poll before and a
 * barrier after each, and follow objects that move. */
#include <stdbool.h>
#include <string.h>

#include "gc/state/runtime.h"
#include "heap/remembered/barrier.h"
#include "spgc/generated.h"
#include "spgc/handle.h"
#include "spgc/thread.h"
#include "support/min_max.h"

enum { CHUNK_BYTES = 1024 };

#define ELEMENT_WIDTHS(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t)

typedef void copy_function(void *to, const void *from, uint64_t bytes, bool downwards);

#define DEFINE_COPY(width, element)                                                                \
  static inline void copy_##width(void *to, const void *from, uint64_t bytes, bool downwards) {    \
    const uint64_t count = bytes / (width);                                                        \
    for (uint64_t i = 0; i < count; i++) {                                                         \
      uint64_t at = downwards ? count - 1 - i : i;                                                 \
      __atomic_store_n((element *)to + at,                                                         \
                       __atomic_load_n((const element *)from + at, __ATOMIC_RELAXED),              \
                       __ATOMIC_RELAXED);                                                          \
    }                                                                                              \
  }
ELEMENT_WIDTHS(DEFINE_COPY)
#undef DEFINE_COPY

/* The base is null for unmanaged memory. */
struct range {
  struct spgc_handle base;
  uint64_t offset;
};

static uintptr_t address_in(struct range range) {
  return spgc_handle_get(range.base).word + range.offset;
}

static void copy_chunk(struct range to, struct range from, uint64_t done, uint64_t bytes,
                       copy_function *copy, bool downwards) {
  if (__atomic_load_n(&spgc_thread.poll, __ATOMIC_RELAXED) != 0)
    spgc_poll_slow();
  uintptr_t destination = address_in(to) + done;
  copy((void *)destination, (const void *)(address_in(from) + done), bytes, downwards);
  if (spgc_heap_spans(&spgc_runtime.heap, destination)) /* unmanaged memory has no cards */
    spgc_remembered_note_range(destination, bytes);
}

/* Downwards if the destination overlaps the source from above. Overlapping ranges are in one
 * object, so moves preserve that. */
static void copy_at_safepoint(struct spgc_ref to, uint64_t to_offset, struct spgc_ref from,
                              uint64_t from_offset, uint64_t bytes, copy_function *copy) {
  struct spgc_scope scope = spgc_scope_open();
  struct range destination = {spgc_handle_make(to), to_offset},
               source = {spgc_handle_make(from), from_offset};
  bool downwards = address_in(destination) - address_in(source) < bytes;
  for (uint64_t done = 0, chunk; done < bytes; done += chunk) {
    chunk = spgc_min(bytes - done, CHUNK_BYTES);
    copy_chunk(destination, source, downwards ? bytes - done - chunk : done, chunk, copy,
               downwards);
  }
  spgc_scope_close(scope);
}

#define DEFINE_SAFEPOINT_COPY(operation, width)                                                    \
  void __llvm_##operation##_element_unordered_atomic_safepoint_##width(                            \
      struct spgc_ref to, uint64_t to_offset, struct spgc_ref from, uint64_t from_offset,          \
      uint64_t bytes) {                                                                            \
    copy_at_safepoint(to, to_offset, from, from_offset, bytes, copy_##width);                      \
  }
#define DEFINE_ENTRY_POINTS(width, element)                                                        \
  DEFINE_SAFEPOINT_COPY(memcpy, width)                                                             \
  DEFINE_SAFEPOINT_COPY(memmove, width)                                                            \
  void __llvm_memcpy_element_unordered_atomic_##width(void *to, const void *from,                  \
                                                      uint64_t bytes) {                            \
    copy_##width(to, from, bytes, false);                                                          \
  }                                                                                                \
  void __llvm_memmove_element_unordered_atomic_##width(void *to, const void *from,                 \
                                                       uint64_t bytes) {                           \
    copy_##width(to, from, bytes, (uintptr_t)to - (uintptr_t)from < bytes);                        \
  }                                                                                                \
  void __llvm_memset_element_unordered_atomic_##width(void *to, uint8_t byte, uint64_t bytes) {    \
    element value;                                                                                 \
    memset(&value, byte, sizeof value);                                                            \
    for (uint64_t i = 0; i < bytes / (width); i++)                                                 \
      __atomic_store_n((element *)to + i, value, __ATOMIC_RELAXED);                                \
  }
ELEMENT_WIDTHS(DEFINE_ENTRY_POINTS)
