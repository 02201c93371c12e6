/* Modules of generated code: records through which the runtime finds stack maps and roots.
 *
 * The lowering puts one constant-initialised `struct spgc_module` into the section "spgc_modules".
 * Ahead of time, it adds a constructor that registers the module and a destructor that unregisters
 * it, so shared libraries may be loaded and unloaded. An ELF note leads to the record, for code
 * that runs before that constructor. A JIT's loader registers the record once relocations are
 * applied. */
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

/* The version of everything that lowered code depends on: this record, the thread's words, cards
 * and descriptors. Registration refuses other versions (docs/abi.md). */
enum { SPGC_MODULE_VERSION = 6 };

/* A run of references in unmanaged global variables. */
struct spgc_global_roots {
  struct spgc_ref *first;
  uint64_t count;
};

struct spgc_stackmap;

/* The record of a module. */
struct spgc_module {
  uint64_t version;      /* SPGC_MODULE_VERSION; first in every version */
  const void *stackmaps; /* NULL if the module has no statepoints */
  const struct spgc_global_roots *roots;
  uint64_t root_count;
  const char *name; /* for messages */
  /* Null at first. Written under the module lock while any module is registered or unregistered, so
   * the record stays writable. `next` is the library's. */
  struct spgc_module *next;
  struct spgc_stackmap *registered; /* not null while the module is registered, and when its file is
                                       about to be unloaded */
};

/* The ELF note that leads to a record. The linker puts all notes into one segment. */
#define SPGC_MODULE_NOTE_SECTION ".note.spgc"
enum { SPGC_MODULE_NOTE = 1 };
#define SPGC_MODULE_NOTE_NAME "spgc"
struct spgc_module_note {
  uint32_t name_size, description_size, type; /* SPGC_MODULE_NOTE */
  char name[8];                               /* SPGC_MODULE_NOTE_NAME, padded with zeros */
  int32_t record;                             /* address of the record relative to this member */
};

/* Adds the module's return addresses and roots, also before spgc_start. `stackmaps_size` is that of
 * the section at `module->stackmaps`; 0: find the module's own map in the loaded segment that
 * contains it (ahead-of-time code). The caller owns the record. Errors: as spgc_stackmap_register;
 * SPGC_ERROR_STATE if the module is registered; SPGC_ERROR_UNSUPPORTED for another version. Any
 * thread, any state. Not a safepoint. */
enum spgc_result spgc_module_register(struct spgc_module *module, size_t stackmaps_size,
                                      struct spgc_error *error);

/* Removes the module's return addresses and roots. No frame of its functions may be active. Does
 * nothing if it is not registered. Not inside a stack walk, because it waits until all current ones
 * have ended. Any thread, any state. Not a safepoint.
 *
 * The collector reads type descriptors as long as objects of these types are in memory, even as
 * garbage, because they have the objects' sizes. So before you close a library with type
 * descriptors, drop every reference to such objects, and wait until spgc_types_live returns 0. */
void spgc_module_unregister(struct spgc_module *module);

/* Called by the constructor of an ahead-of-time module; registers it. An error ends the process
 * with a message that begins with `name`, because only the version of a foreign record can be read.
 * Any thread. */
void spgc_module_load(struct spgc_module *module, const char *name);

/* Called by the destructor of a module's library; unregisters it. Does nothing when the process
 * exits, because other threads may still run generated code and collect. Once `exit` runs its first
 * handlers, libraries with registered modules stay loaded, even if they are closed. Any thread. */
void spgc_module_unload(struct spgc_module *module);

/* The number of objects with a type descriptor in [start, end), for example in a library's data.
 * First collects fully and frees all garbage, so after 0 the heap does not read these descriptors
 * unless the program allocates with them again. Counts objects that only finalizers, weak maps,
 * pins or handles keep alive, and garbage if the system refuses memory for the collection. Returns
 * 0 while the heap is not started. Any thread, also in spgc_call_blocking. A safepoint. A thread
 * that is not attached is attached for the call; UINT64_MAX if that fails. */
uint64_t spgc_types_live(const void *start, const void *end);

/* For spgc_types_count. */
struct spgc_type_range {
  uintptr_t start, end;
  uint64_t count;
};

/* Like spgc_types_live for several ranges, with one collection; adds to each `count`. False,
 * without counting, if the calling thread cannot be attached. */
bool spgc_types_count(struct spgc_type_range *ranges, size_t range_count);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
