#include "tests/support/lox_running.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/print.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/string.h"
#include "spgc/heap.h"
#include "tests/support/assertions.h"

bool lox_running_under_stress(void) {
  const char *options = getenv("SPGC_OPTIONS");
  return options != NULL && strstr(options, "stress=every-allocation") != NULL;
}

void lox_running_start(void) {
  struct lox_runtime_options options = {.argument_count = 0};
  struct spgc_error error;
  ck_assert_msg(lox_runtime_start(&options, &error) == SPGC_OK, "%s", error.message);
}

void lox_running_stop(void) {
  ck_assert_int_eq(lox_runtime_stop(0), 0);
}

static int call_body(void *context) {
  (*(void (**)(void))context)();
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  if (lox_running_under_stress())
    ck_assert_uint_gt(statistics.moved_objects, 0);
  return 0;
}

void lox_running_body(void (*body)(void)) {
  ck_assert_int_eq(lox_run(call_body, &body), 0);
}

void lox_running(void (*body)(void)) {
  lox_running_start();
  lox_running_body(body);
  lox_running_stop();
}

static int call_failing_body(void *context) {
  (*(void (**)(void))context)();
  return 0;
}

void lox_running_raises(void (*body)(void), const char *message) {
  FILE *captured = tmpfile();
  ck_assert_ptr_nonnull(captured);
  fflush(stderr);
  int kept = dup(STDERR_FILENO);
  dup2(fileno(captured), STDERR_FILENO);
  int status = lox_run(call_failing_body, &body);
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  char text[512];
  rewind(captured);
  size_t length = fread(text, 1, sizeof text - 1, captured);
  text[length] = '\0';
  fclose(captured);
  ck_assert_int_eq(status, LOX_EXIT_RUNTIME_ERROR);
  ck_assert_uint_eq(length, strlen(message) + 1);
  text[length - 1] = '\0';
  ck_assert_str_eq(text, message);
}

void lox_running_once_raises(void (*body)(void), const char *message) {
  lox_running_start();
  lox_running_raises(body, message);
  lox_running_stop();
}

struct spgc_handle lox_text(const char *text) {
  return spgc_handle_make(lox_string_make(text, strlen(text)));
}

void lox_shows(struct spgc_ref value, const char *text) {
  struct lox_writer writer = {.in_memory = true};
  lox_write_value(&writer, value);
  ck_assert(!writer.out_of_memory);
  ck_assert_uint_eq(writer.length, strlen(text));
  ck_assert(writer.length == 0 || memcmp(writer.bytes, text, writer.length) == 0);
  free(writer.bytes);
}

struct spgc_slot lox_item(struct spgc_ref list, size_t index) {
  ck_assert(lox_is_kind(list, LOX_OBJECT_LIST));
  ck_assert_uint_lt(index, lox_as_list(list)->count);
  return spgc_slot_at(&lox_as_list_store(lox_as_list(list)->store)->items[index]);
}
