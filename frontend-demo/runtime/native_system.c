#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/exception.h"
#include "frontend-demo/runtime/interrupt.h"
#include "frontend-demo/runtime/native.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/string.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/snapshot.h"

/* The caller frees it. NULL if the text cannot be a file's name. */
static char *name_of(struct spgc_ref path) {
  uint64_t length = lox_string_length(path);
  char *name = lox_memory(length + 1);
  memcpy(name, lox_string_bytes(path), length);
  name[length] = '\0';
  if (strlen(name) == length)
    return name;
  free(name);
  return NULL;
}

static FILE *open_path(struct spgc_ref path) {
  char *name = name_of(path);
  FILE *file = name != NULL ? fopen(name, "rb") : NULL;
  free(name);
  return file;
}

/* nil if the file cannot be read, so that programs can test for it. */
struct spgc_ref lox_native_read_file(struct spgc_ref callee, struct spgc_ref path) {
  if (!lox_is_string(path))
    lox_error("Argument of 'read_file' must be a string.");
  static FILE *file; /* stays open when out of memory for its contents */
  if (file != NULL)
    fclose(file);
  file = open_path(path);
  if (file == NULL)
    return lox_nil();
  struct spgc_ref text = lox_string_read(file);
  fclose(file);
  file = NULL;
  return text;
}

/* Without its newline, or nil at the end. Flushes printed text first. */
struct spgc_ref lox_native_read_line(struct spgc_ref callee) {
  static char *line;
  static size_t capacity;
  FILE *input = lox_input();
  if (input == NULL)
    lox_error_out_of_memory();
  lox_run_flush();
  ssize_t length = getline(&line, &capacity, input);
  if (length < 0 && errno == EINTR)
    clearerr(input);
  lox_exception_heed_interrupt();
  if (length < 0)
    return lox_nil();
  if (length > 0 && line[length - 1] == '\n')
    length--;
  return lox_string_make(line, (uint64_t)length);
}

struct spgc_ref lox_native_args(struct spgc_ref callee) {
  const struct lox_runtime_options *options = lox_runtime_options();
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle list = spgc_handle_make(lox_list_make(0));
  for (int i = 0; i < options->argument_count; i++) {
    struct spgc_ref argument =
        lox_string_make(options->arguments[i], strlen(options->arguments[i]));
    lox_list_push(spgc_handle_get(list), argument);
  }
  struct spgc_ref result = spgc_handle_get(list);
  spgc_scope_close(scope);
  return result;
}

struct spgc_ref lox_native_clock(struct spgc_ref callee) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return lox_number((double)now.tv_sec + (double)now.tv_nsec / 1e9);
}

struct spgc_ref lox_native_gc(struct spgc_ref callee) {
  spgc_collect(SPGC_COLLECTION_FULL);
  lox_weak_report_dead();
  return lox_nil();
}

struct spgc_ref lox_native_heap_snapshot(struct spgc_ref callee, struct spgc_ref path) {
  if (!lox_is_string(path))
    lox_error("Argument of 'heap_snapshot' must be a string.");
  struct spgc_error error = {.message = "the name has a zero byte"};
  char *name = name_of(path);
  bool written = name != NULL && spgc_snapshot_write(name, &error) == SPGC_OK;
  free(name);
  if (!written)
    lox_error("Cannot write a heap snapshot: %s.", error.message);
  return lox_nil();
}
