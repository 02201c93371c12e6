#include "tests/integration/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/IRReader.h>

LLVMModuleRef compile_parse(LLVMContextRef context, const char *text) {
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
  LLVMModuleRef module;
  char *message = NULL;
  ck_assert_msg(!LLVMParseIRInContext(context, buffer, &module, &message), "%s", message);
  return module;
}

static unsigned number(const char *variable, unsigned otherwise) {
  const char *given = getenv(variable);
  return given != NULL ? (unsigned)strtoul(given, NULL, 10) : otherwise;
}

unsigned compile_level_stride(void) {
  return number("SPGC_TEST_LEVEL_STRIDE", 1);
}

void compile_add_levels(TCase *tests, const TTest *test) {
  enum { LEVELS = 4 };
  int stride = (int)compile_level_stride(), first = (int)number("SPGC_TEST_FIRST_LEVEL", 0);
  for (int level = first; level < LEVELS; level += stride)
    tcase_add_loop_test(tests, test, level, level + 1);
}

char *compile_read(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/ir/%s", getenv("SPGC_TEST_SOURCES"), name);
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "cannot read %s", path);
  char *text = NULL;
  size_t size = 0;
  ssize_t length = getdelim(&text, &size, '\0', file);
  ck_assert_msg(length > 0, "%s is empty", path);
  fclose(file);
  return text;
}

enum spgc_result compile_result(const char *text, const struct spgc_lower_options *options,
                                struct spgc_error *error) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, text);
  enum spgc_result result = spgc_lower_module(module, options, error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return result;
}

char *compile_lowered(const char *text, const struct spgc_lower_options *options) {
  struct spgc_error error;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, text);
  ck_assert_ok(spgc_lower_module(module, options, &error), error);
  char *lowered = LLVMPrintModuleToString(module);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return lowered;
}

char *compile_lowered_at(const char *text, unsigned optimisation) {
  struct spgc_lower_options options;
  struct spgc_error error;
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  spgc_lower_options_default(&options);
  options.optimisation = optimisation;
  return compile_lowered(text, &options);
}

LLVMMemoryBufferRef compile_for_jit(const char *text, unsigned optimisation) {
  return compile_for_processor(text, optimisation, NULL);
}

LLVMMemoryBufferRef compile_for_processor(const char *text, unsigned optimisation,
                                          const char *processor) {
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  options.cpu = processor;
  options.optimisation = optimisation;
  return compile_object(text, &options);
}

LLVMMemoryBufferRef compile_object(const char *text, const struct spgc_lower_options *options) {
  struct spgc_error error;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, text);
  ck_assert_ok(spgc_lower_module(module, options, &error), error);
  LLVMMemoryBufferRef object;
  ck_assert_ok(spgc_emit_module(module, options, LLVMObjectFile, &object, &error), error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return object;
}

int compile_count(const char *text, const char *part) {
  int found = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
    found++;
  return found;
}
