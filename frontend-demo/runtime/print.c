#include "frontend-demo/runtime/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/native.h"
#include "frontend-demo/runtime/number.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/shape.h"
#include "frontend-demo/runtime/string.h"
#include "support/fatal.h"

/* The lists being written, outermost first. Each has `open_list_type` as its header, so recursion
 * is noticed. Writing reaches no safepoint, so no other code sees that type. */
struct open_list {
  struct spgc_ref list;
  uint64_t next;
};

static struct lox_type open_list_type =
    LOX_TYPE(LOX_OBJECT_LIST, NULL, .size = sizeof(struct lox_list));

void lox_write_bytes(struct lox_writer *writer, const char *bytes, size_t length) {
  if (!writer->in_memory) {
    if (fwrite_unlocked(bytes, 1, length, writer->file) != length && writer->write_error == 0)
      writer->write_error = errno;
    return;
  }
  if (length > writer->capacity - writer->length) {
    size_t capacity = (writer->length + length) * 2;
    char *grown = realloc(writer->bytes, capacity);
    if (grown == NULL) {
      writer->out_of_memory = true;
      return;
    }
    writer->bytes = grown;
    writer->capacity = capacity;
  }
  if (length > 0)
    memcpy(writer->bytes + writer->length, bytes, length);
  writer->length += length;
}

void lox_write_text(struct lox_writer *writer, const char *text) {
  lox_write_bytes(writer, text, strlen(text));
}

static void write_function(struct lox_writer *writer, struct spgc_ref closure) {
  lox_write_text(writer, "<fn ");
  lox_write_text(writer, lox_as_closure(closure)->type->name);
  lox_write_text(writer, ">");
}

static void write_simple_object(struct lox_writer *writer, struct spgc_ref object) {
  switch ((enum lox_kind_of_object)lox_type_of(object)->kind) {
  case LOX_OBJECT_STRING:
    lox_write_bytes(writer, lox_string_bytes(object), lox_string_length(object));
    return;
  case LOX_OBJECT_CLOSURE: write_function(writer, object); return;
  case LOX_OBJECT_BOUND_METHOD:
    write_function(writer, lox_as_bound_method(object)->closure);
    return;
  case LOX_OBJECT_NATIVE: lox_write_text(writer, "<native fn>"); return;
  case LOX_OBJECT_WEAK_MAP: lox_write_text(writer, "<weak map>"); return;
  case LOX_OBJECT_WEAK_REF: lox_write_text(writer, "<weak ref>"); return;
  case LOX_OBJECT_CLASS: lox_write_text(writer, lox_as_class(object)->layout->site->name); return;
  case LOX_OBJECT_INSTANCE:
    if (lox_is_error(object)) {
      lox_write_value(writer, lox_error_message(object));
      return;
    }
    lox_write_text(writer, lox_as_instance(object)->shape->layout->abi.site->name);
    lox_write_text(writer, " instance");
    return;
  case LOX_OBJECT_LIST:
  case LOX_OBJECT_LIST_STORE:
  case LOX_OBJECT_STRING_BUFFER:
  case LOX_OBJECT_EXCEPTION:
  case LOX_OBJECT_CELL: break;
  }
  spgc_fatal("an object of kind %u is not a simple value", lox_type_of(object)->kind);
}

static void write_simple(struct lox_writer *writer, struct spgc_ref value) {
  char text[LOX_NUMBER_TEXT_SIZE];
  if (lox_is_number(value))
    lox_write_bytes(writer, text, lox_number_format(lox_to_double(value), text));
  else if (lox_is_object(value))
    write_simple_object(writer, value);
  else
    lox_write_text(writer, lox_is_nil(value)              ? "nil"
                           : value.word == LOX_VALUE_TRUE ? "true"
                                                          : "false");
}

/* Kept to reuse the memory. Written by the thread that runs Lox. */
static struct open_list *open_lists;
static size_t open_count, open_capacity;

static void open_list(struct lox_writer *writer, struct spgc_ref list) {
  if (open_count == open_capacity) {
    size_t capacity = open_capacity == 0 ? 16 : open_capacity * 2;
    struct open_list *grown = realloc(open_lists, capacity * sizeof *grown);
    if (grown == NULL) {
      writer->out_of_memory = true;
      return;
    }
    open_lists = grown;
    open_capacity = capacity;
  }
  open_lists[open_count++] = (struct open_list){list, 0};
  lox_as_list(list)->type = &open_list_type;
  lox_write_text(writer, "[");
}

static void close_list(struct lox_writer *writer) {
  lox_write_text(writer, "]");
  lox_as_list(open_lists[--open_count].list)->type = &lox_list_type;
}

static void write_item(struct lox_writer *writer, struct spgc_ref item) {
  if (!lox_is_kind(item, LOX_OBJECT_LIST))
    write_simple(writer, item);
  else if (lox_type_of(item) == &open_list_type)
    lox_write_text(writer, "[...]");
  else
    open_list(writer, item);
}

void lox_write_value(struct lox_writer *writer, struct spgc_ref value) {
  write_item(writer, value);
  while (open_count > 0) {
    struct open_list *top = &open_lists[open_count - 1];
    const struct lox_list *list = lox_as_list(top->list);
    if (top->next == list->count) {
      close_list(writer);
      continue;
    }
    if (top->next > 0)
      lox_write_text(writer, ", ");
    write_item(writer, lox_as_list_store(list->store)->items[top->next++]);
  }
}

void lox_print(struct spgc_ref value) {
  static struct lox_writer writer;
  writer.file = stdout;
  writer.out_of_memory = false;
  writer.write_error = 0;
  lox_write_value(&writer, value);
  if (putc_unlocked('\n', stdout) == EOF && writer.write_error == 0)
    writer.write_error = errno;
  if (writer.write_error != 0)
    lox_run_cannot_print(writer.write_error);
  if (writer.out_of_memory)
    lox_out_of_memory();
}

void lox_echo(struct spgc_ref value) {
  if (!lox_is_nil(value))
    lox_print(value);
}
