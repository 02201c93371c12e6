#include "gc/start.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "gc/mutator/mutator.h"
#include "gc/naming/code_name.h"
#include "gc/state/runtime.h"
#include "heap/remembered/tables.h"
#include "stackwalk/loaded_code.h"
#include "stackwalk/machine_frame.h"
#include "support/collector_thread.h"
#include "support/log.h"

/* From sanitizer/asan_interface.h; null unless the sanitizer is linked. */
extern void __asan_set_error_report_callback(void (*callback)(const char *report))
    __attribute__((weak));
extern void *__asan_get_report_address(void) __attribute__((weak));
extern const char *__asan_get_report_description(void) __attribute__((weak));

static bool is_vacated(uintptr_t address) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  return spgc_heap_spans(heap, address) &&
         heap->spaces[spgc_heap_block_of(heap, address)] == SPGC_SPACE_FREE;
}

static void report_object(const struct spgc_heap *heap, uintptr_t address,
                          const struct spgc_vacated *object) {
  char type[SPGC_TYPE_NAME_BYTES];
  spgc_type_name_copy(heap, object->type, type);
  const char *article = strchr("AEIOUaeiou", type[0]) != NULL ? "an" : "a";
  spgc_log_aloud("a stale reference was used: %#" PRIxPTR " (byte %" PRIuPTR " of %zu) was %s %s, "
                 "%s in collection %" PRIu32 " of %" PRIu32 ". See docs/debugging.md",
                 address, address - object->from, object->bytes, article, type,
                 object->moved ? "moved" : "died", object->collection, heap->collection);
}

/* The collection's number, or 0. Beyond the water marks, entries are inaccessible. */
static uint32_t collection_that_vacated(const struct spgc_heap *heap, uint32_t block) {
  bool was_accessible = heap->low_water <= block && block < heap->high_water;
  return was_accessible ? heap->blocks[block].vacated_by : 0;
}

/* Async-signal-safe. */
static void report_stale(uintptr_t address) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  const struct spgc_vacated *object = spgc_vacated_find(&heap->vacated, address);
  uint32_t block = spgc_heap_block_of(heap, address);
  if (object != NULL)
    report_object(heap, address, object);
  else if (is_vacated(address) && collection_that_vacated(heap, block) == 0)
    spgc_log_aloud("an address without an object was used: %#" PRIxPTR " is in block %" PRIu32
                   ", which no collection has vacated. See docs/debugging.md",
                   address, block);
  else if (is_vacated(address))
    spgc_log_aloud("a stale reference was used: %#" PRIxPTR " is in block %" PRIu32
                   ", which collection %" PRIu32 " of %" PRIu32
                   " vacated. The object there died or has moved. See docs/debugging.md",
                   address, block, heap->blocks[block].vacated_by, heap->collection);
}

/* Called after the report of an access, before the process ends. A signal's report follows ours. */
static void report_access(const char *text) {
  uintptr_t address = (uintptr_t)__asan_get_report_address();
  if (spgc_runtime.started && spgc_heap_spans(&spgc_runtime.heap, address) &&
      strcmp(__asan_get_report_description(), "use-after-poison") == 0)
    report_stale(address);
}

/* The sanitizer has one callback and does not say whether it is taken, so ours is set first. */
__attribute__((constructor(101))) static void take_callback(void) {
  if (__asan_set_error_report_callback != NULL)
    __asan_set_error_report_callback(report_access);
}

static const char advice[] = "See docs/debugging.md";

/* `word` or the address of a field beyond it. */
static bool some_register_has(const void *context, uintptr_t word) {
  enum { FIELDS_BYTES = 4096 };
  for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
    if (interrupted_register(context, i) - word < FIELDS_BYTES)
      return true;
  return false;
}

static uintptr_t field_of_card(const void *context, uintptr_t card) {
  uintptr_t cards = spgc_cards_biased(&spgc_runtime.heap), index = card - cards;
  uintptr_t field = 0;
  bool has_index = false, has_cards = false;
  for (unsigned i = 0; i < GENERAL_REGISTERS; i++) {
    uintptr_t value = interrupted_register(context, i);
    has_cards = has_cards || value == cards;
    has_index = has_index || value == index;
    if (value >> SPGC_CARD_SHIFT == index)
      field = value;
  }
  return field == 0 && has_cards && has_index ? index << SPGC_CARD_SHIFT : field;
}

static void tell_foreign_store(uintptr_t field, const void *context) {
  struct spgc_code_place place;
  char text[440];
  spgc_code_find(interrupted_instruction(context), &place);
  spgc_code_describe(&place, text, sizeof text);
  spgc_log_aloud("a store through a reference that is not in the heap: %#" PRIxPTR
                 ", in %s. Its memory comes from malloc, a stack or a variable, and not from "
                 "spgc_allocate. %s",
                 field, text, advice);
}

static bool is_in_collector(const void *context) {
  const struct spgc_mutator *self = spgc_mutator_current;
  struct loaded_object own;
  uintptr_t instruction = interrupted_instruction(context);
  bool collects = spgc_is_collector_thread || (self != NULL && self->stack != NULL);
  return collects && (!spgc_loaded_object_find((uintptr_t)&spgc_fault_start, &own) ||
                      (instruction >= own.start && instruction < own.end));
}

static void explain(const siginfo_t *fault, const void *context) {
  uintptr_t address = (uintptr_t)fault->si_addr, field = field_of_card(context, address);
  if (fault->si_code == SEGV_ACCERR && is_vacated(address))
    report_stale(address);
  else if (is_in_collector(context))
    spgc_log_aloud(
        "the collector found an object that it cannot read, or a reference that leads to no "
        "object: something wrote beyond an object's end, or a descriptor's size or offsets are "
        "wrong. SPGC_OPTIONS=verify=full,stress=every-allocation names the object. %s",
        advice);
  else if (some_register_has(context, SPGC_HANDLE_POISON))
    spgc_log_aloud("a handle was used after its scope was closed, and its contents were used as a "
                   "reference. %s",
                   advice);
  else if (some_register_has(context, SPGC_POISON_WORD))
    spgc_log_aloud("a stale reference was used: a word of memory that a collection vacated was "
                   "used as an address. %s",
                   advice);
  else if (field != 0 && !spgc_heap_spans(&spgc_runtime.heap, field))
    tell_foreign_store(field, context);
}

/* A handler that the program puts in its place may call it, and stay when the heap stops. Then ours
 * is not put before it again: the two would call each other for ever. Both are written with the
 * world locked. */
static struct sigaction original; /* the handler replaced by ours */
static bool is_chained;           /* a handler of the program may lead to ours */

/* The access faults again on return. A signal that was sent is sent again. */
static void report_signal(int signal, siginfo_t *fault, void *context) {
  if (fault->si_code > 0 && spgc_runtime.started)
    explain(fault, context);
  sigaction(signal, &original, NULL);
  if (fault->si_code <= 0)
    raise(signal);
}

static bool is_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == report_signal;
}

void spgc_fault_start(void) {
  struct sigaction action = {.sa_sigaction = report_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK},
                   now;
  sigaction(SIGSEGV, NULL, &now);
  if (is_ours(&now) || (is_chained && now.sa_handler != SIG_DFL))
    return;
  original = now;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, NULL);
}

void spgc_fault_stop(void) {
  struct sigaction now;
  sigaction(SIGSEGV, NULL, &now);
  if (is_ours(&now))
    sigaction(SIGSEGV, &original, NULL);
  else
    is_chained = true;
}
