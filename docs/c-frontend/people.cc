// Managed C++: what of the language carries references. docs/c-frontend.md explains it.
#include "spgc/managed.h"

#include <array>
#include <cstdio>
#include <utility>

#include "spgc/main.h"

namespace {

struct person {
  const spgc_type *type;
  person SPGC_MANAGED *parent;
  long age;
};

const uint32_t references[] = {offsetof(person, parent)};
const spgc_type person_type = {sizeof(person), 0, 0, 1, references, 0, 0, nullptr, "person"};

// A value class around a reference.
template <typename T> class ref {
public:
  ref(T SPGC_MANAGED *object = nullptr) : object(object) {
  }
  T SPGC_MANAGED *operator->() const {
    return object;
  }
  explicit operator bool() const {
    return object != nullptr;
  }
  T SPGC_MANAGED *get() const {
    return object;
  }

private:
  T SPGC_MANAGED *object;
};

using human = ref<person>;

human oldest; // a root

human make(human parent, long age) {
  human made = static_cast<person SPGC_MANAGED *>(spgc_allocate(&person_type));
  made->parent = parent.get();
  made->age = age;
  return made;
}

// A template that calls what it is given, and a destructor that allocates.
template <typename F> void each(human first, F visit) {
  for (human at = first; at; at = at->parent)
    visit(at);
}

struct noise {
  ~noise() {
    make(nullptr, 0);
  }
};

// A function that changes a variable of its caller.
void grow(human &family, long age) {
  noise at_the_end;
  family = make(family, age);
}

struct visitor {
  virtual void visit(human one) = 0;
};

struct summing : visitor {
  long sum = 0;
  void visit(human one) override {
    make(nullptr, 0);
    sum += one->age;
  }
};

std::pair<human, long> youngest_and_count(human family) {
  long count = 0;
  human youngest = family;
  each(family, [&](human one) {
    make(nullptr, 0); // every object may move
    count++;
    if (one->age < youngest->age)
      youngest = one;
  });
  return {youngest, count};
}

long check() {
  human family;
  for (long age = 90; age > 0; age -= 10)
    grow(family, age);
  oldest = make(nullptr, 100);
  std::array<human, 3> three = {family, family->parent, oldest};
  summing sums;
  each(family, [&sums](human one) { sums.visit(one); });
  auto [youngest, count] = youngest_and_count(family);
  long of_three = 0;
  for (human one : three)
    of_three += make(one, 0)->parent->age;
  return sums.sum + count + youngest->age + of_three; // 450 + 9 + 10 + (10 + 20 + 100)
}

void program(void *result) {
  *static_cast<long *>(result) = check();
}

} // namespace

int main() {
  long result = 0;
  spgc_error error;
  if (spgc_main(nullptr, program, &result, &error) != SPGC_OK)
    return std::fprintf(stderr, "%s\n", error.message), 1;
  std::printf("%ld\n", result);
  return result == 599 ? 0 : 1;
}
