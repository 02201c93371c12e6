/* What another frontend adds to frontend-demo/backend: a language of two nodes, a number and a
 * pair. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend-demo/backend/compile.h"
#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/backend/record.h"
#include "spgc/main.h"

struct node {
  uint64_t number; /* of a node without children */
  const struct node *first, *second;
};

enum { DEPTH = 5, LEAVES = 1 << DEPTH };

static const struct node *grow(unsigned depth, uint64_t *next) {
  struct node *node = calloc(1, sizeof *node);
  if (node == NULL)
    abort();
  if (depth == 0) {
    node->number = (*next)++;
  } else {
    node->first = grow(depth - 1, next);
    node->second = grow(depth - 1, next);
  }
  return node;
}

/* ---- Its objects: a word is a pair or an odd number ---- */

struct pair {
  const struct spgc_type *header;
  struct spgc_ref first, second;
};

static uint64_t word_of(uint64_t number) {
  return number << 1 | 1;
}

static bool is_numbered(struct spgc_ref value, uint64_t *next) {
  if ((value.word & 1) != 0)
    return value.word == word_of((*next)++);
  const struct pair *pair = (const struct pair *)value.word;
  return is_numbered(pair->first, next) && is_numbered(pair->second, next);
}

enum entry { POLL, ALLOCATE };

static const struct lox_entry_row entries[] = {
    [POLL] = {"spgc_poll", "-", LOX_CALLS_SAFEPOINT},
    [ALLOCATE] = {"spgc_allocate", "vp", LOX_CALLS_SAFEPOINT},
};

static uint64_t call_site(uint64_t function, int line) {
  return function << 32 | (uint32_t)line;
}

static const struct lox_language language = {
    .entries = entries, .poll = POLL, .call_site = call_site};

static LLVMValueRef emit_descriptor(const struct lox_abi *abi, LLVMModuleRef module) {
  struct lox_record record;
  lox_record_begin(&record, abi);
  LOX_INT32(&record, spgc_type, size, sizeof(struct pair));
  LOX_INT32(&record, spgc_type, element_size, 0);
  LOX_INT32(&record, spgc_type, flags, SPGC_TYPE_VALUES);
  LOX_INT32(&record, spgc_type, reference_count, 0);
  LOX_POINTER(&record, spgc_type, reference_offsets, NULL);
  LOX_INT32(&record, spgc_type, element_reference_count, 0);
  LOX_INT32(&record, spgc_type, field_names, 0);
  LOX_POINTER(&record, spgc_type, element_reference_offsets, NULL);
  LOX_POINTER(&record, spgc_type, name, lox_record_text(module, "pair", 4));
  return lox_record_constant(module, lox_record_end(&record, sizeof(struct spgc_type)), "pair");
}

static LLVMValueRef emit(struct lox_emitter *emitter, const struct node *node,
                         LLVMValueRef descriptor) {
  if (node->first == NULL)
    return lox_abi_constant(emitter->abi, word_of(node->number));
  LLVMValueRef first = emit(emitter, node->first, descriptor),
               second = emit(emitter, node->second, descriptor),
               pair = lox_call_runtime(emitter, 1, ALLOCATE, &descriptor);
  lox_store(emitter, first, pair, offsetof(struct pair, first));
  lox_store(emitter, second, pair, offsetof(struct pair, second));
  return pair;
}

static void emit_program(LLVMContextRef context, LLVMModuleRef module, const struct node *program) {
  struct lox_abi abi = {.code_values = 0};
  struct lox_emitter emitter;
  lox_abi_init(&abi, context, &language);
  LLVMValueRef code = lox_add_code(&abi, module, 0, "two.", "program");
  LLVMSetLinkage(code, LLVMExternalLinkage);
  lox_emitter_begin(&emitter, &abi, module, code);
  lox_return_result(&emitter, emit(&emitter, program, emit_descriptor(&abi, module)));
  lox_emitter_end(&emitter);
}

static void require_ok(enum spgc_result result, const struct spgc_error *error) {
  if (result == SPGC_OK)
    return;
  fprintf(stderr, "two_nodes: %s\n", error->message);
  exit(EXIT_FAILURE);
}

static LLVMMemoryBufferRef compile(const struct node *program) {
  struct spgc_lower_options options;
  struct spgc_error error;
  LLVMMemoryBufferRef object;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  options.verify_each = true;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("two nodes", context);
  emit_program(context, module, program);
  require_ok(lox_compile(module, LOX_STAGE_OBJECT, &options, &object, &error), &error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return object;
}

static void run(void *unused) {
  (void)unused;
  uint64_t leaves = 0, found = 0;
  struct spgc_jit *jit;
  struct spgc_error error;
  void *program;
  require_ok(lox_jit_start(&jit, 0, &error), &error);
  LLVMMemoryBufferRef object = compile(grow(DEPTH, &leaves));
  require_ok(lox_jit_load(jit, object, "two.program", &program, &error), &error);
  struct spgc_ref (*code)(void) = (struct spgc_ref(*)(void))(uintptr_t)program;
  bool is_right = is_numbered(code(), &found) && found == LEAVES;
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  printf("%s tree of %" PRIu64 " leaves\n", is_right ? "right" : "wrong", found);
  printf("%s\n", statistics.moved_objects != 0 ? "objects moved" : "no object moved");
  spgc_jit_destroy(jit);
}

int main(void) {
  struct spgc_error error;
  require_ok(spgc_main(NULL, run, NULL, &error), &error);
  return EXIT_SUCCESS;
}
