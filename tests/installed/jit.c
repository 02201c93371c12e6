/* Lowers, loads and runs a module of IR.
 *
 * usage: jit CARDS.ll */
#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/IRReader.h>

#include "spgc/heap.h"
#include "spgc/jit.h"
#include "spgc/lower.h"
#include "spgc/ref.h"
#include "spgc/thread.h"

struct card {
  const void *header;
  int64_t number;
};

static int64_t number(struct spgc_ref card) {
  return ((const struct card *)spgc_ref_memory(card))->number;
}

static void collect(void) {
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static int64_t points(struct spgc_ref one, struct spgc_ref two, struct spgc_ref three,
                      struct spgc_ref four, struct spgc_ref five, struct spgc_ref six,
                      struct spgc_ref seven) {
  int64_t upper = number(five) + number(six) + number(seven);
  return number(one) + number(two) + number(three) + number(four) + upper;
}

static void require(enum spgc_result result, const struct spgc_error *error) {
  if (result == SPGC_OK)
    return;
  fprintf(stderr, "%s\n", error->message);
  exit(1);
}

static LLVMModuleRef read_module(LLVMContextRef context, const char *path) {
  LLVMMemoryBufferRef text;
  LLVMModuleRef module;
  char *message;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &text, &message) == 0 &&
      LLVMParseIRInContext(context, text, &module, &message) == 0)
    return module;
  fprintf(stderr, "%s: %s\n", path, message);
  exit(1);
}

static void load(struct spgc_jit *jit, LLVMModuleRef module) {
  struct spgc_error error;
  struct spgc_lower_options options;
  LLVMMemoryBufferRef object;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  require(spgc_lower_module(module, &options, &error), &error);
  require(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), &error);
  LLVMDisposeModule(module);
  require(spgc_jit_define(jit, "collect", (void *)collect, &error), &error);
  require(spgc_jit_define(jit, "points", (void *)points, &error), &error);
  require(spgc_jit_add(jit, object, NULL, &error), &error);
}

int main(int argc, char **argv) {
  struct spgc_error error;
  struct spgc_jit *jit;
  void *play;
  if (argc != 2)
    return 2;
  require(spgc_llvm_initialise(&error), &error);
  require(spgc_start(NULL, &error), &error);
  require(spgc_thread_attach(__builtin_frame_address(0), &error), &error);
  require(spgc_jit_create(&jit, &error), &error);
  LLVMContextRef context = LLVMContextCreate();
  load(jit, read_module(context, argv[1]));
  LLVMContextDispose(context);
  require(spgc_jit_lookup(jit, "play", &play, &error), &error);
  printf("the cards have %d points\n", (int)((int64_t (*)(void))play)());
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  printf("objects moved: %llu\n", (unsigned long long)statistics.moved_objects);
  spgc_jit_destroy(jit);
  spgc_thread_detach();
  spgc_stop();
}
