/* Stack maps: registration of `.llvm_stackmaps` sections, versions 1, 2 and 3.
 *
 * spgc/stackmap_reader.h describes the format, and reads maps without registering them. The section
 * is untrusted: an error gives the byte offset and the reason. Usable without the collector. */
#ifndef SPGC_STACKMAP_H
#define SPGC_STACKMAP_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The registered maps of one module. */
struct spgc_stackmap;

/* Parses any number of concatenated maps, in the machine's byte order, and adds their statepoint
 * records to the process-wide table under their return addresses. Other records are checked and
 * left out. The section's memory may be freed afterwards.
 *
 * Equal records of one return address count as one, because linkers that fold identical code
 * produce them; different ones are malformed. Errors: SPGC_ERROR_MALFORMED, SPGC_ERROR_UNSUPPORTED
 * (version), SPGC_ERROR_NO_MEMORY; nothing is registered then. Any thread, also while others walk;
 * not inside a walk. */
enum spgc_result spgc_stackmap_register(const void *section, size_t size,
                                        struct spgc_stackmap **stackmap, struct spgc_error *error);

/* The map's address of the function that holds the record with this ID and instruction offset; 0 if
 * unknown. Called while the map is registered. */
typedef uint64_t (*spgc_stackmap_function_of)(void *context, uint64_t id,
                                              uint32_t instruction_offset);

/* Like spgc_stackmap_register, for maps of version 1, which do not tell the function of a record: a
 * wrong one would yield a wrong return address. The caller can tell it through `function_of`. If
 * that is NULL or returns 0, as for spgc_stackmap_register, the function is found from the order of
 * records and the starts of functions; SPGC_ERROR_UNSUPPORTED if these leave several possibilities.
 * The section may also hold maps of versions 2 and 3. SPGC_ERROR_INVALID_ARGUMENT if `function_of`
 * names a function that the map does not list, or that cannot hold the record. */
enum spgc_result spgc_stackmap_register_v1(const void *section, size_t size,
                                           spgc_stackmap_function_of function_of, void *context,
                                           struct spgc_stackmap **stackmap,
                                           struct spgc_error *error);

/* Removes the map's records. No frame of its functions may be active. NULL does nothing. Not inside
 * a walk, because it waits until all current ones have ended. If type descriptors are unloaded with
 * the code, see spgc_types_live (spgc/module.h). Any thread, also while others walk. */
void spgc_stackmap_unregister(struct spgc_stackmap *stackmap);

/* The number of return addresses that the map added. Any thread. */
size_t spgc_stackmap_record_count(const struct spgc_stackmap *stackmap);

/* Finds the return addresses of all registered statepoints with this "statepoint-id", in no order.
 * Stores up to `capacity` and returns how many there are. Slow: reads every record. Any thread. */
size_t spgc_stackmap_call_sites(uint64_t id, uintptr_t *return_addresses, size_t capacity);

/* For debuggers (tools/gdb/spgc.py): the locations of the references of a frame that is suspended
 * at this return address; NULL if it is not a registered statepoint. The text has a line for each
 * location:
 *
 *   "base slot REGISTER OFFSET WORDS"   WORDS words at the register's value in the frame + OFFSET
 *   "base register REGISTER"            the register itself; its number is DWARF's
 *   "derived ..."                       the same, for a pointer into an object
 *
 * The library owns the text, which is valid until the next call. It ends with the last location
 * that fits in 16 KiB. Any thread; one caller at a time. */
const char *spgc_stackmap_frame_text(uintptr_t return_address);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
