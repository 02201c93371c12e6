/* libspgc-llvm: turns a frontend's IR into an object with statepoints.
 *
 * A frontend emits functions with gc "statepoint-example", references as ptr addrspace(1), plain
 * loads and stores, and calls of ptr addrspace(1) spgc_allocate(ptr type) and
 * spgc_allocate_array(ptr type, i64 length). The lowering adds write barriers, statepoints, and
 * polls in loops and at the entries of functions that make calls (enum spgc_polls). Global
 * variables that are or contain ptr addrspace(1) become roots. Calls that cannot reach a safepoint
 * may carry the attribute "gc-leaf-function". docs/frontend-rules.md has the other functions and
 * attributes, and the IR that is rejected because RS4GC would miscompile it silently.
 *
 * Any thread may call these functions, attached or not, and several threads at once for modules of
 * different contexts. None is a safepoint. Lowering and emitting are slow, so attached threads do
 * them in spgc_call_blocking (spgc/thread.h). */
#ifndef SPGC_LOWER_H
#define SPGC_LOWER_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Where the code will run. */
enum spgc_code {
  SPGC_CODE_AHEAD_OF_TIME, /* uses a thread-local symbol for the thread's words; a constructor
                              registers the module */
  SPGC_CODE_JIT,           /* uses their constant offset; spgc_jit_add registers the module, and
                              linkers refuse the object */
};

/* Where polls are put. */
enum spgc_polls {
  SPGC_POLLS_ENTRIES_AND_LOOPS,
  SPGC_POLLS_LOOPS, /* if the frontend's own entry check (of the stack limit, say) can stop a
                       thread. Every call counts as a poll, except of the module's functions that
                       make no calls */
};

/* The collector that the code is for. */
enum spgc_barriers {
  SPGC_BARRIERS_CARDS, /* this one: write barriers, polls, inline allocation */
  SPGC_BARRIERS_NONE,  /* another one: safepoints and stack maps, with no functions of this library
                          but those that the module names (docs/lowering.md). Ahead of time only */
};

/* Begin with spgc_lower_options_default. Later releases add members at the end (docs/abi.md). */
struct spgc_lower_options {
  size_t size; /* of the caller's structure, in bytes */
  enum spgc_code code;
  enum spgc_polls polls;
  unsigned optimisation; /* 0: none. 1: quick, for code that a user waits for. 2 and 3: LLVM's -O2
                            and -O3, and the two options below. Every level promotes references out
                            of allocas */
  /* At levels 2 and 3, for functions that call themselves and have neither `optsize` nor
   * `minsize`. True by default. */
  bool inline_recursion; /* inline small ones into themselves */
  bool leaf_entries;     /* move a path that makes no call into a function without a frame */
  const char *cpu; /* LLVM's name; NULL: ahead of time x86-64-v2, or generic on AArch64; for the JIT
                      the host */
  enum spgc_barriers barriers;
  const char *target; /* LLVM's triple; NULL: this machine's. Ahead of time only. x86-64 or AArch64
                         Linux with 64-bit pointers and the GNU or the musl C library;
                         SPGC_ERROR_UNSUPPORTED for others, and if this LLVM lacks the processor */
  bool verify_each;   /* check after each stage that the module is valid IR and keeps the lowering's
                         invariants. False by default */
  bool check_numbers; /* the code ends the process with a message if a word declared as a number is
                         the address of an object (docs/debugging.md). For tests of a frontend:
                         slower code. Not with SPGC_BARRIERS_NONE. False by default */
  const char *load_barrier; /* with SPGC_BARRIERS_NONE: a leaf function `ptr addrspace(1) NAME(ptr
                               addrspace(1))` through which code passes each reference that it reads
                               from an object (docs/lowering.md, "Load barriers"). Must live until
                               the lowering returns. NULL, the default: none */
  const char *last_stage; /* stop after this stage of docs/lowering.md, to look at the module, which
                             cannot be emitted then. NULL: all stages. For spgc_lower_module only */
};

/* Sets the defaults: ahead-of-time code, polls at entries and in loops, and level 2. The caller has
 * set `options->size`. For languages that cannot call the function below. */
void spgc_lower_options_initialise(struct spgc_lower_options *options);

/* Sets all options, the size included. */
static inline void spgc_lower_options_default(struct spgc_lower_options *options) {
  if (options != NULL)
    options->size = sizeof *options;
  spgc_lower_options_initialise(options);
}

/* Initialises LLVM's targets x86-64 and AArch64, if this LLVM has them, and this machine's, and
 * sets options of LLVM for the whole process: -max-registers-for-gc-values=16,
 * -fixup-allow-gcptr-in-csr and -use-registers-for-gc-values-in-landing-pad (references in
 * callee-saved registers); with x86-64 also -no-x86-call-frame-opt (correct frame sizes in stack
 * maps) and -disable-x86-domain-reassignment (an AVX-512 pass whose time is quadratic in the number
 * of relocated values). Call it once before the functions below and spgc_jit_create, which
 * otherwise return SPGC_ERROR_STATE; later calls do nothing. Not by two threads at once.
 * SPGC_ERROR_UNSUPPORTED if this LLVM has no code generator for the machine. */
