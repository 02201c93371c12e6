/* Stack maps: registration of `.llvm_stackmaps` sections.
 *
 * Source of the format: https://llvm.org/docs/StackMaps.html (version 3) and https://llvm.org/docs/Statepoints.html
 * (what the locations of a statepoint's record mean).
 *
 * The section is untrusted: every read is bounded by `size`, and an error gives the byte offset and the reason.
 * Usable without the collector.
 */
#ifndef SPGC_STACKMAP_H
#define SPGC_STACKMAP_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The maps of one loaded module, in the process-wide return-address table. */
struct spgc_stackmap;

/* Parses any number of concatenated maps and adds their statepoint records to the process-wide table, under the return
 * addresses function address + instruction offset. Records of stackmap and patchpoint intrinsics (no statepoint shape)
 * are checked and left out. The section's memory is not needed afterwards. Errors: SPGC_ERROR_MALFORMED,
 * SPGC_ERROR_UNSUPPORTED (version), SPGC_ERROR_NO_MEMORY; nothing is registered then. Any thread; must not run while
 * another thread walks. */
enum spgc_result spgc_stackmap_register(const void *section, size_t size, struct spgc_stackmap **stackmap,
                                        struct spgc_error *error);

/* Removes its records. No frame of its functions may be active. NULL does nothing. */
void spgc_stackmap_unregister(struct spgc_stackmap *stackmap);

/* Number of return addresses the map contributed. */
size_t spgc_stackmap_record_count(const struct spgc_stackmap *stackmap);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
