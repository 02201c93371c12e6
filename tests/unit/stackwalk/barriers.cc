#include "tests/unit/stackwalk/barriers.h"

extern "C" void throw_depth(uint64_t depth) {
  throw depth;
}

extern "C" uint64_t call_catching(managed_function *function, struct spgc_ref object,
                                  uint64_t depth) {
  for (;;) {
    try {
      return function(object, depth);
    } catch (uint64_t target) {
      if (depth > target + 1)
        throw;
      note_caught();
    }
  }
}
