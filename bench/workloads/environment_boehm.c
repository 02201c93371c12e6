#define GC_THREADS
#include <gc.h>

#include "bench/workloads/clock.h"
#include "bench/workloads/environment.h"

static uint64_t pause_start_ns, longest_ns, total_ns;

static void on_event(GC_EventType event) {
  if (event == GC_EVENT_START)
    pause_start_ns = clock_ns();
  if (event == GC_EVENT_END) {
    uint64_t pause = clock_ns() - pause_start_ns;
    total_ns += pause;
    longest_ns = pause > longest_ns ? pause : longest_ns;
  }
}

uint64_t environment_run(const struct workload *workload, const uint64_t *arguments,
                         struct environment_statistics *statistics) {
  GC_INIT();
  GC_allow_register_threads();
  GC_set_on_collection_event(on_event);
  uint64_t checksum = workload->run(arguments);
  *statistics = (struct environment_statistics){
      .full_collections = GC_get_gc_no(),
      .longest_pause_ms = (double)longest_ns / 1e6,
      .total_pause_ms = (double)total_ns / 1e6,
      .peak_heap_bytes = GC_get_heap_size(),
  };
  return checksum;
}

void environment_attach(void *base) {
  struct GC_stack_base stack = {.mem_base = base};
  GC_get_stack_base(&stack);
  GC_register_my_thread(&stack);
}

void environment_detach(void) {
  GC_unregister_my_thread();
}

void environment_block(void *(*function)(void *argument), void *argument) {
  function(argument);
}
