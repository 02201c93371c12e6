/* A typical collector of virtual machines in C: malloc, a list of all objects, marking with its own
 * stack, sweeping with free. It has the library's functions that Tarn calls, so the same source
 * runs on either. -Daddress_space(n)= makes references plain pointers. */
#include "tarn.h"

#include <setjmp.h>
#include <stdlib.h>

#include "collect.h"
#include "spgc/main.h"
#include "spgc/protect.h"
#include "spgc/roots.h"

enum { FIRST_LIMIT = 1 << 20, GROWTH = 2 };

/* Precedes each object. */
struct header {
  struct header *next;
  uint64_t marked;
};

uint64_t heap_bytes, heap_limit = FIRST_LIMIT;
static struct header *objects;
static struct spgc_roots *stack_roots;

/* Marked objects whose references are not yet marked. */
static object **gray;
static uint64_t gray_count, gray_capacity;

static struct header *header_of(object *of) {
  return (struct header *)of - 1;
}

static uint64_t length_of(object *of) {
  return ((const uint64_t *)of)[1];
}

static uint64_t bytes_of(const struct spgc_type *type, uint64_t length) {
  return sizeof(struct header) + type->size + length * type->element_size;
}

void *spgc_allocate_array(const struct spgc_type *type, uint64_t length) {
  uint64_t bytes = bytes_of(type, length);
  struct header *header = calloc(1, bytes);
  if (!header)
    abort();
  heap_bytes += bytes;
  header->next = objects;
  objects = header;
  *(const struct spgc_type **)(header + 1) = type;
  if (type->flags & SPGC_TYPE_TAIL)
    ((uint64_t *)(header + 1))[1] = length;
  return header + 1;
}

void *spgc_allocate(const struct spgc_type *type) {
  return spgc_allocate_array(type, 0);
}

static void mark(spgc_value value) {
  if (!spgc_value_is_object(value))
    return;
  struct header *header = header_of((object *)value);
  if (header->marked)
    return;
  header->marked = 1;
  if (gray_count == gray_capacity) {
    gray_capacity = gray_capacity ? 2 * gray_capacity : 1024;
    gray = realloc(gray, gray_capacity * sizeof *gray);
    if (!gray)
      abort();
  }
  gray[gray_count++] = (object *)value;
}

static void mark_at(spgc_value *reference) {
  mark(*reference);
}

static void visit_elements(object *of, void (*visit)(spgc_value *reference)) {
  const struct spgc_type *type = of->type;
  char *element = (char *)of + type->size, *end = element + length_of(of) * type->element_size;
  for (; element < end; element += type->element_size)
    for (uint32_t i = 0; i < type->element_reference_count; i++)
      visit((spgc_value *)(element + type->element_reference_offsets[i]));
}

static void mark_references(object *of) {
  const struct spgc_type *type = of->type;
  for (uint32_t i = 0; i < type->reference_count; i++)
    mark(*(spgc_value *)((char *)of + type->reference_offsets[i]));
  if (type->element_reference_count != 0 && !(type->flags & SPGC_TYPE_TAIL_WEAK))
    visit_elements(of, mark_at);
}

static void clear_if_dead(spgc_value *reference) {
  if (*reference && !header_of((object *)*reference)->marked)
    *reference = NULL;
}

static void mark_roots(void) {
  mark((spgc_value)vm.strings);
  mark((spgc_value)vm.init);
  mark((spgc_value)vm.open);
  for (uint64_t i = 0; i < stack_roots->count; i++)
    mark((spgc_value)stack_roots->first[i].word);
}

static void sweep(void) {
  struct header **link = &objects;
  while (*link) {
    struct header *at = *link;
    if (at->marked) {
      at->marked = 0;
      link = &at->next;
      continue;
    }
    object *dead = (object *)(at + 1);
    heap_bytes -= bytes_of(dead->type, dead->type->flags & SPGC_TYPE_TAIL ? length_of(dead) : 0);
    *link = at->next;
    free(at);
  }
}

void collect(void) {
  mark_roots();
  while (gray_count)
    mark_references(gray[--gray_count]);
  visit_elements((object *)vm.strings, clear_if_dead);
  sweep();
  heap_limit = heap_bytes * GROWTH < FIRST_LIMIT ? FIRST_LIMIT : heap_bytes * GROWTH;
}

/* ---- The rest of the library that Tarn needs ---- */

void spgc_roots_add(struct spgc_roots *roots) {
  stack_roots = roots;
}

static jmp_buf protected;

void *spgc_protect(void *(*function)(void *), void *argument, bool *was_left) {
  *was_left = setjmp(protected) != 0;
  return *was_left ? NULL : function(argument);
}

void spgc_leave(struct spgc_protection *protection, void *value) {
  (void)protection;
  (void)value;
  longjmp(protected, 1);
}

enum spgc_result spgc_main(const struct spgc_options *options, void (*function)(void *),
                           void *argument, struct spgc_error *error) {
  (void)options;
  (void)error;
  function(argument);
  return SPGC_OK;
}
