// Uses managed code from C++.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "include/chain.h"
#include "spgc/heap.h"
#include "spgc/thread.h"

int main() {
  spgc_error error;
  if (spgc_start(nullptr, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK) {
    std::fprintf(stderr, "%s\n", error.message);
    return EXIT_FAILURE;
  }
  long sum = chain_sum(100);
  spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  std::printf("the chain's sum is %ld, %s\n", sum, chain_greeting());
  std::printf("objects moved: %llu\n", (unsigned long long)statistics.moved_objects);
  spgc_thread_detach();
  spgc_stop();
}
