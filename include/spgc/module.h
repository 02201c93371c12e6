/* Modules of generated code: what the lowering leaves in each object so that the runtime finds its
 * stack maps and roots.
 *
 * The lowering gives each module one constant-initialised `struct spgc_module` in a section named
 * "spgc_modules", and, ahead of time, a constructor and a destructor that register and unregister
 * it (so shared libraries that come and go work). The JIT loader registers the same record when the
 * object's relocations are applied.
 */
#ifndef SPGC_MODULE_H
#define SPGC_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum { SPGC_MODULE_VERSION = 1 };

/* A run of words in unmanaged global variables that hold references. */
struct spgc_global_roots {
  struct spgc_ref *first;
  uint64_t count;
};

struct spgc_stackmap;

struct spgc_module {
  uint64_t version;      /* SPGC_MODULE_VERSION */
  const void *stackmaps; /* start of the module's stack map; NULL when it has no statepoints */
  const struct spgc_global_roots *roots; /* global variables that hold references */
  uint64_t root_count;
  const char *name; /* for messages */
  /* Written by register and unregister, under the module lock. */
  struct spgc_module *next;
  struct spgc_stackmap *registered;
};

/* Adds the module's return addresses and roots. Allowed before spgc_start. `stackmaps_size` is the
 * size of the section at `module->stackmaps`; 0 means: as far as the loaded segment that holds it
 * reaches (ahead-of-time code). Errors as spgc_stackmap_register, SPGC_ERROR_UNSUPPORTED for
 * another version. */
enum spgc_result spgc_module_register(struct spgc_module *module, size_t stackmaps_size,
                                      struct spgc_error *error);

/* Removes them. No frame of its functions may be active.
 *
 * This is about code. A module's type descriptors are read for as long as objects of those types
 * are in memory, garbage included, because a collection finds an object's size through its
 * descriptor. So before a library is closed whose descriptors objects may have, drop every
 * reference to such objects and call spgc_types_live: only when it returns 0 may the descriptors'
 * memory go. */
void spgc_module_unregister(struct spgc_module *module);

/* What the destructor of a module's library calls: the same when the library is closed, nothing
 * when the process exits. Other threads may go on running generated code then, and collect. From
 * the first handlers of `exit` on, no library with registered modules is unloaded, also if it is
 * closed. Any thread. */
void spgc_module_unload(struct spgc_module *module);

/* How many objects are left whose type descriptor lies in [start, end), such as a library's data,
 * or one descriptor. Collects fully and frees all garbage first, so that 0 means: no such object is
 * in memory, alive or dead, and the heap does not read these descriptors again unless somebody
 * allocates with them. Objects that only finalizers, weak maps that keep them, pins or handles hold
 * on to count. When the system refuses the memory to collect with, garbage counts, too. 0 while the
 * heap is not started. Reads every object: as long as a full collection, not for frequent use. Any
 * thread, also in spgc_call_blocking. A safepoint. A thread that is not attached is attached
 * meanwhile; UINT64_MAX when it cannot be. */
uint64_t spgc_types_live(const void *start, const void *end);

/* Objects whose type descriptor lies in [start, end). */
struct spgc_type_range {
  uintptr_t start, end;
  uint64_t count;
};

/* The same for several ranges by one collection: adds to each one's count. False when the calling
 * thread cannot be attached; nothing was counted then. */
bool spgc_types_count(struct spgc_type_range *ranges, size_t range_count);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
