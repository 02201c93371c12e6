#include "observe/snapshot/node_id.h"

#include "gc/inspect.h"

enum { RUN_IDS = 1 << 30, MOST_RUN_BLOCKS = 1 << 29, LAST_ID = INT32_MAX };

static bool addresses_have_ids(const struct spgc_heap *heap) {
  enum { BLOCK_WORDS = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES };
  uint32_t singles = heap->low_water < heap->boundary ? heap->boundary - heap->low_water : 0;
  uint32_t runs = heap->high_water > heap->boundary ? heap->high_water - heap->boundary : 0;
  return singles < RUN_IDS / BLOCK_WORDS && runs < MOST_RUN_BLOCKS;
}

static uint32_t id_of_address(const struct spgc_heap *heap, uintptr_t address) {
  uintptr_t boundary = spgc_heap_block_start(heap, heap->boundary);
  uintptr_t number = address < boundary ? (boundary - address) / SPGC_WORD_BYTES
                                        : RUN_IDS + (address - boundary) / SPGC_BLOCK_BYTES;
  return 2 * (uint32_t)number;
}

uint32_t spgc_node_id(const struct spgc_graph *graph, struct spgc_ref object, uint64_t node) {
  uint32_t identity = spgc_identity_number(object);
  if (identity != 0 && identity <= LAST_ID)
    return 2 * identity + 1;
  return addresses_have_ids(graph->heap) ? id_of_address(graph->heap, object.word)
                                         : 2 * (uint32_t)node;
}

uint32_t spgc_node_id_of_group(uint64_t group) {
  return 2 * (uint32_t)(LAST_ID - group);
}
