#include "bench/micro/loops.h"

#include <stddef.h>

#include "bench/micro/managed.h"
#include "bench/micro/program.h"
#include "spgc/handle.h"
#include "spgc/heap.h"

enum { TREE_DEPTH = 13, TREE_PAIRS = (1 << (TREE_DEPTH + 1)) - 1 };

static struct spgc_statistics statistics(void) {
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  return statistics;
}

static void run_allocation(uint64_t count) {
  micro_start(__builtin_frame_address(0));
  managed_allocate(count, NULL, NULL);
  micro_require(statistics().minor_collections >= 1, "no collection was made");
  micro_require(statistics().born_old_bytes == 0, "objects were born old");
  micro_stop();
}

static void run_births(uint64_t count) {
  micro_start(__builtin_frame_address(0));
  managed_allocate(count, NULL, NULL);
  micro_require(statistics().born_old_bytes >= count * sizeof(struct pair),
                "objects were not born old: SPGC_OPTIONS=born=old is missing");
  micro_stop();
}

static void run_barrier(uint64_t count) {
  micro_start(__builtin_frame_address(0));
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle array = spgc_handle_make(spgc_ref_from_word((uintptr_t)managed_array()));
  spgc_collect(SPGC_COLLECTION_MINOR);
  managed_store(count, (struct pairs *)spgc_handle_get(array).word, NULL);
  spgc_scope_close(scope);
  micro_stop();
}

/* All or none of the trees survive. */
static void run_trees(uint64_t count, bool survive) {
  micro_start(__builtin_frame_address(0));
  for (uint64_t pairs = 0; pairs < count; pairs += TREE_PAIRS) {
    struct spgc_scope scope = spgc_scope_open();
    struct pair *tree = managed_tree(TREE_DEPTH);
    spgc_handle_make(spgc_ref_from_word(survive ? (uintptr_t)tree : 0));
    spgc_collect(SPGC_COLLECTION_MINOR);
    spgc_scope_close(scope);
  }
  micro_require(statistics().moved_objects == (survive ? count : 0),
                "other objects moved than expected");
  micro_stop();
}

static void run_survivors(uint64_t count) {
  run_trees(count, true);
}

static void run_dead(uint64_t count) {
  run_trees(count, false);
}

const struct micro_loop micro_loops[] = {{"allocation", run_allocation},
                                         {"barrier", run_barrier},
                                         {"survivors", run_survivors},
                                         {"dead", run_dead},
                                         {"births", run_births}};
const int micro_loop_count = sizeof micro_loops / sizeof *micro_loops;
