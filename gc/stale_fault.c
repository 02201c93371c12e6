#include "gc/stale_fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gc/state/runtime.h"
#include "support/log.h"

/* sanitizer/asan_interface.h; defined only if the sanitizer is linked. */
extern void __asan_set_error_report_callback(void (*callback)(const char *report))
    __attribute__((weak));
extern void *__asan_get_report_address(void) __attribute__((weak));
extern const char *__asan_get_report_description(void) __attribute__((weak));

enum { TEXT_BYTES = 96 };

bool spgc_is_vacated(uintptr_t address) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  return spgc_heap_spans(heap, address) &&
         heap->spaces[spgc_heap_block_of(heap, address)] == SPGC_SPACE_FREE;
}

/* Where a moved object is, or why it is gone. */
static void describe_place(const struct spgc_heap *heap, const struct spgc_vacated *moved,
                           char text[TEXT_BYTES]) {
  const struct spgc_vacated *next;
  while ((next = spgc_vacated_follow(&heap->vacated, moved)) != NULL && next->to != 0)
    moved = next;
  if (next == NULL)
    snprintf(text, TEXT_BYTES, "It is at %#" PRIxPTR " now. ", moved->to);
  else
    snprintf(text, TEXT_BYTES, "It died in collection %" PRIu32 ". ", next->collection);
}

static void report_object(const struct spgc_heap *heap, uintptr_t address,
                          const struct spgc_vacated *object) {
  char type[SPGC_TYPE_NAME_BYTES], place[TEXT_BYTES] = "";
  spgc_type_name_copy(heap, object->type, type);
  const char *article = strchr("AEIOUaeiou", type[0]) != NULL ? "an" : "a";
  if (object->to != 0)
    describe_place(heap, object, place);
  spgc_log_aloud("a stale reference was used: %#" PRIxPTR " (byte %" PRIuPTR " of %zu) was %s %s, "
                 "%s in collection %" PRIu32 " of %" PRIu32 ". %sSee docs/debugging.md",
                 address, address - object->from, object->bytes, article, type,
                 object->to != 0 ? "moved" : "died", object->collection, heap->collection, place);
}

/* The record has no object there, or no longer. */
static void report_block(const struct spgc_heap *heap, uintptr_t address) {
  uint32_t block = spgc_heap_block_of(heap, address);
  spgc_log_aloud("a stale reference was used: %#" PRIxPTR " lies in block %" PRIu32
                 ", which collection %" PRIu32 " of %" PRIu32
                 " vacated. The object there died or has "
                 "moved. See docs/debugging.md",
                 address, block, heap->blocks[block].vacated_by, heap->collection);
}

void spgc_stale_fault_report(uintptr_t address) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  const struct spgc_vacated *object = spgc_vacated_find(&heap->vacated, address);
  if (object != NULL)
    report_object(heap, address, object);
  else if (spgc_is_vacated(address))
    report_block(heap, address);
}

/* AddressSanitizer calls this after reporting an access, before it ends the process. Its report of
 * a signal comes after ours. */
static void report_access(const char *text) {
  uintptr_t address = (uintptr_t)__asan_get_report_address();
  if (spgc_runtime.started && spgc_heap_spans(&spgc_runtime.heap, address) &&
      strcmp(__asan_get_report_description(), "use-after-poison") == 0)
    spgc_stale_fault_report(address);
}

/* When the library is loaded. The sanitizer has one callback and does not say whether it is taken,
 * so ours comes before any that the program sets. */
__attribute__((constructor(101))) static void take_callback(void) {
  if (__asan_set_error_report_callback != NULL)
    __asan_set_error_report_callback(report_access);
}
