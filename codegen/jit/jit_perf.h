/* Loaded code in jitdump format (Linux, tools/perf/Documentation/jitdump-specification.txt), for
 * `perf inject --jit`. */
#ifndef SPGC_CODEGEN_JIT_JIT_PERF_H
#define SPGC_CODEGEN_JIT_JIT_PERF_H

#include <stdio.h>
#include <sys/types.h>

#include "codegen/jit/jit_image.h"

/* Written under the JIT's lock. */
struct jit_perf {
  FILE *file;   /* NULL: no listener */
  void *marker; /* one mapped page, whose mapping perf records */
  uint64_t page;
  uint64_t functions;
  pid_t process; /* the one that opened the file: a forked child writes nothing */
};

/* The file is in $JITDUMPDIR/.debug/jit/, or below $HOME. SPGC_ERROR_SYSTEM if it cannot be
 * created. */
enum spgc_result spgc_jit_perf_open(struct jit_perf *perf, struct spgc_error *error);
void spgc_jit_perf_close(struct jit_perf *perf);

void spgc_jit_perf_add(struct jit_perf *perf, const struct jit_image *image);

#endif
