/* libspgc-llvm: loading objects into the running process, through ORC.
 *
 * Any thread may load, look up and unload while others run generated code and collect; calls for
 * one JIT wait for each other. Loading takes long: attached threads do it in spgc_call_blocking if
 * others must not wait for it.
 *
 * All sections lie in one reserved arena, writable only until their relocations are applied. Stack
 * maps, roots and unwind information are registered before any code runs, and removed with the
 * object.
 */
#ifndef SPGC_JIT_H
#define SPGC_JIT_H

#include <llvm-c/Core.h>

#include "spgc/result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spgc_jit;
struct spgc_jit_object;

/* One per process at a time (its arena and unwind table are process-wide); SPGC_ERROR_STATE
 * otherwise. SPGC_ERROR_INVALID_ARGUMENT when SPGC_JIT_LISTENERS in the environment is wrong
 * (below). */
enum spgc_result spgc_jit_create(struct spgc_jit **jit, struct spgc_error *error);

/* Unloads everything. No generated frame may be active. */
void spgc_jit_destroy(struct spgc_jit *jit);

enum spgc_jit_listeners {
  SPGC_JIT_GDB =
      1u << 0, /* debuggers, through gdb's JIT interface: they find functions, lines and frames */
  SPGC_JIT_PERF = 1u << 1, /* perf: a jitdump file (`perf inject --jit`) in $JITDUMPDIR/.debug/jit/,
                              else in $HOME/.debug/jit/ */
};

/* Tells these listeners of each object that is loaded from now on. Functions and lines are those of
 * the object's debug information, which the frontend puts into its IR. The environment variable
 * SPGC_JIT_LISTENERS, "gdb", "perf" or "gdb,perf", does the same for every spgc_jit_create.
 * SPGC_ERROR_UNSUPPORTED when LLVM was built without one. Once for each listener. */
enum spgc_result spgc_jit_listen(struct spgc_jit *jit, unsigned listeners,
                                 struct spgc_error *error);

/* Makes `address` known to generated code under `name`. The library's own entry points, and
 * whatever the process exports dynamically, are known already. */
enum spgc_result spgc_jit_define(struct spgc_jit *jit, const char *name, void *address,
                                 struct spgc_error *error);

/* Loads an object made by spgc_emit_module; takes ownership of the buffer, also on error. `object`
 * may be NULL. */
enum spgc_result spgc_jit_add(struct spgc_jit *jit, LLVMMemoryBufferRef buffer,
                              struct spgc_jit_object **object, struct spgc_error *error);

/* Unloads one object, and forgets its roots. None of its frames may be active. Its code goes at
 * once. Its data, in which type descriptors may lie, goes when no object has one there: that is
 * looked at now and at each later removal, by one full collection (spgc_types_count).
 * SPGC_ERROR_INVALID_ARGUMENT for an object that is not loaded. Any thread, also in
 * spgc_call_blocking; a safepoint, so no lock may be held that others wait for while they run. */
enum spgc_result spgc_jit_remove(struct spgc_jit *jit, struct spgc_jit_object *object,
                                 struct spgc_error *error);

/* Address of a symbol of a loaded object. */
enum spgc_result spgc_jit_lookup(struct spgc_jit *jit, const char *name, void **address,
                                 struct spgc_error *error);

/* Lets a sled of nops in loaded code call `target`: that of a call with the attribute
 * "statepoint-num-patch-bytes"="sled_bytes", which ends at the call's return address
 * (spgc_stackmap_call_sites), or a patchpoint's. At least 6 bytes. The first time, no thread may
 * run code of that object; from then on the site may be redirected while any thread runs it, or
 * waits in it for its callee to return. `target` follows the convention of the call, and saves what
 * the callee would. SPGC_ERROR_INVALID_ARGUMENT when there is no sled; nothing is written then. */
enum spgc_result spgc_jit_patch_call(struct spgc_jit *jit, void *sled_end, size_t sled_bytes,
                                     void *target, struct spgc_error *error);

#ifdef __cplusplus
}
#endif

#endif
