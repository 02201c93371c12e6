/* tarn FILE [NUMBER]   runs the program; its variable `size` is NUMBER */
#include "vm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgc/main.h"
#include "spgc/protect.h"

struct run {
  char *source;
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
  spgc_value of = arguments[0];
  if (is(of, &string_type))
    return spgc_value_from_double((double)((string *)of)->length);
  if (!is(of, &list_type))
    fail("length is that of a string or a list");
  return spgc_value_from_double((double)((list *)of)->count);
}

static spgc_value push(const spgc_value *arguments) {
  if (!is(arguments[0], &list_type))
    fail("push adds to a list");
  list_push((list *)arguments[0], arguments[1]);
  return arguments[0];
}

static spgc_value text(const spgc_value *arguments) {
  char text[100];
  if (is(arguments[0], &string_type))
    return arguments[0];
  return (spgc_value)intern(text, text_of(arguments[0], text, sizeof text));
}

static void define(const char *name, spgc_value (*call)(const spgc_value *), uint64_t arity) {
  uint32_t index = global_of(name, strlen(name));
  spgc_value made = (spgc_value)native_make(call, arity);
  vm.globals[index] = made;
}

/* ---- The program ---- */

static void *interpret(void *argument) {
  struct run *run = argument;
  vm_start();
  define("length", length, 1);
  define("push", push, 2);
  define("text", text, 1);
  vm.globals[global_of("size", 4)] = spgc_value_from_double(run->size);
  vm_run(compile(run->source));
  return NULL;
}

static void program(void *argument) {
  struct run *run = argument;
  spgc_protect(interpret, run, &run->failed);
}

static char *contents(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 1 << 16);
  if (!file || !text || fread(text, 1, (1 << 16) - 1, file) == 0) {
    fprintf(stderr, "tarn: cannot read %s\n", path);
    exit(EXIT_FAILURE);
  }
  fclose(file);
  return text;
}

int main(int argc, char **argv) {
  struct spgc_error error;
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: tarn FILE [NUMBER]\n");
    return 2;
  }
  struct run run = {.source = contents(argv[1]), .size = argc == 3 ? strtod(argv[2], NULL) : 0};
  if (spgc_main(NULL, program, &run, &error) != SPGC_OK) {
    fprintf(stderr, "tarn: %s\n", error.message);
    return EXIT_FAILURE;
  }
  return run.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
