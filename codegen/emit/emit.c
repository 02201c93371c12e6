#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "codegen/emit/module_note.h"
#include "codegen/emit/object_file.h"
#include "codegen/emit/target.h"
#include "codegen/ir/diagnostics.h"
#include "codegen/ir/lowering.h"
#include "spgc/lower.h"
#include "support/fatal.h"

/* LLVM's buffers are read-only, so a copy is changed. */
static enum spgc_result prepare_stackmaps(LLVMMemoryBufferRef *buffer, struct spgc_error *error) {
  static const char stackmaps[] = ".llvm_stackmaps";
  size_t size = LLVMGetBufferSize(*buffer);
  LLVMMemoryBufferRef copy =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(*buffer), size, "object");
  LLVMDisposeMemoryBuffer(*buffer);
  *buffer = copy;
  char *bytes = (char *)LLVMGetBufferStart(copy);
  enum spgc_result result = spgc_object_file_refer_locally(bytes, size, stackmaps, error);
  return result == SPGC_OK ? spgc_object_file_make_writable(bytes, size, stackmaps, error) : result;
}

struct generation {
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
  LLVMCodeGenFileType kind;
  LLVMMemoryBufferRef emitted;
  char *message;
  stack_t signal_stack; /* the caller's, which does not need it while it waits */
};

static void generate(struct generation *generation) {
  if (LLVMTargetMachineEmitToMemoryBuffer(generation->machine, generation->module, generation->kind,
                                          &generation->message, &generation->emitted))
    generation->emitted = NULL;
}

static void *generate_apart(void *argument) {
  struct generation *generation = argument;
  stack_t own; /* a sanitizer's, which expects it at the end */
  sigaltstack(&generation->signal_stack, &own);
  generate(generation);
  sigaltstack(&own, NULL);
  return NULL;
}

/* A new thread gets memory of its own from malloc (docs/lowering.md, "Compile time"). */
static bool try_apart(struct generation *generation) {
  static const size_t least_stack = 8 << 20; /* LLVM recurses */
  pthread_attr_t attributes;
  pthread_t thread;
  size_t stack;
  if (sigaltstack(NULL, &generation->signal_stack) != 0 || pthread_attr_init(&attributes) != 0)
    return false;
  if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < least_stack)
    pthread_attr_setstacksize(&attributes, least_stack);
  bool started = pthread_create(&thread, &attributes, generate_apart, generation) == 0;
  pthread_attr_destroy(&attributes);
  if (started)
    pthread_join(thread, NULL);
  return started;
}

/* A waiting program has small modules. An error in inline assembly shows only now, and the object
 * then lacks that code. */
static enum spgc_result generate_caught(struct generation *generation, bool is_jit,
                                        struct spgc_error *error) {
  struct diagnostics diagnostics;
  spgc_diagnostics_catch(&diagnostics, LLVMGetModuleContext(generation->module));
  if (is_jit || !try_apart(generation))
    generate(generation);
  enum spgc_result result = spgc_diagnostics_release(&diagnostics, SPGC_OK, error);
  if (generation->emitted == NULL && result == SPGC_OK)
    result = spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0, "no code generated: %s",
                            generation->message);
  LLVMDisposeMessage(generation->message);
  return result;
}

static enum spgc_result check_call(LLVMModuleRef module, const struct spgc_lower_options *options,
                                   struct spgc_error *error) {
  if (options->last_stage != NULL)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "last_stage is set: a module that was lowered in part is not emitted");
  if (!spgc_is_lowered(module))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "the module was not lowered, so the collector would not find its "
                          "references: call spgc_lower_module first");
  return SPGC_OK;
}

enum spgc_result spgc_emit_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                  LLVMCodeGenFileType kind, LLVMMemoryBufferRef *buffer,
                                  struct spgc_error *error) {
  struct spgc_lower_options known;
  LLVMTargetMachineRef machine;
  spgc_require_use(module != NULL && buffer != NULL,
                   "no module or no place for the buffer is given");
  spgc_require_use(kind == LLVMObjectFile || kind == LLVMAssemblyFile,
                   "there is no kind of file %d", (int)kind);
  enum spgc_result result = spgc_lower_options_read(&known, options, "spgc_emit_module", error);
  if (result == SPGC_OK)
    result = check_call(module, &known, error);
  if (result == SPGC_OK)
    result = spgc_target_machine_create(&known, &machine, error);
  if (result != SPGC_OK)
    return result;
  struct generation generation = {.module = module, .machine = machine, .kind = kind};
  spgc_module_note_add(module);
  result = generate_caught(&generation, known.code == SPGC_CODE_JIT, error);
  LLVMMemoryBufferRef emitted = generation.emitted;
  LLVMDisposeTargetMachine(machine);
  if (result == SPGC_OK && kind == LLVMObjectFile)
    result = prepare_stackmaps(&emitted, error);
  if (result == SPGC_OK)
    *buffer = emitted;
  else if (emitted != NULL)
    LLVMDisposeMemoryBuffer(emitted);
  return result;
}
