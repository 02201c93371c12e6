/* From the bytes of a `.llvm_stackmaps` section to frame descriptions.
 *
 *   section   := { blob | eight zero bytes }          the linker concatenates blobs, 8-aligned
 *   blob (v3) := header { function } { constant } { record }
 *   header    := u8 version, u8 0, u16 0, u32 functions, u32 constants, u32 records               16 bytes
 *   function  := u64 address, u64 stack size, u64 records                                         24 bytes
 *   constant  := u64                                                                               8 bytes
 *   record    := u64 id, u32 offset, u16 reserved, u16 locations { location } align 8
 *                u16 padding, u16 live-outs { u16 register, u8 reserved, u8 size } align 8
 *   location  := u8 kind, u8 reserved, u16 size, u16 register, u16 reserved, i32 offset           12 bytes
 *
 * Function i owns the next `records` records after those of function i - 1.
 * Format: https://llvm.org/docs/StackMaps.html#stack-map-format. Integers are in the byte order of the machine.
 */
#ifndef SPGC_STACKWALK_STACKMAP_PARSER_H
#define SPGC_STACKWALK_STACKMAP_PARSER_H

#include <stddef.h>

#include "spgc/result.h"
#include "stackwalk/array.h"
#include "stackwalk/statepoint.h"

/* What a section says. Frames point into the pools, which do not change once parsing has ended. */
struct stackmap_contents {
  struct array functions; /* struct function_address: every function listed, with or without records */
  struct array frames;    /* struct frame_description: one for each statepoint */
  struct location_pools pools;
};

/* `contents` is to be freed by spgc_stackmap_contents_free, whatever the result. */
enum spgc_result spgc_stackmap_parse(const void *section, size_t size, struct stackmap_contents *contents,
                                     struct spgc_error *error);

void spgc_stackmap_contents_free(struct stackmap_contents *contents);

#endif
