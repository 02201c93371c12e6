/* Allocation profiles: which code allocates objects of which types, and which of them are alive.
 *
 * The option `profile` (SPGC_OPTIONS=profile=FILE[:BYTES], docs/observe.md) profiles the whole run.
 * These functions profile a part: start, write as often as you like, stop. Allocations cost more
 * only while they are sampled. The file has pprof's format, for `go tool pprof` and other programs.
 *
 * Any thread may call them, in any state, while the heap stays started; a forked child continues
 * its parent's profile. For an attached thread they are safepoints. Errors of all: SPGC_ERROR_STATE
 * if the heap is not started, or where spgc_snapshot_write is refused (spgc/snapshot.h). */
#ifndef SPGC_PROFILE_H
#define SPGC_PROFILE_H

#include <stddef.h>

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Begins to sample the allocations of all present and later threads: on average one object in
 * `bytes`, up to 1 GiB; 1: every object; 0: one in 512 KiB. Existing objects are not sampled. All
 * threads stop for a moment. Errors: SPGC_ERROR_INVALID_ARGUMENT for more than 1 GiB;
 * SPGC_ERROR_STATE if allocations are sampled already. */
enum spgc_result spgc_profile_start(size_t bytes, struct spgc_error *error);

/* Writes the samples since spgc_profile_start, or since spgc_start with the option `profile` or
 * `profile_bytes`. Objects that no collection has found dead count as live. In `path`, `%p` stands
 * for the process ID, `%%` for `%`. The file appears whole or not at all. Other threads keep
 * running and are sampled. Errors: SPGC_ERROR_STATE if nothing is sampled; SPGC_ERROR_SYSTEM if the
 * file cannot be written; SPGC_ERROR_NO_MEMORY; SPGC_ERROR_INVALID_ARGUMENT for a null path. */
enum spgc_result spgc_profile_write(const char *path, struct spgc_error *error);

/* Ends sampling and drops the samples; write them first. All threads stop for a moment. spgc_stop
 * does the same. Errors: SPGC_ERROR_STATE if nothing is sampled, or the option `profile` names a
 * file for the whole run. */
enum spgc_result spgc_profile_stop(struct spgc_error *error);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
