/* C++ exceptions that are being handled on several stacks of a thread at once. */
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "spgc/fiber.h"
#include "spgc/spgc.hpp"

namespace {

void require_at(bool holds, const char *condition, int line) {
  if (!holds) {
    std::fprintf(stderr, "fiber_exceptions_main.cc:%d: not %s\n", line, condition);
    std::abort();
  }
}
#define REQUIRE(condition) require_at(condition, #condition, __LINE__)

int living; /* exceptions that were made and not destroyed */

struct named {
  std::string name;
  explicit named(const char *given) : name(given) { living++; }
  named(const named &other) : name(other.name) { living++; }
  ~named() { living--; }
};

spgc_fiber *own;

const char fibers[] = "the fiber's exception, too long to lie in the string itself";
const char threads[] = "the thread's exception, too long to lie in the string itself";

/* Waits in a handler, and throws on what it handles when it goes on. */
spgc_fiber_end handle_and_rethrow(void *) {
  REQUIRE(std::uncaught_exceptions() == 0);
  REQUIRE(std::current_exception() == nullptr);
  try {
    try {
      throw named(fibers);
    } catch (const named &) {
      spgc_fiber_switch(own, nullptr);
      throw;
    }
  } catch (const named &caught) {
    REQUIRE(caught.name == fibers);
  }
  REQUIRE(std::current_exception() == nullptr);
  return {own, nullptr};
}

/* Waits while an exception is on its way. */
struct switching {
  ~switching() {
    REQUIRE(std::uncaught_exceptions() == 1);
    spgc_fiber_switch(own, nullptr);
    REQUIRE(std::uncaught_exceptions() == 1);
  }
};

spgc_fiber_end throw_slowly(void *) {
  try {
    switching guard;
    throw named(fibers);
  } catch (const named &caught) {
    REQUIRE(caught.name == fibers);
  }
  return {own, nullptr};
}

const named *volatile abandoned; /* no leak to a sanitizer */

/* Is released in its handler, so that nobody destroys the exception. */
spgc_fiber_end stay(void *) {
  try {
    throw named(fibers);
  } catch (const named &caught) {
    abandoned = &caught;
    spgc_fiber_switch(own, nullptr);
  }
  return {own, nullptr};
}

spgc_fiber *create(spgc_fiber_entry entry) {
  spgc_fiber *fiber;
  spgc_error error;
  REQUIRE(spgc_fiber_create(entry, nullptr, 4 * SPGC_FIBER_STACK_LEAST, &fiber, &error) == SPGC_OK);
  return fiber;
}

/* The fiber goes on while the thread handles an exception of its own. */
void interleave(spgc_fiber_entry entry) {
  spgc_fiber *fiber = create(entry);
  spgc_fiber_switch(fiber, nullptr);
  REQUIRE(std::current_exception() == nullptr && std::uncaught_exceptions() == 0);
  try {
    throw named(threads);
  } catch (const named &caught) {
    spgc_fiber_switch(fiber, nullptr);
    REQUIRE(spgc_fiber_is_finished(fiber));
    REQUIRE(caught.name == threads);
    try {
      throw;
    } catch (const named &again) {
      REQUIRE(again.name == threads);
    }
  }
  spgc_fiber_release(fiber);
  REQUIRE(living == 0);
}

/* What a released fiber handles is gone with its frames. */
void release_in_handler() {
  spgc_fiber *fiber = create(stay);
  try {
    throw named(threads);
  } catch (const named &caught) {
    spgc_fiber_switch(fiber, nullptr);
    spgc_fiber_release(fiber);
    REQUIRE(caught.name == threads);
  }
  REQUIRE(std::current_exception() == nullptr);
  REQUIRE(living == 1);
}

} // namespace

int main() {
  spgc::heap heap;
  spgc::attachment attachment;
  own = spgc_fiber_current();
  for (int i = 0; i < 100; i++) {
    interleave(handle_and_rethrow);
    interleave(throw_slowly);
  }
  release_in_handler();
  return 0;
}
