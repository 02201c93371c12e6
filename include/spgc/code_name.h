/* Names for code and variables that come from no file, such as a JIT's, and source places of
 * managed code: of functions for the log and allocation profiles, of variables for heap snapshots
 * and messages about roots. libspgc-llvm's JIT adds the symbols that it loads.
 *
 * By default, functions are for any thread in any state and are not safepoints. */
#ifndef SPGC_CODE_NAME_H
#define SPGC_CODE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A function's code, or a variable's memory. */
struct spgc_code_name {
  uintptr_t start;
  size_t size;
  const char *name;
};

/* The caller owns the structure, the array and the names, and changes none until it removes them.
 */
struct spgc_code_names {
  const struct spgc_code_name *names;
  size_t count;
  uintptr_t library[8]; /* reserved for the library, so that adding needs no memory */
};

/* Adds names of functions. Of several names for an address, the one added last wins. A list whose
 * first entry has the address and name pointer of an entry of another list replaces that list, so a
 * list can grow or shrink without a gap. Fatal if the list was added before. */
void spgc_code_names_add(struct spgc_code_names *names);

/* Removes names of functions. Fatal if they were not added. */
void spgc_code_names_remove(struct spgc_code_names *names);

/* Adds a language's own names of global variables that hold references (spgc/module.h), such as
 * "table" for its symbol "mylang_global_table". The name added last wins, and all win over symbols
 * of a file. Fatal if the list was added before. */
void spgc_variable_names_add(struct spgc_code_names *names);

/* Removes names of variables. Fatal if they were not added. */
void spgc_variable_names_remove(struct spgc_code_names *names);

/* A place in a program's source. The library zeroes it before the call, and copies the strings
 * right after it. Later releases may add members at the end. */
struct spgc_source_place {
  const char *function;
  const char *file; /* NULL: unknown */
  uint32_t line;    /* counted from 1; 0: unknown */
};

/* Finds the source place of the managed call at `instruction`, for example by its "statepoint-id";
 * false: debug information is used. Called during an allocation on the frame's thread, or for a
 * heap snapshot on any thread while all are stopped; several threads may call at once. It must not
 * allocate objects or reach a safepoint, and must leave by returning. */
typedef bool (*spgc_source_finder)(void *context, uintptr_t instruction, uint64_t statepoint_id,
                                   struct spgc_source_place *place);

/* Sets the finder for allocation profiles (spgc/profile.h) and heap snapshots (spgc/snapshot.h), or
 * removes it (NULL). Set it before threads attach, so that it sees every call. The previous finder
 * and its `context` must stay until spgc_stop has returned, because threads may still run it. */
void spgc_set_source_finder(spgc_source_finder finder, void *context);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
