/* tarn FILE [NUMBER]   runs the program; its variable `size` is NUMBER */
#include "vm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgc/main.h"
#include "spgc/protect.h"

struct run {
  char source[1 << 16];
  double size;
  bool failed;
};

_Noreturn void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fputs("tarn: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  spgc_leave(NULL, NULL);
}

/* ---- Native functions ---- */

static spgc_value length(const spgc_value *arguments) {
  if (is(arguments[0], &string_type))
    return spgc_value_from_double((double)((string *)arguments[0])->length);
  if (!is(arguments[0], &list_type))
    fail("length is that of a string or a list");
  return spgc_value_from_double((double)((list *)arguments[0])->count);
}

static spgc_value push(const spgc_value *arguments) {
  if (!is(arguments[0], &list_type))
    fail("push adds to a list");
  list_push((list *)arguments[0], arguments[1]);
  return arguments[0];
}

static spgc_value text(const spgc_value *arguments) {
  char text[32];
  if (is(arguments[0], &string_type))
    return arguments[0];
  return (spgc_value)intern(text, text_of(arguments[0], text, sizeof text));
}

static void define(list *variables, const char *name, spgc_value value) {
  vm.stack[variables->count] = value;
  vm.stack_roots.count = variables->count + 1;
  list_push(variables, (spgc_value)intern(name, strlen(name)));
}

static spgc_value native_make(spgc_value (*call)(const spgc_value *), uint64_t arity) {
  native *made = spgc_allocate(&native_type);
  made->call = call;
  made->arity = arity;
  return (spgc_value)made;
}

/* ---- The program ---- */

static void *interpret(void *argument) {
  struct run *run = argument;
  vm_start();
  list *variables = list_make(0);
  define(variables, "", NIL);
  define(variables, "length", native_make(length, 1));
  define(variables, "push", native_make(push, 2));
  define(variables, "text", native_make(text, 1));
  define(variables, "size", spgc_value_from_double(run->size));
  vm_run(compile(run->source, variables));
  return NULL;
}

static void program(void *argument) {
  struct run *run = argument;
  spgc_protect(interpret, run, &run->failed);
}

int main(int argc, char **argv) {
  static struct run run;
  struct spgc_error error;
  FILE *file = argc == 2 || argc == 3 ? fopen(argv[1], "r") : NULL;
  if (!file || fread(run.source, 1, sizeof run.source - 1, file) == 0) {
    fprintf(stderr, "usage: tarn FILE [NUMBER]\n");
    return 2;
  }
  fclose(file);
  run.size = argc == 3 ? strtod(argv[2], NULL) : 0;
  if (spgc_main(NULL, program, &run, &error) != SPGC_OK) {
    fprintf(stderr, "tarn: %s\n", error.message);
    return EXIT_FAILURE;
  }
  return run.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
