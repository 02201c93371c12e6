#include "bench/micro/heap_of_graph.h"

#include "bench/micro/program.h"
#include "gc/trace/evacuate.h"
#include "heap/blocks.h"
#include "heap/condemn.h"

static uintptr_t place(void *context, size_t bytes) {
  struct spgc_heap *heap = context;
  uint32_t index = heap->nursery.last;
  if (index == SPGC_BLOCK_NONE || SPGC_BLOCK_BYTES - heap->blocks[index].top < bytes)
    index = spgc_blocks_take_nursery(heap);
  if (index == SPGC_BLOCK_NONE)
    micro_fail("the heap is full");
  heap->blocks[index].top += (uint32_t)bytes;
  return spgc_heap_block_start(heap, index) + heap->blocks[index].top - bytes;
}

static void empty(struct spgc_heap *heap) {
  struct spgc_evacuation evacuation;
  spgc_condemn_nursery(heap);
  spgc_condemn_old(heap);
  spgc_evacuation_begin(&evacuation, heap, NULL, NULL);
  spgc_evacuation_end(&evacuation);
  spgc_blocks_free_condemned(heap);
}

uintptr_t heap_write_young(struct spgc_heap *heap, const struct graph *graph) {
  empty(heap);
  return graph_write(graph, place, heap);
}

uintptr_t heap_write_old(struct spgc_heap *heap, const struct graph *graph) {
  uintptr_t root = heap_write_young(heap, graph);
  spgc_promote_nursery(heap);
  return root;
}
