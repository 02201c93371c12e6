// The C++ side of the exception tests: frames with destructors, and what throws and catches.
#include "throws.h"

#include <cxxabi.h>
#include <typeinfo>
#include <unwind.h>

namespace {

struct Guard {
  ~Guard() {
    count_left_frame();
  }
};

void *last; // what was thrown last; its header is before it

template <typename Value> [[noreturn]] void throw_it(Value value) {
  last = abi::__cxa_allocate_exception(sizeof value);
  *static_cast<Value *>(last) = value;
  abi::__cxa_throw(last, const_cast<std::type_info *>(&typeid(Value)), nullptr);
}

} // namespace

extern "C" int64_t call_from_cxx(int64_t (*function)(int64_t), int64_t argument) {
  Guard guard;
  return function(argument);
}

extern "C" void throw_from_cxx(int64_t value) {
  throw_it(value);
}

extern "C" void throw_text_from_cxx(void) {
  throw_it("text");
}

// What was thrown follows the header. __cxa_begin_catch returns it only to frames with C++'s own
// personality.
extern "C" int64_t catch_in_cxx(struct _Unwind_Exception *exception) {
  int64_t value = *reinterpret_cast<int64_t *>(exception + 1);
  abi::__cxa_begin_catch(exception);
  abi::__cxa_end_catch();
  return value;
}

extern "C" int64_t catch_last_in_cxx(void) {
  return catch_in_cxx(static_cast<_Unwind_Exception *>(last) - 1);
}

extern "C" int64_t catch_around(int64_t (*function)(int64_t), int64_t argument) {
  try {
    return function(argument);
  } catch (int64_t value) {
    return -value;
  }
}
