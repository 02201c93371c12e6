#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/native.h"
#include "frontend-demo/runtime/number.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/print.h"
#include "frontend-demo/runtime/string.h"

static void require_list(struct spgc_ref value, const char *function) {
  if (!lox_is_kind(value, LOX_OBJECT_LIST))
    lox_error("Argument of '%s' must be a list.", function);
}

static void require_string(struct spgc_ref value, const char *function) {
  if (!lox_is_string(value))
    lox_error("Argument of '%s' must be a string.", function);
}

/* Requires 0 <= index < limit. */
static uint64_t require_string_index(struct spgc_ref value, uint64_t limit) {
  uint64_t index;
  if (!lox_is_number(value) || !lox_number_is_integer(lox_to_double(value)))
    lox_error("String index must be an integer.");
  if (!lox_number_to_index(lox_to_double(value), limit, &index))
    lox_error("String index out of range.");
  return index;
}

struct spgc_ref lox_native_len(struct spgc_ref callee, struct spgc_ref value) {
  if (lox_is_string(value))
    return lox_number((double)lox_string_length(value));
  if (!lox_is_kind(value, LOX_OBJECT_LIST))
    lox_error("Argument of 'len' must be a list or a string.");
  return lox_number((double)lox_as_list(value)->count);
}

struct spgc_ref lox_native_push(struct spgc_ref callee, struct spgc_ref list,
                                struct spgc_ref value) {
  require_list(list, "push");
  lox_list_push(list, value);
  return lox_nil();
}

struct spgc_ref lox_native_pop(struct spgc_ref callee, struct spgc_ref list) {
  require_list(list, "pop");
  if (lox_as_list(list)->count == 0)
    lox_error("Can't pop from an empty list.");
  return lox_list_pop(list);
}

struct spgc_ref lox_native_substring(struct spgc_ref callee, struct spgc_ref string,
                                     struct spgc_ref start, struct spgc_ref end) {
  require_string(string, "substring");
  uint64_t last = require_string_index(end, lox_string_length(string) + 1);
  uint64_t first = require_string_index(start, last + 1);
  return lox_string_part(string, first, last);
}

struct spgc_ref lox_native_char_at(struct spgc_ref callee, struct spgc_ref string,
                                   struct spgc_ref index) {
  require_string(string, "char_at");
  uint64_t position = require_string_index(index, lox_string_length(string));
  return lox_string_part(string, position, position + 1);
}

struct spgc_ref lox_native_to_string(struct spgc_ref callee, struct spgc_ref value) {
  static struct lox_writer writer = {.in_memory = true};
  if (lox_is_string(value))
    return value;
  writer.length = 0;
  writer.out_of_memory = false;
  lox_write_value(&writer, value);
  if (writer.out_of_memory)
    lox_error_out_of_memory();
  return lox_string_make(writer.bytes, writer.length);
}

struct spgc_ref lox_native_to_number(struct spgc_ref callee, struct spgc_ref string) {
  require_string(string, "to_number");
  double number;
  if (!lox_number_parse(lox_string_bytes(string), lox_string_length(string), &number))
    return lox_nil();
  return lox_number(number);
}
