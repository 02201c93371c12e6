/* The message about a stale reference: what it referred to, and what became of that object.
 *
 * Under poison=on an access to vacated memory faults (gc/fault.h). In a program built with
 * AddressSanitizer the explanation follows the sanitizer's report; for that the library takes the
 * sanitizer's one callback when it is loaded, which one set by the program replaces. */
#ifndef SPGC_GC_STALE_FAULT_H
#define SPGC_GC_STALE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the address is in a block that a collection vacated. The heap is started. */
bool spgc_is_vacated(uintptr_t address);

/* Explains an access to this address on standard error, if a vacated object or block was there. The
 * heap is started. Async-signal-safe. */
void spgc_stale_fault_report(uintptr_t address);

#endif
