/* (try form handler): the value of the form, or that of the handler if the form has an error. */
#include "nib.h"

#include "spgc/handle.h"
#include "spgc/protect.h"

struct spgc_ref nib_call(struct spgc_ref function); /* extended.ll */

struct protected_call {
  struct spgc_handle function, value;
};

static void *call(void *argument) {
  struct protected_call *this_call = argument;
  spgc_handle_set(this_call->value, nib_call(spgc_handle_get(this_call->function)));
  return NULL;
}

struct spgc_ref nib_try(struct spgc_ref body, struct spgc_ref handler) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle kept_handler = spgc_handle_make(handler);
  struct protected_call body_call = {spgc_handle_make(body), spgc_handle_make(spgc_ref_null())};
  bool has_failed;
  spgc_protect(call, &body_call, &has_failed);
  struct spgc_ref value =
      has_failed ? nib_call(spgc_handle_get(kept_handler)) : spgc_handle_get(body_call.value);
  spgc_scope_close(scope);
  return value;
}
