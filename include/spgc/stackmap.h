/* Stack maps: registration of `.llvm_stackmaps` sections.
 *
 * Versions 1, 2 and 3; spgc/stackmap_reader.h has the format, and reads maps without registering
 * them.
 *
 * The section is untrusted: every read is bounded by `size`, and an error gives the byte offset and
 * the reason. Usable without the collector.
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

/* Parses any number of concatenated maps of LLVM's format, in the machine's byte order, and adds
 * their statepoint records to the process-wide table, under the return addresses function address +
 * instruction offset. Records of stackmap and patchpoint intrinsics (no statepoint shape) are
 * checked and left out. The section's memory is not needed afterwards. A section of flat maps
 * (spgc/flat_stackmap.h) is checked and used where it lies: its memory has to stay. Errors:
 * SPGC_ERROR_MALFORMED, SPGC_ERROR_UNSUPPORTED (version), SPGC_ERROR_NO_MEMORY; nothing is
 * registered then. Any thread, also while others walk; not inside a walk. */
enum spgc_result spgc_stackmap_register(const void *section, size_t size,
                                        struct spgc_stackmap **stackmap, struct spgc_error *error);

/* The address of the function in which the record with this ID and instruction offset lies, as its
 * map lists it; 0 when it is not known. Called while the map is registered. */
typedef uint64_t spgc_stackmap_function_of(void *context, uint64_t id, uint32_t instruction_offset);

/* As spgc_stackmap_register, which refuses (SPGC_ERROR_UNSUPPORTED) a map of version 1 whose
 * records could belong to one function or another: version 1 does not say, and a wrong owner would
 * be a wrong return address. `function_of` says what the caller knows. Without it, or where it
 * answers 0, a record's function is taken from the order of records and from where functions start,
 * if these leave one possibility. Maps of versions 2 and 3 may be in the section too.
 * SPGC_ERROR_INVALID_ARGUMENT when it names a function that the map does not list, or that the
 * record cannot lie in. */
enum spgc_result spgc_stackmap_register_v1(const void *section, size_t size,
                                           spgc_stackmap_function_of *function_of, void *context,
                                           struct spgc_stackmap **stackmap,
                                           struct spgc_error *error);

/* Removes its records. No frame of its functions may be active. NULL does nothing. Any thread, also
 * while others walk: sleeps until the walks under way have ended, so not inside a walk. This is
 * about code: before type descriptors are unloaded with it, see spgc_types_live (spgc/module.h). */
void spgc_stackmap_unregister(struct spgc_stackmap *stackmap);

/* Number of return addresses the map contributed. */
size_t spgc_stackmap_record_count(const struct spgc_stackmap *stackmap);

/* The return addresses of all registered statepoints with this ID ("statepoint-id"), in no order:
 * the first `room` of them, and returns how many there are. Any thread; reads every record. */
size_t spgc_stackmap_call_sites(uint64_t id, uintptr_t *return_addresses, size_t capacity);

/* For debuggers, which call it in the process they look at (tools/gdb/spgc.py): where the
 * references of a frame are that is suspended at this return address; NULL when it is no registered
 * statepoint. A line for each location:
 *
 *   "base slot REGISTER OFFSET WORDS"   the words from the register's value in the frame + offset
 *   "base register REGISTER"            the register's own value; its number is DWARF's
 *   "derived ..."                       the same, for what points into an object
 *
 * The text is the library's until the next call; it ends with the last location that fits in 16
 * KiB. One caller at a time. */
const char *spgc_stackmap_frame_text(uintptr_t return_address);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
