/* Whether a stack map describes the code in memory (docs/stackwalk.md, "The return-address table"):
 * each function must be in the unwind table, and each call must be a call instruction, to the same
 * file if direct.
 *
 * Not checked are code made at run time and files without an index of unwind information, where
 * walks end with a message. */
#ifndef SPGC_STACKWALK_CODE_CHECK_H
#define SPGC_STACKWALK_CODE_CHECK_H

#include "spgc/result.h"
#include "stackwalk/address.h"
#include "stackwalk/loaded_code.h"

struct function_code {
  struct function_address function;
  struct loaded_object file;
  uintptr_t start, end; /* from unwind information; 0: not checked */
};

struct function_code spgc_function_code(struct function_address function);

/* SPGC_ERROR_MALFORMED if the record at byte `position` is not a call of the function. */
enum spgc_result spgc_code_check_call(const struct function_code *code,
                                      struct return_address address, uint64_t position,
                                      struct spgc_error *error);

#endif
