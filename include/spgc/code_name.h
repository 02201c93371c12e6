/* Names of code and global variables that come from no file, such as a JIT's, and source places of
 * managed code. The log (for example for slow stops) and the allocation profile use the names of
 * functions. Heap snapshots and messages about roots use the names of variables. libspgc-llvm's JIT
 * adds the symbol names of the functions and variables that it loads. */
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

/* The caller owns the structure, the array and the names, and leaves them unchanged until it
 * removes them. */
struct spgc_code_names {
  const struct spgc_code_name *names;
  size_t count;
  uintptr_t library[8]; /* reserved for the library, so adding names needs no memory */
};

/* Adds names of functions. Fatal if they were added before. Any thread, any state. Not a safepoint.
 */
void spgc_code_names_add(struct spgc_code_names *names);

/* Removes names of functions. Fatal if they were not added. Any thread, any state. Not a safepoint.
 */
void spgc_code_names_remove(struct spgc_code_names *names);

/* Adds names of global variables that hold references (spgc/module.h): a language's own names,
 * such as "table" for its symbol "mylang_global_table". A word inside a variable is shown with
 * its offset, "table+16". If several names cover an address, the one added last wins, and all of
 * them win over symbols of a file. Fatal if they were added before. Any thread, any state. Not
 * a safepoint. */
void spgc_variable_names_add(struct spgc_code_names *names);

/* Removes names of variables. Fatal if they were not added. Any thread, any state. Not a safepoint.
 */
void spgc_variable_names_remove(struct spgc_code_names *names);

/* A place in a program's source. The library makes it, with all members 0, and copies the strings
 * before it does anything else. Later releases may add members at the end. */
struct spgc_source_place {
  const char *function;
  const char *file; /* NULL: not known */
  uint32_t line;    /* counted from 1; 0: not known */
};

/* Looks up the source of a managed frame's call, for example by the call site's "statepoint-id".
 * `instruction` is an address in the call. Returns false if the language does not know it; then
 * debug information is used, if there is any. Called during an allocation on the thread that has
 * the frame, or for a heap snapshot on any thread while all are stopped. Several threads may call
 * at once. It must not allocate objects, reach a safepoint, or leave other than by returning. */
typedef bool (*spgc_source_finder)(void *context, uintptr_t instruction, uint64_t statepoint_id,
                                   struct spgc_source_place *place);

/* Sets the finder, for allocation profiles (spgc/profile.h) and heap snapshots (spgc/snapshot.h).
 * NULL removes it. `context` is passed to it. Set it before threads attach, so that it sees every
 * call. Other threads may still run the previous finder, or be about to call it, so it and its
 * context must stay until spgc_stop has returned. Any thread, any state. Not a safepoint. */
void spgc_set_source_finder(spgc_source_finder finder, void *context);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
