#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/native.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/run.h"

typedef struct spgc_ref value;

/* The code ignores extra words, as calling conventions allow. */
static value call_code(void *code, value callee, const value *arguments, uint64_t count) {
  value w[LOX_CALL_ARGUMENTS_MAX] = {0};
  for (uint64_t i = 0; i < count; i++)
    w[i] = arguments[i];
  return ((value(*)(value, value, value, value, value, value, value, value, value))code)(
      callee, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
}

struct spgc_ref lox_call(struct spgc_ref callee, const struct spgc_ref *arguments, uint64_t count) {
  if (!lox_is_object(callee) || lox_type_of(callee)->call_key != count)
    lox_error_call(callee, count);
  if (count > LOX_CALL_ARGUMENTS_MAX)
    lox_error("Can't pass more than %d arguments from a list.", LOX_CALL_ARGUMENTS_MAX);
  struct lox_entry entry;
  lox_run_enter(&entry);
  void *code = lox_type_of(callee)->code;
  struct spgc_ref result = call_code(code, callee, arguments, count);
  lox_run_leave(&entry);
  return result;
}

struct spgc_ref lox_native_apply(struct spgc_ref self, struct spgc_ref function,
                                 struct spgc_ref list) {
  if (!lox_is_kind(list, LOX_OBJECT_LIST))
    lox_error("Second argument of 'apply' must be a list.");
  uint64_t count = lox_as_list(list)->count;
  const struct spgc_ref *items =
      count == 0 ? NULL : lox_as_list_store(lox_as_list(list)->store)->items;
  return lox_call(function, items, count);
}
