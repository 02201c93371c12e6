/* libspgc-llvm: loads objects into the running process, by a loader of its own (docs/jit.md).
 *
 * Any thread, attached or not, also in spgc_call_blocking, may call these functions while others
 * run generated code and collect. Calls on one JIT wait for each other, so attached threads load in
 * spgc_call_blocking if others must not wait. Only spgc_jit_remove is a safepoint.
 *
 * All objects are in one arena with a fixed number of mappings. No page of code is ever writable.
 * Stack maps, roots and unwind information are registered before any code runs, and removed with
 * the object. No object given to these functions ends the process. */
#ifndef SPGC_JIT_H
#define SPGC_JIT_H

#include <stddef.h>

#include <llvm-c/Core.h>

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The loaded objects, and their arena. */
struct spgc_jit;

/* A loaded object. */
struct spgc_jit_object;

/* Creates a JIT, which the caller owns. A process has one at a time, because its arena and unwind
 * table are process-wide. Not by two threads at once. Errors: SPGC_ERROR_STATE if there is one, or
 * spgc_llvm_initialise was not called; SPGC_ERROR_NO_MEMORY if there is no address space;
 * SPGC_ERROR_SYSTEM if the system refuses executable memory, as SELinux may, or files in memory, or
 * a file for perf; SPGC_ERROR_INVALID_ARGUMENT if SPGC_JIT_LISTENERS in the environment is wrong
 * (below). */
enum spgc_result spgc_jit_create(struct spgc_jit **jit, struct spgc_error *error);

/* Unloads everything and frees the JIT. No generated frame and no other call for the JIT may be
 * active. Unlike spgc_jit_remove it frees the objects' data at once: if type descriptors are there,
 * stop the heap before the next collection or snapshot. NULL does nothing. */
void spgc_jit_destroy(struct spgc_jit *jit);

/* Listeners for loaded code. */
enum spgc_jit_listeners {
  SPGC_JIT_GDB = 1u << 0,  /* debuggers, through gdb's JIT interface: functions, lines, frames */
  SPGC_JIT_PERF = 1u << 1, /* perf: a jitdump file (`perf inject --jit`) in $JITDUMPDIR/.debug/jit/,
                              else in $HOME/.debug/jit/ */
};

/* Reports each object loaded from now on to these listeners. Functions and lines come from the
 * debug information in the frontend's IR. The environment variable SPGC_JIT_LISTENERS ("gdb",
 * "perf" or "gdb,perf") does so for every JIT. Errors: SPGC_ERROR_INVALID_ARGUMENT for another
 * flag; SPGC_ERROR_SYSTEM if perf's file cannot be written. */
enum spgc_result spgc_jit_listen(struct spgc_jit *jit, unsigned listeners,
                                 struct spgc_error *error);

/* Makes `address` known to generated code as `name`, as the library's entry points and all dynamic
 * symbols of the process are. SPGC_ERROR_SYSTEM for a name that was given before. */
enum spgc_result spgc_jit_define(struct spgc_jit *jit, const char *name, void *address,
                                 struct spgc_error *error);

/* Loads an object made by spgc_emit_module. Takes ownership of the buffer, also on error. `object`
 * may be NULL. Undefined symbols must be defined by loaded objects, by spgc_jit_define, or as
 * dynamic symbols of the process. If several objects define a weak symbol, all use the definition
 * loaded first. Errors name the section or symbol: SPGC_ERROR_UNSUPPORTED for an object lowered for
 * another version of the library, which must be lowered again (docs/abi.md), and for features that
 * the JIT lacks, such as thread-local variables (docs/jit.md); SPGC_ERROR_INVALID_ARGUMENT for an
 * object lowered ahead of time; SPGC_ERROR_MALFORMED for bytes that are not an object file, and for
 * an unlowered object with a stack map; SPGC_ERROR_SYSTEM for a symbol that is undefined or defined
 * twice, and if the system refuses to write code; SPGC_ERROR_NO_MEMORY if the arena or the
 * process's memory is exhausted. */
enum spgc_result spgc_jit_add(struct spgc_jit *jit, LLVMMemoryBufferRef buffer,
                              struct spgc_jit_object **object, struct spgc_error *error);

/* Unloads one object and removes its roots. None of its frames may be active. Its code is freed at
 * once, or, if other objects use its weak definitions, when they are unloaded. Its data, which may
 * hold type descriptors, is freed when no heap object has a type there. A removal checks that with
 * a full collection (spgc_types_count) once a megabyte of data waits, or as much as the last check
 * found in use. Errors, without effect: SPGC_ERROR_STATE if a loaded object uses a strong
 * definition of this one (the message names both); SPGC_ERROR_INVALID_ARGUMENT for an object that
 * is not loaded. A safepoint, so the caller must hold no lock that other threads wait for while
 * they run. */
enum spgc_result spgc_jit_remove(struct spgc_jit *jit, struct spgc_jit_object *object,
                                 struct spgc_error *error);

/* Finds a symbol of a loaded object, valid until that is unloaded, or another name that generated
 * code may use. SPGC_ERROR_SYSTEM if there is none. */
enum spgc_result spgc_jit_lookup(struct spgc_jit *jit, const char *name, void **address,
                                 struct spgc_error *error);

/* Makes a sled of nops in loaded code call `target`. The sled belongs to a patchpoint, or to a call
 * with the attribute "statepoint-num-patch-bytes"="sled_bytes", and then ends at the call's return
 * address (spgc_stackmap_call_sites). It has at least 6 bytes; on AArch64 at least 12, and a
 * multiple of 4. The first time, no thread may run code of that object; afterwards threads may be
 * at the site or in the callee. `target` has the call's calling convention, callee-saved registers
 * included. Errors, without any write: SPGC_ERROR_INVALID_ARGUMENT if there is no sled;
 * SPGC_ERROR_NO_MEMORY; SPGC_ERROR_SYSTEM if the system refuses to write the code. */
enum spgc_result spgc_jit_patch_call(struct spgc_jit *jit, void *sled_end, size_t sled_bytes,
                                     void *target, struct spgc_error *error);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
