/* Flat stack maps: the content of LLVM's format in a layout that is used in place.
 *
 * Every record has a fixed size and its natural alignment. Call sites are sorted by address, equal
 * sets of locations are stored once, and the only address is relative to the map. So a flat map is
 * read-only, needs no relocation at run time, and is searched by bisection. Registration builds
 * nothing from it. `spgc-lower --flat` writes it instead of `.llvm_stackmaps`;
 * spgc_stackmap_register accepts either.
 *
 *   section  := { map }           one map for each section of code; 8-aligned
 *   map      := header, constants, deopts, functions, calls, frames, bases, derived, points,
 *               locations, live-outs
 *
 * Each array has as many elements as the header says, and begins at the next multiple of 8 bytes
 * after the one before. The format follows the proposal of a second version of LLVM's format
 * (llvm-dev, 2015): frame records with the function's size and frame registers, records with call
 * sizes, shared locations. Integers are little-endian.
 */
#ifndef SPGC_FLAT_STACKMAP_H
#define SPGC_FLAT_STACKMAP_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The first bytes of a map. */
#define SPGC_FLAT_MAGIC "spgcflat"

/* The version that is written and read, and the alignment of a map in bytes. */
enum { SPGC_FLAT_VERSION = 1, SPGC_FLAT_ALIGNMENT = 8 };

/* The beginning of a map. */
struct spgc_flat_header {
  char magic[8]; /* SPGC_FLAT_MAGIC, without the NUL */
  uint32_t version;
  uint32_t bytes;         /* size of this map; the next one follows it */
  uint32_t section_bytes; /* size of all maps of the module, in the first map; 0 in the others */
  uint32_t code_bytes;    /* size of the code that the map describes */
  int64_t code;           /* the code's first byte, relative to this field */
  uint32_t constant_count, deopt_count, function_count, call_count, frame_count, base_count,
      derived_count, point_count, location_count, live_out_count;
};

/* A value of the deopt state. */
struct spgc_flat_deopt {
  uint8_t kind; /* enum spgc_location_kind without SPGC_LOCATION_CONSTANT_INDEX */
  uint8_t zero;
  uint16_t size;
  uint16_t reg; /* DWARF number */
  uint16_t zeros;
  int64_t value; /* the constant, or the offset from `reg` */
};

/* Flags of a function. */
enum spgc_flat_function_flags {
  /* slots are relative to RBP, or to RBX if the stack is realigned */
  SPGC_FLAT_FRAME_POINTER = 1u << 0,
  /* the frame size varies; stack_size is SPGC_FLAT_NO_STACK_SIZE */
  SPGC_FLAT_VARYING_SIZE = 1u << 1,
};

/* A value of `stack_size`: the size varies. */
#define SPGC_FLAT_NO_STACK_SIZE UINT32_MAX

/* Sorted by address. Function i owns the calls and points from its first ones up to those of
 * function i + 1. */
struct spgc_flat_function {
  uint32_t offset; /* offset of its first byte in the code */
  uint32_t size;
  uint32_t stack_size;     /* size of its frames, without the return address */
  uint16_t flags;          /* enum spgc_flat_function_flags */
  uint16_t frame_register; /* DWARF number of the register that slots are relative to */
  uint32_t first_call, first_point;
};

/* A statepoint. Sorted by offset. */
struct spgc_flat_call {
  uint32_t offset;   /* offset of the return address in the code */
  uint32_t frame;    /* index of the suspended frame's description; shared */
  uint32_t id;       /* index of a constant */
  uint8_t call_size; /* bytes of the call instruction before the return address; 0: unknown */
  uint8_t flags;     /* enum spgc_statepoint_flags */
  uint16_t zero;
};

/* The references of a suspended frame. Calls with the same references share it. */
struct spgc_flat_frame {
  uint32_t first_base, first_derived, first_deopt;
  uint16_t base_count, derived_count, deopt_count, zero;
};

/* A run of words that hold references. Runs are distinct and do not overlap. Registers come first,
 * then slots in the order of register and offset. */
struct spgc_flat_base {
  int32_t offset; /* relative to the value of `reg`; 0 in a register */
  uint16_t words;
  uint8_t reg;   /* DWARF number of RSP or a callee-saved register */
  uint8_t flags; /* enum spgc_flat_base_flags */
};

/* Flags of a run of words. */
enum spgc_flat_base_flags {
  SPGC_FLAT_IN_REGISTER = 1u << 0, /* one word */
  SPGC_FLAT_VARIABLE = 1u << 1,    /* in a stack variable, which callees may write */
};

/* Sorted by the index of the base. Those with `rewritten` are distinct and are not bases. */
struct spgc_flat_derived {
  struct spgc_flat_base location;
  uint32_t base; /* index into the frame's bases */
  uint8_t rewritten;
  uint8_t zeros[3];
};

/* A record of a stackmap or patchpoint intrinsic, which has no return address. Sorted by offset. */
struct spgc_flat_point {
  uint32_t offset;
  uint32_t id; /* index of a constant */
  uint32_t first_location, first_live_out;
  uint16_t location_count, live_out_count;
};

/* A location of a point, as LLVM's map has it. */
struct spgc_flat_location {
  uint8_t kind; /* enum spgc_location_kind; SPGC_LOCATION_CONSTANT_INDEX names a constant of this
                   map */
  uint8_t zero;
  uint16_t size;
  uint16_t reg;
  uint16_t zeros;
  int32_t offset;
};

/* A register that is live after a point. */
struct spgc_flat_live_out {
  uint16_t reg;
  uint8_t zero;
  uint8_t size;
};

/* A range of code, and facts that the stack map lacks. The functions get addresses as they are in
 * the map. */
struct spgc_flat_code {
  uint64_t start, bytes;
  void *context;
  uint32_t (*function_size)(void *context, uint64_t function);
  uint8_t (*call_size)(void *context, uint64_t return_address); /* 0: unknown */
};

/* Makes the flat map of those functions of a `.llvm_stackmaps` section that are in `code`. The
 * section is of version 2 or 3, relocated, and in the machine's byte order. The caller frees
 * *map, sets `code` in its header to the distance from there, and sets `section_bytes` in the
 * first map of a module. Errors: as spgc_stackmap_register; SPGC_ERROR_UNSUPPORTED if a value
 * does not fit a flat field. Any thread. */
enum spgc_result spgc_flat_stackmap_make(const void *section, size_t size,
                                         const struct spgc_flat_code *code,
                                         struct spgc_flat_header **map, struct spgc_error *error);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
