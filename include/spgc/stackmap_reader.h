/* Reading stack maps without registering them: every version, either byte order, one item at a
 * time.
 *
 *   section   := { blob | eight zero bytes }          the linker concatenates blobs, 8-aligned
 *   blob      := header { function } { constant } { record }
 *   header    := u8 version, u8 0, u16 0, u32 functions, u32 constants, u32 records     16 bytes
 *   function  := u64 address, u64 stack size, u64 records                 24 bytes (16 in v1)
 *   constant  := u64                                                                     8 bytes
 *   record    := u64 id, u32 offset, u16 flags, u16 locations { location } align 8
 *                u16 padding, u16 live-outs { u16 register, u8 reserved, u8 size } align 8
 *   location  := u8 kind, u8 reserved, u16 size, u16 register, u16 reserved, i32 offset
 *                                                                                 12 bytes in v3
 *              | u8 kind, u8 size, u16 register, i32 offset                 8 bytes in v1 and v2
 *
 * Version 1 (LLVM 3.5 to 3.9) does not tell how many records a function has. In versions 2 (LLVM 4)
 * and 3 (since LLVM 5), each owns the next `records` records. Format:
 * https://llvm.org/docs/StackMaps.html#stack-map-format, and that page as released with LLVM 3.5
 * and 4.0.
 *
 * The section is untrusted. A function that returns a result checks its items, and an error gives
 * the byte offset and the reason. The `_at` functions read checked items; an index out of range is
 * fatal. Any thread, any state. No function allocates. */
#ifndef SPGC_STACKMAP_READER_H
#define SPGC_STACKMAP_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A section, and items of a map. Positions are byte offsets into `bytes`. */
enum spgc_byte_order { SPGC_LITTLE_ENDIAN, SPGC_BIG_ENDIAN };
struct spgc_stackmap_section {
  const unsigned char *bytes;
  uint64_t size;
  enum spgc_byte_order byte_order;
};

/* The versions that are read. */
enum { SPGC_STACKMAP_VERSION_MIN = 1, SPGC_STACKMAP_VERSION_MAX = 3 };

/* One map of a section. */
struct spgc_stackmap_blob {
  uint64_t position;
  uint64_t functions, constants, records; /* positions of the first ones */
  uint32_t function_count, constant_count, record_count;
  uint8_t version; /* 0: the section has no further blob */
};

/* A function of a map. */
struct spgc_stackmap_function {
  uint64_t position;
  uint64_t address;
  uint64_t stack_size;   /* UINT64_MAX if it is not constant */
  uint64_t record_count; /* 0 in version 1 */
};

/* A call site, or another point in the code. */
struct spgc_stackmap_record {
  uint64_t position;
  uint64_t id;
  uint64_t locations, live_outs; /* positions of the first ones */
  uint32_t instruction_offset;   /* relative to the function's start */
  uint16_t flags;                /* reserved by the format */
  uint16_t location_count, live_out_count;
};

/* Where a value is. Later versions of the format may add kinds. */
enum spgc_location_kind {
  SPGC_LOCATION_REGISTER = 1,       /* in `reg` */
  SPGC_LOCATION_DIRECT = 2,         /* reg + offset, the address of an alloca */
  SPGC_LOCATION_INDIRECT = 3,       /* in memory at reg + offset: a spill slot */
  SPGC_LOCATION_CONSTANT = 4,       /* `offset` itself */
  SPGC_LOCATION_CONSTANT_INDEX = 5, /* constant number (uint32_t)offset of the blob */
};

/* The place of a value of a record. */
struct spgc_stackmap_location {
  uint64_t position;
  enum spgc_location_kind kind;
  uint16_t size; /* bytes of the value */
  uint16_t reg;  /* DWARF number */
  int32_t offset;
};

/* A register that is live after a patchpoint. */
struct spgc_stackmap_live_out {
  uint16_t reg; /* DWARF number */
  uint8_t size;
};

