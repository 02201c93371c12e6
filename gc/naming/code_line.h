/* Source lines of code by elfutils' libdw, if installed, which only writing a log, a profile or a
 * snapshot loads. */
#ifndef SPGC_GC_NAMING_CODE_LINE_H
#define SPGC_GC_NAMING_CODE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "gc/naming/code_name.h"

/* Takes the loader's lock, so the caller holds none. */
void spgc_code_lines_load(void);

bool spgc_code_lines_exist(void);

struct spgc_code_file;

/* Valid until the file is closed. */
struct spgc_code_line {
  const char *function, *source; /* or NULL */
  uint32_t line;                 /* or 0 */
};

/* NULL if libdw is not loaded or cannot read it. */
struct spgc_code_file *spgc_code_file_open(const char *file, bool is_program);

struct spgc_code_line spgc_code_file_find(struct spgc_code_file *file, uintptr_t address);

/* NULL if unknown. Valid until the file is closed. */
const char *spgc_code_file_find_variable(struct spgc_code_file *file, uintptr_t address,
                                         uint64_t *offset);

void spgc_code_file_close(struct spgc_code_file *file);

/* "FUNCTION (SOURCE:LINE, FILE+0xADDRESS)". Slow, so it runs on its own thread. */
void spgc_code_describe_line(const struct spgc_code_place *place, char *text, size_t size);

/* Calls `find` on a thread that may read debug information: libdw may need more stack than a fiber
 * has, and descriptors that the program cannot close. The caller holds no lock that `find` takes,
 * and is stopped or not attached. Returns 0 or an errno value. */
int spgc_line_thread_call(void (*find)(void *context), void *context);

/* Returns 0 or an errno value. */
int spgc_line_thread_own_descriptors(void);

#endif
