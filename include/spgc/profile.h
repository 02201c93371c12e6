/* Allocation profiles: which code allocates, objects of which types, and what of it lives.
 *
 * The option `profile` writes a profile when the heap is stopped or the process exits
 * (SPGC_OPTIONS=profile=FILE[:BYTES], docs/observe.md). The function below writes one at any time.
 * The file has pprof's format, for `go tool pprof` and other programs. */
#ifndef SPGC_PROFILE_H
#define SPGC_PROFILE_H

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Writes what was sampled since spgc_start. Needs the option `profile`, or `profile_bytes`, which
 * samples without a file at the end. In `path`, `%p` stands for the number of the process, and `%%`
 * for `%`. The file appears whole or not at all. Errors: SPGC_ERROR_STATE if the heap is not
 * started or nothing is sampled; SPGC_ERROR_SYSTEM if the file cannot be written;
 * SPGC_ERROR_NO_MEMORY. Any thread, any state, while the heap stays started; not in a listener or
 * another function that the collector calls. A safepoint, if the calling thread is attached; others
 * run meanwhile. */
enum spgc_result spgc_profile_write(const char *path, struct spgc_error *error);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
