/* The only code that knows the layout of spgc/type.h. Functions with a visitor are inlined into its
 * loop. */
#ifndef SPGC_HEAP_OBJECT_H
#define SPGC_HEAP_OBJECT_H

#include <stdbool.h>

#include "heap/geometry.h"
#include "spgc/ref.h"
#include "spgc/type.h"

#define SPGC_INLINE static inline __attribute__((always_inline))

typedef void (*spgc_slot_visitor)(void *context, struct spgc_slot slot);

SPGC_INLINE uintptr_t spgc_object_header(struct spgc_ref object) {
  return *(const uintptr_t *)object.word;
}

SPGC_INLINE void spgc_object_set_header(struct spgc_ref object, uintptr_t header) {
  *(uintptr_t *)object.word = header;
}

SPGC_INLINE const struct spgc_type *spgc_object_type(struct spgc_ref object) {
  return (const struct spgc_type *)spgc_object_header(object);
}

/* Objects, cards or fields that are fetched together before the first is read. */
enum { SPGC_PREFETCHED = 16 };

/* It may begin at the end of a cache line. */
SPGC_INLINE void spgc_object_fetch(struct spgc_ref object) {
  enum { NEAR_END = 3 * SPGC_WORD_BYTES };
  __builtin_prefetch((const void *)object.word);
  __builtin_prefetch((const void *)(object.word + NEAR_END));
}

SPGC_INLINE uint64_t spgc_object_length(struct spgc_ref object) {
  return ((const uint64_t *)object.word)[1];
}

static inline const char *const *spgc_type_field_names(const struct spgc_type *type) {
  const char *member = (const char *)type + type->field_names;
  return type->field_names != 0 ? *(const char *const *const *)(const void *)member : NULL;
}

static inline uint32_t spgc_type_field_count(const struct spgc_type *type) {
  uint32_t head = (type->flags & SPGC_TYPE_TAIL) != 0 ? 2 : 1;
  return (type->flags & SPGC_TYPE_VALUES) != 0 ? type->size / SPGC_WORD_BYTES - head
                                               : type->reference_count;
}

SPGC_INLINE bool spgc_type_has_references(const struct spgc_type *type) {
  return (type->flags & (SPGC_TYPE_VALUES | SPGC_TYPE_TAIL_VALUES)) != 0 ||
         (type->reference_count | type->element_reference_count) != 0;
}

/* The tail's references, then the only ones, are weak. */
SPGC_INLINE bool spgc_type_is_weak(const struct spgc_type *type) {
  return (type->flags & SPGC_TYPE_TAIL_WEAK) != 0;
}

/* The sum cannot overflow, because the object exists. */
SPGC_INLINE size_t spgc_object_bytes(struct spgc_ref object, const struct spgc_type *type) {
  if ((type->flags & SPGC_TYPE_TAIL) == 0)
    return type->size;
  size_t bytes = type->size + spgc_object_length(object) * type->element_size;
  return (bytes + SPGC_WORD_BYTES - 1) & ~(size_t)(SPGC_WORD_BYTES - 1);
}

SPGC_INLINE struct spgc_ref spgc_object_next(struct spgc_ref object) {
  return (struct spgc_ref){object.word + spgc_object_bytes(object, spgc_object_type(object))};
}

/* False if no address space could hold it. */
static inline bool spgc_type_bytes_for(const struct spgc_type *type, uint64_t length,
                                       size_t *bytes) {
  size_t total = type->size;
  if ((type->flags & SPGC_TYPE_TAIL) != 0) {
    size_t tail;
    if (__builtin_mul_overflow(length, (uint64_t)type->element_size, &tail) ||
        __builtin_add_overflow(total, tail, &total) || total > SIZE_MAX - SPGC_WORD_BYTES)
      return false;
  }
  *bytes = (total + SPGC_WORD_BYTES - 1) & ~(size_t)(SPGC_WORD_BYTES - 1);
  return true;
}

SPGC_INLINE void spgc_visit_words(uintptr_t from, uintptr_t to, spgc_slot_visitor visit,
                                  void *context) {
  for (uintptr_t word = from; word < to; word += SPGC_WORD_BYTES)
    visit(context, (struct spgc_slot){(void *)word});
}

SPGC_INLINE void spgc_visit_offsets(uintptr_t start, const uint32_t *offsets, uint32_t count,
                                    spgc_slot_visitor visit, void *context) {
  for (uint32_t i = 0; i < count; i++)
    visit(context, (struct spgc_slot){(void *)(start + offsets[i])});
}

SPGC_INLINE uintptr_t spgc_object_values(struct spgc_ref object, const struct spgc_type *type) {
  size_t words = (type->flags & SPGC_TYPE_TAIL) != 0 ? 2 : 1;
  return object.word + words * SPGC_WORD_BYTES;
}

