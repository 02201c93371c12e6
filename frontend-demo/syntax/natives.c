#include "frontend-demo/syntax/natives.h"

#include <string.h>

static const struct lox_native_signature signatures[] = {
#define SIGNATURE(enumerator, name, arity, result)                                                 \
  {#name, LOX_NATIVE_##enumerator, arity, LOX_KIND_##result},
    LOX_NATIVES(SIGNATURE)
#undef SIGNATURE
};

const struct lox_native_signature *lox_find_native(const struct lox_string *name) {
  for (size_t i = 0; i < LOX_NATIVE_COUNT; i++) {
    if (strlen(signatures[i].name) == name->length &&
        memcmp(signatures[i].name, name->bytes, name->length) == 0)
      return &signatures[i];
  }
  return NULL;
}

void lox_find_natives(struct lox_program *program) {
  for (uint32_t i = 0; i < program->global_count; i++) {
    struct lox_global *global = program->globals[i];
    if (global->declared_count == 0 && global->assigned_count == 0)
      global->native = lox_find_native(&global->name->text);
  }
}

const struct lox_native_signature *lox_called_native(const struct lox_expression *call) {
  const struct lox_expression *callee = call->call.callee;
  if (callee->type != LOX_VARIABLE || callee->variable.kind != LOX_REFERENCE_GLOBAL)
    return NULL;
  const struct lox_native_signature *native = callee->variable.global->native;
  return native && native->arity == call->call.arguments.count ? native : NULL;
}
