/* libspgc-llvm: from a frontend's IR to an object with statepoints.
 *
 * A frontend emits functions with gc "statepoint-example", references as ptr addrspace(1), plain
 * loads and stores, and calls of spgc_allocate(ptr type) and spgc_allocate_array(ptr type, i64
 * length), which return ptr addrspace(1). The lowering adds write barriers, statepoints and polls:
 * in loops, and at the entries of functions that make calls (enum spgc_polls). spgc_poll(), a poll
 * of the frontend's own, and i1 spgc_stack_low(), whether the stack pointer is below the thread's
 * stack_limit, are put in line too. Global variables of, or containing, ptr addrspace(1) become
 * roots. Calls that cannot reach a safepoint may carry the attribute "gc-leaf-function". A
 * call-site attribute "statepoint-id"="N" comes back in struct spgc_frame.
 *
 * What RS4GC would miscompile silently is rejected: see docs/frontend-rules.md.
 */
#ifndef SPGC_LOWER_H
#define SPGC_LOWER_H

#include <stdbool.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "spgc/result.h"

#ifdef __cplusplus
extern "C" {
#endif

enum spgc_code {
  SPGC_CODE_AHEAD_OF_TIME, /* thread words through a thread-local symbol; constructor registers the
                              module */
  SPGC_CODE_JIT, /* thread words at their constant offset; the loader registers the module */
};

enum spgc_polls {
  SPGC_POLLS_ENTRIES_AND_LOOPS,
  SPGC_POLLS_LOOPS, /* for frontends whose own entry check (e.g. of the stack limit) can stop a
                       thread: every call counts as a poll but of functions of the module that make
                       no calls */
};

enum spgc_maps {
  SPGC_MAPS_LLVM, /* .llvm_stackmaps, parsed when the module is registered */
  SPGC_MAPS_FLAT, /* .spgc_stackmaps, used where it lies (spgc/flat_stackmap.h); objects only, no
                     assembly */
};

struct spgc_lower_options {
  enum spgc_code code;
  enum spgc_polls polls;
  enum spgc_maps maps;
  unsigned optimisation; /* 0 to 3: none; quickly, for code that is waited for; LLVM's -O2 and -O3,
                            and the optimisations of functions that call themselves, below.
                            References are promoted out of allocas at every level */
  /* What level 2 and 3 do to functions that call themselves, unless they have `optsize` or
   * `minsize`. */
  bool inline_recursion; /* inline small ones in themselves; true by default */
  bool leaf_entries; /* copy what one does without a call to a function that needs no frame; true by
                        default */
  bool prefetch_recursion; /* when one calls itself for two fields of an object, read the second
                              field before the first call, and prefetch what it refers to; false by
                              default. Only for programs whose objects have every field that such a
                              function reads later, even if the calls before never return: the read
                              must not leave the object */
  const char *cpu; /* LLVM's name; NULL: x86-64-v2 ahead of time, the host for the JIT. An unknown
                      one is SPGC_ERROR_INVALID_ARGUMENT */
};

void spgc_lower_options_default(struct spgc_lower_options *options);

/* A process must call this once before anything below: initialises LLVM's native target and sets
 * the code generation options statepoints need (references in callee-saved registers; no call-frame
 * optimisation). */
enum spgc_result spgc_llvm_initialise(struct spgc_error *error);

/* Checks `module`, then rewrites it in place. Errors: SPGC_ERROR_REJECTED with the function,
 * instruction and remedy in the message; the module is unchanged if the first check rejects it,
 * otherwise only to be disposed of. The caller keeps ownership. */
enum spgc_result spgc_lower_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                   struct spgc_error *error);

/* For compilers that cannot write the gc attribute, such as clang: gives gc "statepoint-example" to
 * every function that uses references and has no gc attribute. Returns how many there were. */
unsigned spgc_manage_functions(LLVMModuleRef module);

/* Only the first check: what is wrong in the IR as it comes. What shows once variables are
 * promoted, functions inlined and code is generated, type descriptors and hidden references among
 * it, spgc_lower_module and spgc_emit_module find: a tool that only checks lowers a copy of the
 * module, as `spgc-lower --check` does. */
enum spgc_result spgc_check_module(LLVMModuleRef module, struct spgc_error *error);

/* Object code or assembly of a lowered module, in memory. The caller disposes of the buffer.
 * Assembly is for reading: its stack maps name functions by symbols that a linker may give to other
 * code, an object's do not. Errors: SPGC_ERROR_REJECTED with LLVM's words for what only code
 * generation finds, such as mistakes in inline assembly.
 *
 * LLVM ends the process when its code generator meets what it cannot do, and there is no way back
 * from there: an intrinsic of an extension that the processor lacks (llvm.x86.avx512 without
 * "target-features"), an operation on numbers too wide for it, memory that runs out.
 * spgc_check_module refuses before what is known of that: registers, comdats, initialisers,
 * metadata, calling conventions, types and intrinsics of other processors. A process that takes IR
 * from strangers and must live lowers it in another process, such as spgc-lower, which exits with
 * status 1 and LLVM's message. A handler given to LLVMInstallFatalErrorHandler
 * (llvm-c/ErrorHandling.h) gets that message before the process ends. It must not leave by longjmp:
 * LLVM is not whole then. */
enum spgc_result spgc_emit_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                  LLVMCodeGenFileType kind, LLVMMemoryBufferRef *buffer,
                                  struct spgc_error *error);

#ifdef __cplusplus
}
#endif

#endif
