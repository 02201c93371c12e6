#include "heap/commit.h"

#include "heap/memory.h"

/* Entries of blocks that were never accessible are inaccessible, except in `spaces`, because any
 * word of a `values` field may look like an address of the range. */
struct table {
  void **memory;
  size_t entry_bytes;
  bool is_readable;
};

enum { TABLES = 8 };

static void list_tables(struct spgc_heap *heap, struct table tables[TABLES]) {
  tables[0] = (struct table){(void **)&heap->spaces, sizeof *heap->spaces, true};
  tables[1] = (struct table){(void **)&heap->blocks, sizeof *heap->blocks, false};
  tables[2] = (struct table){(void **)&heap->cards, SPGC_CARDS_PER_BLOCK, false};
  tables[3] = (struct table){(void **)&heap->group_cards, SPGC_GROUPS_PER_BLOCK, false};
  tables[4] = (struct table){(void **)&heap->group_stores, SPGC_GROUPS_PER_BLOCK, false};
  tables[5] = (struct table){(void **)&heap->crossing_maps, sizeof *heap->crossing_maps, false};
  tables[6] = (struct table){(void **)&heap->marks, sizeof *heap->marks, false};
  tables[7] = (struct table){(void **)&heap->relocations, sizeof *heap->relocations, false};
}

size_t spgc_commit_bytes(size_t blocks) {
  struct spgc_heap heap;
  struct table tables[TABLES];
  size_t bytes = SPGC_BLOCK_BYTES;
  list_tables(&heap, tables);
  for (int i = 0; i < TABLES; i++)
    bytes += tables[i].entry_bytes;
  return blocks * bytes;
}

static size_t round_up(size_t number, size_t unit) {
  return (number + unit - 1) / unit * unit;
}

static size_t pages(size_t bytes) {
  return round_up(bytes, spgc_memory_page_bytes());
}

static void unmap_tables(struct spgc_heap *heap, const struct table tables[TABLES], int count) {
  while (count-- != 0)
    spgc_memory_unmap(*tables[count].memory, pages(heap->block_count * tables[count].entry_bytes));
}

struct pages {
  void *start;
  size_t bytes;
};

static struct pages pages_of(void *table, size_t entry_bytes, size_t first, size_t end) {
  uintptr_t from = (uintptr_t)table + first * entry_bytes,
            to = (uintptr_t)table + end * entry_bytes;
  from -= from % spgc_memory_page_bytes();
  return (struct pages){(void *)from, pages(to) - from};
}

static void include_in_cores(struct spgc_heap *heap, uint32_t first, uint32_t end) {
  struct table tables[TABLES];
  list_tables(heap, tables);
  for (int i = 0; i < TABLES; i++) {
    struct pages entries = pages_of(*tables[i].memory, tables[i].entry_bytes, first, end);
    spgc_memory_include_in_cores(entries.start, entries.bytes);
  }
  spgc_memory_include_in_cores((void *)spgc_heap_block_start(heap, first), (size_t)(end - first)
                                                                               << SPGC_BLOCK_SHIFT);
}

/* Core files include a margin beyond the accessible blocks, so that opening memory does not split
 * mappings. Called with the new marks, before the memory is opened. */
static void include_margin(struct spgc_heap *heap, uint32_t first, uint32_t end) {
  uint32_t count = heap->block_count;
  if (heap->low_dumped != 0 && first < heap->low_dumped + SPGC_DUMP_BLOCKS) {
    uint32_t dumped = first > 2 * SPGC_DUMP_BLOCKS ? first - 2 * SPGC_DUMP_BLOCKS : 0;
    include_in_cores(heap, dumped, heap->low_dumped);
    heap->low_dumped = dumped;
  }
  if (heap->high_dumped != count && heap->high_dumped < end + SPGC_DUMP_BLOCKS) {
    uint32_t dumped = count - end > 2 * SPGC_DUMP_BLOCKS ? end + 2 * SPGC_DUMP_BLOCKS : count;
    include_in_cores(heap, heap->high_dumped, dumped);
    heap->high_dumped = dumped;
  }
}

bool spgc_commit_create(struct spgc_heap *heap, size_t singles, size_t runs) {
  size_t page_blocks = spgc_blocks_for(spgc_memory_page_bytes());
  singles = round_up(singles, page_blocks);
  size_t count = singles + round_up(runs, page_blocks);
  heap->page_blocks = (uint32_t)page_blocks;
  heap->block_count = (uint32_t)count;
  heap->size = count << SPGC_BLOCK_SHIFT;
  heap->boundary = heap->low_water = heap->high_water = (uint32_t)singles;
  heap->low_dumped = heap->high_dumped = (uint32_t)singles;
  void *range = spgc_memory_reserve(heap->size, SPGC_BLOCK_BYTES);
  if (range == NULL)
    return false;
  heap->base = (uintptr_t)range;
  struct table tables[TABLES];
  list_tables(heap, tables);
  for (int i = 0; i < TABLES; i++) {
    size_t bytes = pages(count * tables[i].entry_bytes);
    *tables[i].memory = tables[i].is_readable ? spgc_memory_reserve_zero(bytes)
                                              : spgc_memory_reserve(bytes, sizeof(uint64_t));
    if (*tables[i].memory != NULL)
      continue;
    unmap_tables(heap, tables, i);
    spgc_memory_unmap(range, heap->size);
    return false;
  }
  include_margin(heap, heap->low_water, heap->high_water);
  return true;
}

void spgc_commit_destroy(struct spgc_heap *heap) {
  struct table tables[TABLES];
  list_tables(heap, tables);
  unmap_tables(heap, tables, TABLES);
  spgc_memory_unmap((void *)heap->base, heap->size);
}

bool spgc_commit_open_entries(void *table, size_t entry_bytes, size_t first, size_t end) {
  struct pages entries = pages_of(table, entry_bytes, first, end);
  return entries.bytes == 0 /* not every system accepts this */ ||
         spgc_memory_open(entries.start, entries.bytes);
}

/* Entries granted before the system refused stay writable. */
static bool open_metadata(struct spgc_heap *heap, size_t first, size_t end) {
  struct table tables[TABLES];
  list_tables(heap, tables);
  for (int i = 0; i < TABLES; i++)
    if (!spgc_commit_open_entries(*tables[i].memory, tables[i].entry_bytes, first, end))
      return false;
  return true;
}

uint32_t spgc_commit_more(struct spgc_heap *heap, enum spgc_zone zone, size_t count) {
  bool is_low = zone == SPGC_ZONE_SINGLES;
  if (count > (is_low ? heap->low_water : heap->block_count - heap->high_water))
    return SPGC_BLOCK_NONE;
  uint32_t first = is_low ? heap->low_water - (uint32_t)count : heap->high_water,
           end = first + (uint32_t)count;
  void *memory = (void *)spgc_heap_block_start(heap, first);
  include_margin(heap, is_low ? first : heap->low_water, is_low ? heap->high_water : end);
  if (!spgc_memory_open(memory, count << SPGC_BLOCK_SHIFT))
    return SPGC_BLOCK_NONE;
  if (!open_metadata(heap, first, end)) {
    /* refused too: the blocks stay accessible, but unused */
    spgc_memory_close(memory, count << SPGC_BLOCK_SHIFT);
    return SPGC_BLOCK_NONE;
  }
  *(is_low ? &heap->low_water : &heap->high_water) = is_low ? first : end;
  return first;
}
