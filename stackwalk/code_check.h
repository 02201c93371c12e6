/* Whether the code in memory is the code that a stack map describes (docs/stackwalk.md, "The
 * return-address table"): each function must be in the unwind table, and at each call there must be
 * a call instruction, to the same file if direct.
 *
 * Not checked are files without an index of unwind information, where walks end with a message, and
 * code made at run time. */
#ifndef SPGC_STACKWALK_CODE_CHECK_H
#define SPGC_STACKWALK_CODE_CHECK_H

#include "spgc/result.h"
#include "stackwalk/address.h"
#include "stackwalk/loaded_code.h"

struct function_code {
  struct function_address function;
  struct loaded_object file;
  uintptr_t start, end; /* the function's unwind entry; 0: not checked */
};

struct function_code spgc_function_code(struct function_address function);

/* SPGC_ERROR_MALFORMED if the record at byte `position` does not describe a call of the
 * function. */
enum spgc_result spgc_code_check_call(const struct function_code *code,
                                      struct return_address address, uint64_t position,
                                      struct spgc_error *error);

#endif