SPGC_INLINE bool spgc_type_tail_is_words(const struct spgc_type *type) {
  return (type->flags & SPGC_TYPE_TAIL_VALUES) != 0 ||
         (type->element_reference_count == 1 && type->element_size == SPGC_WORD_BYTES);
}

SPGC_INLINE void spgc_object_visit_tail(struct spgc_ref object, const struct spgc_type *type,
                                        spgc_slot_visitor visit, void *context) {
  uintptr_t start = object.word + type->size;
  uintptr_t end = start + spgc_object_length(object) * type->element_size;
  if (spgc_type_tail_is_words(type)) {
    spgc_visit_words(start, end, visit, context);
  } else if (type->element_reference_count != 0) {
    for (uintptr_t element = start; element < end; element += type->element_size)
      spgc_visit_offsets(element, type->element_reference_offsets, type->element_reference_count,
                         visit, context);
  }
}

SPGC_INLINE void spgc_object_visit(struct spgc_ref object, const struct spgc_type *type,
                                   spgc_slot_visitor visit, void *context) {
  uint32_t flags = type->flags;
  if ((flags & SPGC_TYPE_VALUES) == 0)
    spgc_visit_offsets(object.word, type->reference_offsets, type->reference_count, visit, context);
  if (__builtin_expect(flags == 0, 1))
    return;
  if ((flags & SPGC_TYPE_VALUES) != 0)
    spgc_visit_words(spgc_object_values(object, type), object.word + type->size, visit, context);
  if ((flags & SPGC_TYPE_TAIL) != 0)
    spgc_object_visit_tail(object, type, visit, context);
}

struct spgc_window {
  uintptr_t from, to;
  spgc_slot_visitor visit;
  void *context;
};

enum { SPGC_LINE_BYTES = 64 };

/* Mutators may write it. */
SPGC_INLINE bool spgc_line_is_zero(uintptr_t line) {
  for (uintptr_t word = line; word < line + SPGC_LINE_BYTES; word += SPGC_WORD_BYTES)
    if (__atomic_load_n((const uint64_t *)word, __ATOMIC_RELAXED) != 0)
      return false;
  return true;
}

/* Much of a large array may be null. */
SPGC_INLINE void spgc_visit_words_within(uintptr_t from, uintptr_t to,
                                         const struct spgc_window *window) {
  uintptr_t word = from > window->from ? from : window->from,
            end = to < window->to ? to : window->to;
  for (; end > word && end - word >= SPGC_LINE_BYTES; word += SPGC_LINE_BYTES)
    if (!spgc_line_is_zero(word))
      spgc_visit_words(word, word + SPGC_LINE_BYTES, window->visit, window->context);
  spgc_visit_words(word, end, window->visit, window->context);
}

SPGC_INLINE void spgc_visit_offsets_within(uintptr_t start, const uint32_t *offsets, uint32_t count,
                                           const struct spgc_window *window) {
  for (uint32_t i = 0; i < count; i++) {
    uintptr_t address = start + offsets[i];
    if (address >= window->from && address < window->to)
      window->visit(window->context, (struct spgc_slot){(void *)address});
  }
}

SPGC_INLINE void spgc_object_visit_tail_within(struct spgc_ref object, const struct spgc_type *type,
                                               const struct spgc_window *window) {
  uintptr_t start = object.word + type->size;
  uintptr_t end = start + spgc_object_length(object) * type->element_size;
  if (spgc_type_tail_is_words(type)) {
    spgc_visit_words_within(start, end, window);
  } else if (type->element_reference_count != 0) {
    uintptr_t element = start;
    if (window->from > start)
      element += (window->from - start) / type->element_size * type->element_size;
    for (; element < end && element < window->to; element += type->element_size)
      spgc_visit_offsets_within(element, type->element_reference_offsets,
                                type->element_reference_count, window);
  }
}

/* In time bounded by the window's length. */
SPGC_INLINE void spgc_object_visit_within(struct spgc_ref object, const struct spgc_type *type,
                                          const struct spgc_window *window) {
  if ((type->flags & SPGC_TYPE_VALUES) != 0)
    spgc_visit_words_within(spgc_object_values(object, type), object.word + type->size, window);
  else
    spgc_visit_offsets_within(object.word, type->reference_offsets, type->reference_count, window);
  if ((type->flags & SPGC_TYPE_TAIL) != 0)
    spgc_object_visit_tail_within(object, type, window);
}

static inline void spgc_note_slot(void *found, struct spgc_slot slot) {
  *(bool *)found = true;
}

static inline bool spgc_object_has_slot(struct spgc_ref object, uintptr_t word) {
  bool found = false;
  const struct spgc_window window = {word, word + SPGC_WORD_BYTES, spgc_note_slot, &found};
  spgc_object_visit_within(object, spgc_object_type(object), &window);
  return found;
}

#endif
