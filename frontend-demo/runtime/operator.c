#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/string.h"

struct spgc_ref lox_add_slow(struct spgc_ref a, struct spgc_ref b) {
  if (!lox_is_string(a) || !lox_is_string(b))
    lox_error("Operands must be two numbers or two strings.");
  return lox_string_concatenate(a, b);
}

uint64_t lox_strings_equal(struct spgc_ref a, struct spgc_ref b) {
  return lox_is_string(a) && lox_is_string(b) && lox_string_equal(a, b);
}

void lox_check_superclass(struct spgc_ref superclass) {
  if (!lox_is_kind(superclass, LOX_OBJECT_CLASS))
    lox_error("Superclass must be a class.");
}
