#include "stackwalk/code_check.h"

#include <inttypes.h>

#include "stackwalk/call_frame.h"
#include "stackwalk/machine_frame.h"
#include "support/fatal.h"

struct function_code spgc_function_code(struct function_address function) {
  struct function_code code = {.function = function};
  if (!spgc_loaded_object_find(function.word, &code.file) ||
      !spgc_call_frame_extent(function, &code.start, &code.end))
    code.start = code.end = 0;
  return code;
}

static enum spgc_result refuse(const struct function_code *code, struct return_address address,
                               uint64_t position, const char *why, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_MALFORMED, position,
                        "the record at byte %" PRIu64
                        " describes a call that returns to 0x%" PRIxPTR
                        " in the function at 0x%" PRIxPTR
                        ", but %s: the code was split or rewritten after the link, by a tool that "
                        "does not know stack maps (docs/install.md)",
                        position, address.word, code->function.word, why);
}

static bool is_in(struct loaded_object file, uintptr_t address) {
  return address - file.start < file.end - file.start;
}

enum spgc_result spgc_code_check_call(const struct function_code *code,
                                      struct return_address address, uint64_t position,
                                      struct spgc_error *error) {
  uintptr_t destination;
  if (code->end == 0)
    return SPGC_OK;
  if (code->start != code->function.word)
    return refuse(code, address, position, "the function is inside another one", error);
  if (address.word <= code->start || address.word > code->end)
    return refuse(code, address, position, "the function ends before that", error);
  if (!call_ends_at(address, code->start, &destination))
    return refuse(code, address, position, "no call ends there", error);
  if (destination != 0 && !is_in(code->file, destination))
    return refuse(code, address, position, "the call there leads out of its file", error);
  return SPGC_OK;
}
