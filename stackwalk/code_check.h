/* Whether the code in memory is the code that a stack map describes.
 *
 * Tools that run after the link may split functions or move their blocks (llvm-bolt). They do not
 * know stack maps: calls in a part that was split off would return to addresses without a record,
 * in code that no map lists, and walks would take it for C. So the registration of a loaded file's
 * maps looks at each function with records:
 *   - the function's unwind entry begins where the function does;
 *   - each record's return address is in that entry, and a call ends there;
 *   - a direct call leads to code of the same file.
 * A function that lost some of its calls, or whose calls moved, fails one of them. The cost is a
 * search in the unwind table for each function, and a look at each call; walks pay nothing.
 *
 * Files without an index of unwind information are not looked at: walks end there with a message.
 * Code made at run time is not either.
 */
#ifndef SPGC_STACKWALK_CODE_CHECK_H
#define SPGC_STACKWALK_CODE_CHECK_H

#include "spgc/result.h"
#include "stackwalk/address.h"
#include "stackwalk/loaded_code.h"

/* The code of a function. */
struct function_code {
  struct function_address function;
  struct loaded_object file;
  uintptr_t start, end; /* of the function's unwind entry; 0: it is not looked at */
};

/* Finds the code of a function. */
struct function_code spgc_function_code(struct function_address function);

/* SPGC_ERROR_MALFORMED if the record at byte `position` does not describe a call of the function.
 */
enum spgc_result spgc_code_check_call(const struct function_code *code,
                                      struct return_address address, uint64_t position,
                                      struct spgc_error *error);

#endif
