/* Reads modules of IR from session.py, and runs each as it comes. */
#include "nib.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/IRReader.h>

#include "spgc/heap.h"
#include "spgc/jit.h"
#include "spgc/lower.h"
#include "spgc/protect.h"
#include "spgc/thread.h"

enum { STACK_BYTES = 4 << 20 };

const struct spgc_type nib_pair = {
    .size = sizeof(struct pair), .flags = SPGC_TYPE_VALUES, .name = "pair"};
const struct spgc_type nib_closure = {.size = 32,
                                      .element_size = 8,
                                      .flags = SPGC_TYPE_TAIL | SPGC_TYPE_TAIL_VALUES,
                                      .name = "closure"};

/* What session.py says before a module. */
struct line {
  size_t size;
  char function[32];
  bool is_kept;
};

static void require(enum spgc_result result, const struct spgc_error *error) {
  if (result == SPGC_OK)
    return;
  fprintf(stderr, "nib: %s\n", error->message);
  exit(EXIT_FAILURE);
}

static bool read_line(struct line *line) {
  char kept[8];
  bool is_read = scanf("%zu %31s %7s", &line->size, line->function, kept) == 3 && getchar() == '\n';
  line->is_kept = is_read && strcmp(kept, "keep") == 0;
  return is_read;
}

static LLVMModuleRef read_module(LLVMContextRef context, size_t size) {
  LLVMModuleRef module;
  char *text = malloc(size), *message = NULL;
  if (text == NULL || fread(text, 1, size, stdin) != size) {
    fprintf(stderr, "nib: the module is cut short\n");
    exit(EXIT_FAILURE);
  }
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, size, "module");
  free(text);
  if (LLVMParseIRInContext(context, buffer, &module, &message)) {
    fprintf(stderr, "nib: %s\n", message);
    exit(EXIT_FAILURE);
  }
  return module;
}

static struct spgc_jit_object *load(struct spgc_jit *jit, LLVMModuleRef module) {
  struct spgc_error error;
  struct spgc_lower_options options;
  struct spgc_jit_object *object;
  LLVMMemoryBufferRef code;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  options.optimisation = 1; /* somebody waits */
  require(spgc_lower_module(module, &options, &error), &error);
  require(spgc_emit_module(module, &options, LLVMObjectFile, &code, &error), &error);
  require(spgc_jit_add(jit, code, &object, &error), &error);
  return object;
}

static void *call(void *code) {
  ((void (*)(void))code)();
  return NULL;
}

static void run(struct spgc_jit *jit, const struct line *line, LLVMContextRef context) {
  struct spgc_error error;
  void *code;
  LLVMModuleRef module = read_module(context, line->size);
  struct spgc_jit_object *object = load(jit, module);
  LLVMDisposeModule(module);
  require(spgc_jit_lookup(jit, line->function, &code, &error), &error);
  spgc_protect(call, code, NULL); /* an error ends the line, not the session */
  if (!line->is_kept) {
    require(spgc_jit_remove(jit, object, &error), &error);
    assert(spgc_jit_lookup(jit, line->function, &code, &error) != SPGC_OK); /* it is gone */
  }
}

int main(void) {
  struct spgc_error error;
  struct spgc_jit *jit;
  setvbuf(stdout, NULL, _IOLBF, 0);
  require(spgc_llvm_initialise(&error), &error);
  require(spgc_start(NULL, &error), &error);
  require(spgc_thread_attach(__builtin_frame_address(0), &error), &error);
  require(spgc_jit_create(&jit, &error), &error);
  spgc_set_out_of_memory_hook(nib_out_of_memory, NULL);
  spgc_thread.stack_limit = (uintptr_t)__builtin_frame_address(0) - STACK_BYTES;
  LLVMContextRef context = LLVMContextCreate();
  for (struct line line; read_line(&line);)
    run(jit, &line, context);
  LLVMContextDispose(context);
  spgc_jit_destroy(jit);
  spgc_thread_detach();
  spgc_stop();
}
