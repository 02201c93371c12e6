#include "tests/integration/jit_template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/compile.h"

enum { PLACE_BYTES = 6 };

void jit_template_compile_at(struct jit_template *template, const char *text,
                             unsigned optimisation) {
  LLVMMemoryBufferRef object = compile_for_jit(text, optimisation);
  template->size = LLVMGetBufferSize(object);
  template->bytes = malloc(template->size);
  memcpy(template->bytes, LLVMGetBufferStart(object), template->size);
  LLVMDisposeMemoryBuffer(object);
}

void jit_template_compile(struct jit_template *template, const char *text) {
  jit_template_compile_at(template, text, 2);
}

void jit_template_free(struct jit_template *template) {
  free(template->bytes);
}

static void replace(char *bytes, size_t size, const char *place, unsigned number) {
  char name[16];
  snprintf(name, sizeof name, "_%05u", number % 100000);
  for (char *at = bytes, *found;
       (found = memmem(at, size - (size_t)(at - bytes), place, PLACE_BYTES)) != NULL;
       at = found + PLACE_BYTES)
    memcpy(found, name, PLACE_BYTES);
}

/* The second place first, because the first's number may look like it. */
LLVMMemoryBufferRef jit_template_copy(const struct jit_template *template, unsigned number,
                                      unsigned other) {
  char *copy = malloc(template->size);
  memcpy(copy, template->bytes, template->size);
  if (other != 0)
    replace(copy, template->size, "_11111", other);
  replace(copy, template->size, "_00000", number);
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(copy, template->size, "object");
  free(copy);
  return buffer;
}
