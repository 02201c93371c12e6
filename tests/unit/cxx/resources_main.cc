/* spgc/spgc.hpp: what is made is ended, however a block is left, while objects move. */
#include "spgc/spgc.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

struct cell {
  const spgc_type *type;
  spgc_ref next;
  long number;
};

const std::uint32_t references[] = {offsetof(cell, next)};
const spgc_type cell_type = {sizeof(cell), 0, 0, 1, references, 0, 0, nullptr, "cell"};
const spgc_type bytes_type = {16, 1, SPGC_TYPE_TAIL, 0, nullptr, 0, 0, nullptr, "bytes"};

struct thrown {};

long length = 2000;

void require_at(bool holds, const char *condition, int line) {
  if (!holds) {
    std::fprintf(stderr, "resources_main.cc:%d: not %s\n", line, condition);
    std::abort();
  }
}
#define REQUIRE(condition) require_at(condition, #condition, __LINE__)

cell *memory(spgc_ref object) {
  return static_cast<cell *>(spgc_ref_memory(object));
}

spgc_ref cons(long number, spgc_ref rest) {
  spgc::scope scope;
  spgc::handle kept(rest);
  spgc_ref made = spgc::allocate(cell_type);
  memory(made)->number = number;
  spgc::store(made, offsetof(cell, next), kept.get());
  return made;
}

/* 1 + 2 + ... + count, by way of a list. */
long sum_of_list(long count) {
  spgc::scope scope;
  spgc::handle list(spgc_ref_null());
  for (long i = 1; i <= count; i++)
    list.set(cons(i, list.get()));
  spgc_collect(SPGC_COLLECTION_MINOR);
  long sum = 0;
  for (spgc_ref at = list.get(); !spgc_ref_is_null(at); at = spgc::load(at, offsetof(cell, next)))
    sum += memory(at)->number;
  return sum;
}

long expected_sum() {
  return length * (length + 1) / 2;
}

std::uint64_t moved_objects() {
  spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  return statistics.moved_objects;
}

std::size_t height() {
  spgc_scope scope = spgc_scope_open();
  spgc_scope_close(scope);
  return scope.height;
}

void lists_move() {
  long sum = spgc::run([] {
    long first = sum_of_list(length);
    REQUIRE(moved_objects() >= static_cast<std::uint64_t>(length));
    return first;
  });
  REQUIRE(sum == expected_sum());
}

void errors_are_exceptions() {
  spgc::heap heap;
  try {
    spgc::heap again;
    REQUIRE(!"a heap is started twice");
  } catch (const spgc::error &error) {
    REQUIRE(error.code() == SPGC_ERROR_STATE);
    REQUIRE(std::strstr(error.what(), "started already") != nullptr);
  }
  try {
    spgc::options("limit=64m,move=sideways");
    REQUIRE(!"wrong options are accepted");
  } catch (const spgc::error &error) {
    REQUIRE(error.code() == SPGC_ERROR_INVALID_ARGUMENT && error.position() == 15);
  }
}

void scopes_end_with_exceptions() {
  spgc::run([] {
    std::size_t before = height();
    try {
      spgc::scope scope;
      spgc::handle one(cons(1, spgc_ref_null()));
      spgc::scope inner;
      spgc::handle two(one.get());
      REQUIRE(height() == before + 2);
      throw std::string("out of both");
    } catch (const std::string &) {
    }
    REQUIRE(height() == before);
  });
}

void exceptions_stop_the_heap() {
  for (int i = 0; i < 3; i++) {
    try {
      spgc::run([] {
        sum_of_list(10);
        throw thrown{};
      });
      REQUIRE(!"the exception is lost");
    } catch (const thrown &) {
    }
  }
}

void global_handles_move_and_end() {
  spgc::run([] {
    spgc::global_handle empty, first(cons(7, spgc_ref_null()));
    std::vector<spgc::global_handle> all;
    for (long i = 0; i < 100; i++)
      all.emplace_back(cons(i, first.get()));
    spgc_collect(SPGC_COLLECTION_MINOR);
    empty = std::move(first);
    REQUIRE(!first && empty && memory(empty.get())->number == 7);
    spgc::global_handle taken(std::move(all[50]));
    all.clear();
    spgc_collect(SPGC_COLLECTION_FULL);
    REQUIRE(memory(taken.get())->number == 50);
    REQUIRE(spgc_ref_equal(memory(taken.get())->next, empty.get()));
    taken.set(empty.get());
    REQUIRE(memory(taken.get())->number == 7);
  });
}

void threads_attach_and_blocking_calls_return() {
  spgc::heap heap(spgc::options("limit=64m"));
  spgc::attachment attachment;
  long sums[3] = {};
  std::vector<std::thread> threads;
  for (long &sum : sums)
    threads.emplace_back([&sum] {
      spgc::attachment of_thread;
      sum = sum_of_list(length);
    });
  long inner = spgc::blocking([&] {
    for (std::thread &thread : threads)
      thread.join();
    return spgc::managed([] { return sum_of_list(10); });
  });
  REQUIRE(inner == 55);
  for (long sum : sums)
    REQUIRE(sum == expected_sum());
  try {
    spgc::blocking([] { throw thrown{}; });
    REQUIRE(!"the exception is lost");
  } catch (const thrown &) {
    REQUIRE(sum_of_list(10) == 55); /* attached, and in the world */
  }
}

void pins_hold_and_let_go() {
  spgc::run(spgc::options("move=always"), [] {
    spgc::scope scope;
    spgc::handle object(cons(1, spgc_ref_null()));
    void *before;
    {
      spgc::pin pin(object.get());
      before = spgc_ref_memory(object.get());
      spgc_collect(SPGC_COLLECTION_FULL);
      REQUIRE(spgc_ref_memory(object.get()) == before);
      REQUIRE(spgc_ref_equal(pin.get(), object.get()));
    }
    spgc_collect(SPGC_COLLECTION_FULL);
    REQUIRE(spgc_ref_memory(object.get()) != before);
  });
  spgc::run([] {
    try {
      spgc::pin none(spgc_ref_null());
      REQUIRE(!"null is pinned");
    } catch (const spgc::error &error) {
      REQUIRE(error.code() == SPGC_ERROR_INVALID_ARGUMENT);
    }
  });
}

void exhaustion_is_bad_alloc() {
  bool caught = spgc::run([] {
    try {
      spgc::allocate_array(bytes_type, UINT64_C(1) << 62);
    } catch (const std::bad_alloc &) {
      return true;
    }
    return false;
  });
  REQUIRE(caught);
}

} // namespace

int main(int count, char **words) {
  if (count > 1)
    length = std::atol(words[1]);
  void (*const tests[])() = {lists_move,
                             errors_are_exceptions,
                             scopes_end_with_exceptions,
                             exceptions_stop_the_heap,
                             global_handles_move_and_end,
                             threads_attach_and_blocking_calls_return,
                             pins_hold_and_let_go,
                             exhaustion_is_bad_alloc};
  for (void (*test)() : tests)
    test();
  std::printf("%zu tests\n", sizeof tests / sizeof *tests);
}
