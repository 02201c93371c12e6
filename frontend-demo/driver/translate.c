#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend-demo/backend/compile.h"
#include "frontend-demo/driver/driver.h"
#include "frontend-demo/syntax/parse.h"

int lox_internal_error(const char *step, const struct spgc_error *error) {
  fprintf(stderr, "lox: %s failed: %s\n", step, error->message);
  return LOX_EXIT_INTERNAL;
}

static int finish(LLVMModuleRef module, const struct lox_translation *translation,
                  LLVMMemoryBufferRef *buffer) {
  struct spgc_error error;
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.code = translation->code;
  options.target = translation->target;
  options.optimisation = translation->optimisation;
  options.check_numbers = getenv("LOX_CHECK_NUMBERS") != NULL;
  /* No other thread waits for this one to stop, so entries need no polls. Loops need them for
   * collections under stress. */
  options.polls = translation->emit.tail_calls ? SPGC_POLLS_ENTRIES_AND_LOOPS : SPGC_POLLS_LOOPS;
  enum spgc_result result = lox_compile(module, translation->stage, &options, buffer, &error);
  if (result == SPGC_ERROR_UNSUPPORTED && translation->target) {
    fprintf(stderr, "lox: --target=%s: %s\n", translation->target, error.message);
    return LOX_EXIT_USAGE;
  }
  return result == SPGC_OK ? LOX_EXIT_OK : lox_internal_error("compilation", &error);
}

static int translate(const struct lox_translation *translation, LLVMMemoryBufferRef *buffer) {
  struct spgc_error error;
  const struct lox_entry_syntax syntax = {
      .throw_is_declared = lox_session_mentions(translation->emit.session, "throw"),
      .may_end_without_semicolon = translation->emit.session != NULL,
      .echoes = translation->echoes};
  struct lox_program *program =
      lox_parse_entry(translation->path, translation->text, syntax, stderr);
  if (!program)
    return LOX_EXIT_COMPILE_ERROR;
  int code = LOX_EXIT_OK;
  if (spgc_llvm_initialise(&error) != SPGC_OK) {
    code = lox_internal_error("initialising LLVM", &error);
  } else {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = lox_emit_module(context, program, &translation->emit);
    code = finish(module, translation, buffer);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
  }
  lox_program_free(program);
  return code;
}

struct task {
  const struct lox_translation *translation;
  LLVMMemoryBufferRef *buffer;
  int code;
};

static void *run(void *argument) {
  struct task *task = argument;
  task->code = translate(task->translation, task->buffer);
  return NULL;
}

static int start(struct task *task, size_t stack_size, pthread_t *thread) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int failure = pthread_attr_setstacksize(&attributes, stack_size);
  if (failure == 0)
    failure = pthread_create(thread, &attributes, run, task);
  pthread_attr_destroy(&attributes);
  return failure;
}

/* The stack allows for the limit on nesting: parser, emitter and LLVM recurse as deep as the
 * program nests. */
int lox_translate(const struct lox_translation *translation, LLVMMemoryBufferRef *buffer) {
  static const size_t stack_size = (size_t)64 << 20;
  struct task task = {.translation = translation, .buffer = buffer};
  pthread_t thread;
  int failure = start(&task, stack_size, &thread);
  if (failure != 0) {
    fprintf(stderr, "lox: cannot start a thread with a stack of %zu MiB: %s\n", stack_size >> 20,
            strerror(failure));
    return LOX_EXIT_SYSTEM;
  }
  pthread_join(thread, NULL);
  return task.code;
}
