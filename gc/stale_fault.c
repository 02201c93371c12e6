#include "gc/stale_fault.h"

#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gc/state/runtime.h"
#include "support/log.h"

/* Declared in sanitizer/asan_interface.h; present where the sanitizer is linked. */
extern void __asan_set_error_report_callback(void (*callback)(const char *report))
    __attribute__((weak));
extern void *__asan_get_report_address(void) __attribute__((weak));
extern const char *__asan_get_report_description(void) __attribute__((weak));

/* A program's handler may call the one that it replaced, which may be ours, and stay when the heap
 * stops. When the heap starts again, ours lies before that handler and behind it. So a fault may
 * come to ours more than once. It is handed on to a handler nearer to the system's each time:
 *
 *   ours -> `replaced` -> ours -> `original` -> ours -> the default action
 *
 * All are written with the world locked. */
static struct sigaction replaced; /* what ours replaced when the heap started last */
static struct sigaction original; /* what it replaced when no handler behind it could lead to it */
static bool is_chained;           /* ours was not given back: a handler may lead to it */
static unsigned installations;    /* so far */

/* The fault that the thread has handed on last. */
static _Thread_local struct {
  uintptr_t address;
  unsigned installation;
  unsigned times;
} handed_on __attribute__((tls_model("initial-exec")));

enum { TEXT_BYTES = 96 };

static bool is_vacated(const struct spgc_heap *heap, uintptr_t address) {
  return spgc_heap_spans(heap, address) &&
         heap->spaces[spgc_heap_block_of(heap, address)] == SPGC_SPACE_FREE;
}

/* Where a moved object is, or why it is nowhere. */
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

/* The record has no object there, or not any more. */
static void report_block(const struct spgc_heap *heap, uintptr_t address) {
  uint32_t block = spgc_heap_block_of(heap, address);
  spgc_log_aloud("a stale reference was used: %#" PRIxPTR " lies in block %" PRIu32
                 ", which collection %" PRIu32 " of %" PRIu32
                 " vacated. The object there died or has "
                 "moved. See docs/debugging.md",
                 address, block, heap->blocks[block].vacated_by, heap->collection);
}

static void report(uintptr_t address) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  const struct spgc_vacated *object = spgc_vacated_find(&heap->vacated, address);
  if (object != NULL)
    report_object(heap, address, object);
  else if (is_vacated(heap, address))
    report_block(heap, address);
}

/* Counts the times that ours has seen the fault. */
static unsigned count_fault(uintptr_t address) {
  if (handed_on.installation != installations || handed_on.address != address)
    handed_on.times = 0;
  handed_on.installation = installations;
  handed_on.address = address;
  return ++handed_on.times;
}

/* Puts the effect of before back: the access faults again when the handler returns. A signal that
 * somebody sent comes only once, so it is sent again. */
static void report_signal(int signal, siginfo_t *fault, void *context) {
  const struct sigaction default_action = {.sa_handler = SIG_DFL};
  const struct sigaction *const next[] = {&replaced, &original};
  uintptr_t address = (uintptr_t)fault->si_addr;
  unsigned times = count_fault(address);
  if (times == 1 && fault->si_code == SEGV_ACCERR && spgc_runtime.started &&
      is_vacated(&spgc_runtime.heap, address))
    report(address);
  sigaction(signal, times <= sizeof next / sizeof *next ? next[times - 1] : &default_action, NULL);
  if (fault->si_code <= 0)
    raise(signal);
}

/* AddressSanitizer calls this when it has reported an access, and before it ends the process. Its
 * report of a signal comes after ours. */
static void report_access(const char *text) {
  uintptr_t address = (uintptr_t)__asan_get_report_address();
  if (spgc_runtime.started && spgc_heap_spans(&spgc_runtime.heap, address) &&
      strcmp(__asan_get_report_description(), "use-after-poison") == 0)
    report(address);
}

/* When the library is loaded. The sanitizer has one callback and does not tell whether it is taken,
 * so ours comes before any that the program sets. */
__attribute__((constructor(101))) static void take_callback(void) {
  if (__asan_set_error_report_callback != NULL)
    __asan_set_error_report_callback(report_access);
}

static bool is_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == report_signal;
}

void spgc_stale_fault_start(void) {
  if (!spgc_runtime.options.poison)
    return;
  struct sigaction action = {.sa_sigaction = report_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &replaced);
  if (is_ours(&replaced)) /* the program has put it back */
    replaced = original;
  else if (!is_chained)
    original = replaced;
  installations++;
}

void spgc_stale_fault_stop(void) {
  struct sigaction now;
  if (!spgc_runtime.options.poison)
    return;
  sigaction(SIGSEGV, NULL, &now);
  if (is_ours(&now))
    sigaction(SIGSEGV, &replaced, NULL);
  else
    is_chained = true;
}
