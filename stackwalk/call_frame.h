/* Call frame information (DWARF 5, section 6.4; Linux Standard Base, exception frames).
 *
 * Each step reads it again, because libraries may be unloaded, without malloc or system calls. Only
 * rules that compilers write are understood; libunwind handles signal frames and rarer rules. */
#ifndef SPGC_STACKWALK_CALL_FRAME_H
#define SPGC_STACKWALK_CALL_FRAME_H

#include <stdbool.h>

#include "stackwalk/suspended_frame.h"

/* The caller's value of a register. */
struct saved_rule {
  int64_t offset; /* from the canonical frame address; 0: not saved */
  /* Computes the place instead of `offset` (frame_expression.h), or NULL. */
  const uint8_t *expression;
};

/* For frames suspended at one address. */
struct call_frame {
  struct function_address start;
  bool has_personality; /* exceptions may end in its frames */
  bool is_signed;       /* its return address was signed, which libunwind 1.6 does not know */
  uint64_t reg;         /* DWARF register: its value + `offset` is the canonical frame address */
  int64_t offset;
  const uint8_t *expression; /* computes that address instead, or NULL */
  int64_t return_address;    /* its place, relative to the canonical frame address */
  struct saved_rule saved[PRESERVED_REGISTERS]; /* indexed by enum origin */
};

/* False also if the rules are not understood. */
bool spgc_call_frame_find(struct return_address address, struct call_frame *rules);

/* False without a possible canonical frame address. Nothing above `limit` is read: a caller whose
 * frame begins there gets the return address 0. */
bool spgc_call_frame_step(const struct call_frame *rules, struct suspended_frame *frame,
                          struct stack_address limit);

struct call_frame_function {
  struct function_address start;
  uintptr_t personality;        /* 0: none */
  const uint8_t *language_data; /* read by the personality, or NULL */
};

/* As spgc_call_frame_find. */
bool spgc_call_frame_function(struct return_address address, struct call_frame_function *function);

/* Of a function in a loaded file. */
bool spgc_call_frame_extent(struct function_address function, uintptr_t *start, uintptr_t *end);

#endif