/* Reads the header of the blob at *position, which is 0 or the end of the previous blob's last
 * record, and advances to its first record. At the section's end, the blob's version is 0. Checks
 * the version, that functions and constants are inside the section, that the records can be, and
 * (versions 2 and 3) that each record belongs to one function. */
enum spgc_result spgc_stackmap_read_blob(const struct spgc_stackmap_section *section,
                                         uint64_t *position, struct spgc_stackmap_blob *blob,
                                         struct spgc_error *error);

/* Reads the record at *position, and advances past it; call it blob->record_count times. Checks
 * that the record is in the section, the kinds of its locations, and that their constants exist. On
 * error the position is unchanged. */
enum spgc_result spgc_stackmap_read_record(const struct spgc_stackmap_section *section,
                                           const struct spgc_stackmap_blob *blob,
                                           uint64_t *position, struct spgc_stackmap_record *record,
                                           struct spgc_error *error);

/* Read an item of a blob or record. */
struct spgc_stackmap_function spgc_stackmap_function_at(const struct spgc_stackmap_section *section,
                                                        const struct spgc_stackmap_blob *blob,
                                                        uint32_t index);
uint64_t spgc_stackmap_constant_at(const struct spgc_stackmap_section *section,
                                   const struct spgc_stackmap_blob *blob, uint32_t index);
struct spgc_stackmap_location spgc_stackmap_location_at(const struct spgc_stackmap_section *section,
                                                        const struct spgc_stackmap_blob *blob,
                                                        const struct spgc_stackmap_record *record,
                                                        uint32_t index);
struct spgc_stackmap_live_out spgc_stackmap_live_out_at(const struct spgc_stackmap_section *section,
                                                        const struct spgc_stackmap_record *record,
                                                        uint32_t index);

/* Flags of a statepoint. */
enum spgc_statepoint_flags {
  SPGC_STATEPOINT_GC_TRANSITION = 1u << 0,
  SPGC_STATEPOINT_DEOPT_LIVE_IN = 1u << 1,
};

/* The order of a statepoint's locations (https://llvm.org/docs/Statepoints.html#stack-map-format):
 *
 *   3 constants: calling convention, flags, number of deopt locations
 *   | deopt | (base, derived) pairs | allocas
 *
 * Counts are numbers of locations; pair_count is even.
 *
 * LLVM's format has no place for structures and arrays on the stack that hold references: an alloca
 * among the references stands for its first word. The lowering appends them to the deopt locations,
 * which then end in
 *
 *   { variable } | constant: number of the variables' locations | constant SPGC_STACKMAP_VARIABLES
 *   variable := direct location: its place | { constant: offset in bytes << 16 | words }
 *
 * where each constant is a run of words that hold references. They are not among the deopt
 * locations below. A run of no words, SPGC_STACKMAP_RUN_PRIVATE, says that the variable's later
 * runs are private to the frame: nothing else writes them while the frame is not resumed. */
#define SPGC_STACKMAP_VARIABLES UINT64_C(0x7372617663677073) /* "spgcvars" */
enum { SPGC_STACKMAP_RUN_OFFSET_SHIFT = 16, SPGC_STACKMAP_RUN_PRIVATE = 0 };

/* The parts of a record. */
struct spgc_statepoint_layout {
  uint16_t calling_convention;
  uint16_t flags; /* enum spgc_statepoint_flags */
  uint32_t first_deopt, deopt_count;
  uint32_t first_variable, variable_count;
  uint32_t first_pair, pair_count;
  uint32_t first_alloca, alloca_count;
};

/* False if the record is not a statepoint's, which the format does not mark: it is one iff it has
 * no live-outs, its first three locations are 8-byte constants that a statepoint can have (calling
 * convention at most 1023, no unknown flag, a deopt count that fits), and the rest splits into
 * pairs and trailing direct locations. Records of stackmaps and patchpoints do not pass unless
 * their arguments imitate one. */
bool spgc_stackmap_statepoint_layout(const struct spgc_stackmap_section *section,
                                     const struct spgc_stackmap_blob *blob,
                                     const struct spgc_stackmap_record *record,
                                     struct spgc_statepoint_layout *layout);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
