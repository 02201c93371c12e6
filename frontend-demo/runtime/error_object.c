#include "frontend-demo/runtime/error.h"

#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/shape.h"

static struct lox_name_literal message_name = {.text = "message", .length = 7};
static struct lox_name_literal trace_name = {.text = "trace", .length = 5};
static struct lox_name_literal *const fields[] = {&message_name, &trace_name};
static const struct lox_class_site error_site = {
    .name = "Error", .fields = fields, .field_count = 2};

enum { MESSAGE, TRACE };

/* No slot until the first error. Written by the thread that runs Lox, and when the runtime stops.
 */
static struct spgc_handle error_class;

static bool has_class(void) {
  if (error_class.slot == NULL)
    error_class = spgc_global_handle_make(lox_class_make(&error_site, lox_nil()));
  return error_class.slot != NULL;
}

struct spgc_ref lox_error_object_make(struct spgc_handle message, struct spgc_handle trace) {
  if (!has_class())
    return spgc_ref_null();
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle error = spgc_handle_make(lox_construct_default(spgc_handle_get(error_class)));
  lox_instance_add_field(spgc_handle_get(error), lox_symbol_of(&message_name),
                         spgc_handle_get(message));
  lox_instance_add_field(spgc_handle_get(error), lox_symbol_of(&trace_name),
                         spgc_handle_get(trace));
  struct spgc_ref made = spgc_handle_get(error);
  spgc_scope_close(scope);
  return made;
}

bool lox_is_error(struct spgc_ref value) {
  return lox_is_kind(value, LOX_OBJECT_INSTANCE) &&
         lox_as_instance(value)->shape->layout->abi.site == &error_site;
}

struct spgc_ref lox_error_message(struct spgc_ref error) {
  return spgc_slot_load(lox_field_slot(error, MESSAGE));
}

struct spgc_ref lox_error_trace(struct spgc_ref error) {
  return spgc_slot_load(lox_field_slot(error, TRACE));
}

void lox_error_object_stop(void) {
  if (error_class.slot != NULL)
    spgc_global_handle_release(error_class);
  error_class.slot = NULL;
}
