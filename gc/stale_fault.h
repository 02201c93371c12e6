/* The message of a stale reference: what it led to, and what became of that object.
 *
 * Under poison=on an access to vacated memory faults (gc/fault.h). In a program that was built with
 * AddressSanitizer it is explained behind the sanitizer's report; the library takes the sanitizer's
 * one callback for that when it is loaded, and one that the program sets takes its place. */
#ifndef SPGC_GC_STALE_FAULT_H
#define SPGC_GC_STALE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the address lies in a block that a collection vacated. The heap is started. */
bool spgc_is_vacated(uintptr_t address);

/* Explains an access to this address on standard error, if a vacated object or block is there. The
 * heap is started. Async-signal-safe. */
void spgc_stale_fault_report(uintptr_t address);

#endif