enum spgc_result spgc_llvm_initialise(struct spgc_error *error);

/* Reads textual IR or bitcode into a new module, which the caller owns. Consumes the buffer, also
 * on error. Messages use the buffer's name. SPGC_ERROR_MALFORMED, for textual IR with the line, its
 * number and the column. */
enum spgc_result spgc_parse_module(LLVMContextRef context, LLVMMemoryBufferRef buffer,
                                   LLVMModuleRef *module, struct spgc_error *error);

/* Checks `module`, then rewrites it in place; the caller keeps it. Errors: SPGC_ERROR_REJECTED; the
 * message names the function, the instruction and the remedy, and `error` has the place: file, line
 * and column from the module's debug information, or else the function and the block. A module is
 * lowered once. One that the first check rejects is unchanged; after other errors it must only be
 * disposed of. Also SPGC_ERROR_MALFORMED for a module that is not valid IR;
 * SPGC_ERROR_INVALID_ARGUMENT for options outside their range, and unknown names;
 * SPGC_ERROR_UNSUPPORTED for an option that only a later library has, and for a module or `target`
 * of another machine. */
enum spgc_result spgc_lower_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                   struct spgc_error *error);

/* For compilers that cannot write the attributes, such as clang. Functions annotated as leaves
 * (SPGC_LEAF in spgc/managed.h) become "gc-leaf-function"; others that use references and have no
 * gc attribute get gc "statepoint-example". Returns the number of the latter. */
unsigned spgc_manage_functions(LLVMModuleRef module);

/* As spgc_manage_functions, but gives gc "statepoint-example" to every function defined here that
 * is not a leaf, so that every loop can poll: loops in functions without gc do not
 * (docs/threads.md). A function without references also counts as a leaf if a call of it is marked
 * "gc-leaf-function". */
unsigned spgc_manage_all_functions(LLVMModuleRef module);

/* Does only the first check, and leaves the module as it is. spgc_lower_module and spgc_emit_module
 * find more errors; to find those too, lower a copy, as `spgc-lower --check` does. Errors:
 * SPGC_ERROR_MALFORMED and SPGC_ERROR_REJECTED, as from spgc_lower_module. */
enum spgc_result spgc_check_module(LLVMModuleRef module, struct spgc_error *error);

/* The finding is valid during the call. */
typedef void (*spgc_lint_report)(void *context, const struct spgc_error *finding);

/* Calls `report` with each reason why spgc_lower_module would refuse the module, even if the IR is
 * not meant for this collector. `finding` has the place, and in `rule` the row of
 * docs/frontend-rules.md. The lint ends after the first stage with findings, so a corrected module
 * may have new ones; without findings it is accepted. If no function uses references, one finding
 * with `rule` 0 says so, although the module would be lowered. The level of optimisation makes no
 * difference. Afterwards the module must only be disposed of. Errors: those of
 * spgc_lower_module, except SPGC_ERROR_REJECTED. */
enum spgc_result spgc_lint_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                  spgc_lint_report report, void *context, struct spgc_error *error);

/* Emits object code or assembly of a lowered module into memory. The caller disposes of the buffer.
 * Assembly is for reading only: the symbols by which its stack maps name functions may get other
 * code from a linker. Errors: SPGC_ERROR_REJECTED with LLVM's message for errors that only code
 * generation finds, such as mistakes in inline assembly; SPGC_ERROR_INVALID_ARGUMENT for a module
 * that was not lowered; those of spgc_lower_module for options.
 *
 * LLVM ends the process or crashes if its code generator cannot handle something, such as an
 * intrinsic that the processor lacks, or exhausted memory; docs/frontend-rules.md lists known
 * cases. If untrusted IR must not end your process, lower it in another, such as spgc-lower. A
 * handler given to LLVMInstallFatalErrorHandler (llvm-c/ErrorHandling.h) gets LLVM's message first.
 * It must not leave by longjmp, because LLVM's state is inconsistent then. */
enum spgc_result spgc_emit_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                  LLVMCodeGenFileType kind, LLVMMemoryBufferRef *buffer,
                                  struct spgc_error *error);

/* The version of libspgc-llvm, and of its LLVM. Later releases add members at the end, beyond the
 * `size` of an older library. */
struct spgc_llvm_version {
  size_t size;      /* of this structure in the library, in bytes */
  const char *text; /* SPGC_VERSION (spgc/version.h) of the library */
  const char *llvm; /* the version of LLVM's headers: "19.1.7" */
};

/* Never NULL. The structure is constant. */
const struct spgc_llvm_version *spgc_llvm_version(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
