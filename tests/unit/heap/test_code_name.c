/* The argument is a library whose constructor calls loader_is_locked. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gc/naming/code_name.h"
#include "spgc/code_name.h"
#include "support/fatal.h"

enum { HANG_SECONDS = 60 };

__attribute__((visibility("default"))) void loader_is_locked(void);

static bool was_called;

static void describe_code(const void *code, char *text, size_t size) {
  struct spgc_code_place place;
  spgc_code_find((uintptr_t)code, &place);
  spgc_code_describe(&place, text, size);
}

static void require_like_dladdr(const void *code) {
  char text[400], expected[400];
  Dl_info info;
  spgc_require(dladdr(code, &info) != 0 && info.dli_sname != NULL, "dladdr does not know it");
  snprintf(expected, sizeof expected, "%s (%s+0x%zx)", info.dli_sname, info.dli_fname,
           (size_t)((const char *)code - (const char *)info.dli_fbase));
  describe_code(code, text, sizeof text);
  spgc_require(strcmp(text, expected) == 0, "%s, not %s", text, expected);
}

static void *describe(void *code) {
  static char text[400];
  describe_code(code, text, sizeof text);
  return text;
}

void loader_is_locked(void) {
  pthread_t other;
  void *text;
  spgc_require(pthread_create(&other, NULL, describe, (void *)loader_is_locked) == 0 &&
                   pthread_join(other, &text) == 0,
               "no thread");
  spgc_require(strstr(text, "loader_is_locked (") != NULL, "another name: %s", (const char *)text);
  was_called = true;
}

static void require_added_names(void) {
  static const struct spgc_code_name first[] = {{0x100, 16, "first"}, {0x110, 16, "second"}},
                                     third[] = {{0x120, 16, "third"}};
  struct spgc_code_names two = {.names = first, .count = 2}, one = {.names = third, .count = 1};
  char text[400];
  spgc_code_names_add(&two);
  spgc_code_names_add(&one);
  describe_code((const void *)0x11f, text, sizeof text);
  spgc_require(strcmp(text, "second (code at 0x11f)") == 0, "%s", text);
  spgc_code_names_remove(&two);
  describe_code((const void *)0x11f, text, sizeof text);
  spgc_require(strcmp(text, "code at 0x11f") == 0, "%s", text);
  describe_code((const void *)0x120, text, sizeof text);
  spgc_require(strcmp(text, "third (code at 0x120)") == 0, "%s", text);
  spgc_code_names_remove(&one);
}

/* `expected` is empty for no name. */
static void require_variable(uintptr_t address, const char *expected) {
  char text[40] = "";
  bool is_found = spgc_variable_find(address, text, sizeof text);
  spgc_require(is_found == (expected[0] != '\0') && strcmp(text, expected) == 0, "%s, not %s", text,
               expected);
}

/* The names added last win. */
static void require_names_of_variables(void) {
  static const struct spgc_code_name symbols[] = {{0x200, 24, "a.table"}, {0x218, 8, "a.last"}},
                                     own[] = {{0x200, 24, "table"}};
  struct spgc_code_names of_symbols = {.names = symbols, .count = 2},
                         of_language = {.names = own, .count = 1};
  require_variable(0x200, "");
  spgc_variable_names_add(&of_symbols);
  require_variable(0x210, "a.table+16");
  spgc_variable_names_add(&of_language);
  require_variable(0x200, "table");
  require_variable(0x210, "table+16");
  require_variable(0x218, "a.last");
  require_variable(0x220, "");
  spgc_variable_names_remove(&of_symbols);
  require_variable(0x208, "table+8");
  require_variable(0x218, "");
  spgc_variable_names_remove(&of_language);
  require_variable(0x200, "");
}

/* As a JIT's list grows: names that a language gave in between still win. */
static void require_names_of_a_larger_list(void) {
  static const struct spgc_code_name symbols[] = {{0x200, 24, "a.table"}, {0x218, 8, "a.last"}},
                                     own[] = {{0x200, 24, "table"}};
  struct spgc_code_names one = {.names = symbols, .count = 1}, two = {.names = symbols, .count = 2},
                         of_language = {.names = own, .count = 1};
  spgc_variable_names_add(&one);
  spgc_variable_names_add(&of_language);
  spgc_variable_names_add(&two);
  spgc_variable_names_remove(&one);
  require_variable(0x200, "table");
  require_variable(0x218, "a.last");
  spgc_variable_names_remove(&of_language);
  require_variable(0x200, "a.table");
  spgc_variable_names_remove(&two);
  require_variable(0x218, "");
}

int main(int count, char **arguments) {
  char text[400];
  alarm(HANG_SECONDS); /* which only means a hang */
  require_like_dladdr((const char *)loader_is_locked + 3);
  require_like_dladdr((const char *)dlsym(RTLD_DEFAULT, "lfind") + 1);
  require_like_dladdr((const char *)dlsym(RTLD_DEFAULT, "strfry") + 5);
  describe_code((const void *)16, text, sizeof text);
  spgc_require(strcmp(text, "code at 0x10") == 0, "%s", text);
  require_added_names();
  require_names_of_variables();
  require_names_of_a_larger_list();
  spgc_require(count == 2 && dlopen(arguments[1], RTLD_NOW) != NULL, "%s", dlerror());
  spgc_require(was_called, "the library's constructor did not call");
  return 0;
}
