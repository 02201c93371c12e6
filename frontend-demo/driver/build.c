#include "frontend-demo/driver/driver.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/output_file.h"
#include "support/standard_streams.h"

/* liblox_main.a refers to it. */
static const char program_symbol[] = "lox_program";

static int translate(const struct lox_options *options, struct lox_string text,
                     enum lox_stage stage, LLVMMemoryBufferRef *buffer) {
  struct lox_translation translation = {.path = options->path,
                                        .text = text,
                                        .emit = options->emit,
                                        .stage = stage,
                                        .target = options->target,
                                        .code = SPGC_CODE_AHEAD_OF_TIME,
                                        .optimisation = options->optimisation};
  translation.emit.unit_symbol = program_symbol;
  return lox_translate(&translation, buffer);
}

static int cannot_write(const char *path, int error) {
  fprintf(stderr, "lox: cannot write \"%s\": %s\n", path, strerror(error));
  return LOX_EXIT_CANNOT_CREATE;
}

/* NULL: standard output. Returns 0 or an errno value. */
static int put(const char *path, LLVMMemoryBufferRef buffer) {
  const char *bytes = LLVMGetBufferStart(buffer);
  size_t size = LLVMGetBufferSize(buffer);
  return path ? spgc_output_file_put(path, bytes, size) : spgc_stdout_write(bytes, size);
}

int lox_write_stage(const struct lox_options *options, struct lox_string text) {
  LLVMMemoryBufferRef buffer;
  int code = translate(options, text, options->stage, &buffer);
  if (code != LOX_EXIT_OK)
    return code;
  int error = put(options->output, buffer);
  LLVMDisposeMemoryBuffer(buffer);
  return error == 0 ? LOX_EXIT_OK
                    : cannot_write(options->output ? options->output : "standard output", error);
}

static int link_into_place(const char *object, const struct lox_options *options) {
  const char *destination = options->output;
  struct spgc_output_file executable;
  int error = spgc_output_file_begin(&executable, destination);
  if (error != 0)
    return cannot_write(destination, error);
  int code = lox_link(object, options->target, executable.path);
  if (code != LOX_EXIT_OK) {
    spgc_output_file_discard(&executable);
    return code;
  }
  error = spgc_output_file_finish(&executable);
  return error == 0 ? LOX_EXIT_OK : cannot_write(destination, error);
}

static int link_buffer(LLVMMemoryBufferRef buffer, const struct lox_options *options) {
  struct spgc_output_file object;
  int error = spgc_output_file_begin_temporary(&object, ".o");
  if (error != 0)
    return cannot_write("a temporary file", error);
  error = spgc_output_file_write(&object, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
  int code = error == 0 ? link_into_place(object.path, options) : cannot_write(object.path, error);
  spgc_output_file_discard(&object);
  return code;
}

int lox_build(const struct lox_options *options, struct lox_string text) {
  /* The parent may ignore SIGCHLD; then the system would not keep the linker's exit status. */
  signal(SIGCHLD, SIG_DFL);
  LLVMMemoryBufferRef buffer;
  int code = translate(options, text, LOX_STAGE_OBJECT, &buffer);
  if (code != LOX_EXIT_OK)
    return code;
  code = link_buffer(buffer, options);
  LLVMDisposeMemoryBuffer(buffer);
  return code;
}
