#include "heap/heap.h"

#include <string.h>

#include "heap/access_checker.h"
#include "heap/condemn.h"
#include "heap/hole.h"
#include "heap/memory.h"
#include "heap/remembered/recorded.h"
#include "heap/runs.h"

/* Entries of blocks never accessible are inaccessible, except in `spaces`, because any word of a
 * `values` field may look like an address of the range. */
static const struct table {
  size_t member; /* of the heap: its address */
  size_t entry_bytes;
  bool is_readable;
} tables[] = {
    {offsetof(struct spgc_heap, spaces), sizeof(uint8_t), true},
    {offsetof(struct spgc_heap, blocks), sizeof(struct spgc_block), false},
    {offsetof(struct spgc_heap, cards), SPGC_CARDS_PER_BLOCK, false},
    {offsetof(struct spgc_heap, group_cards), SPGC_GROUPS_PER_BLOCK, false},
    {offsetof(struct spgc_heap, group_stores), SPGC_GROUPS_PER_BLOCK, false},
    {offsetof(struct spgc_heap, crossing_maps), sizeof(spgc_crossing_map), false},
    {offsetof(struct spgc_heap, marks), sizeof(spgc_mark_words), false},
    {offsetof(struct spgc_heap, relocations), sizeof(struct spgc_relocation), false},
};

enum { TABLES = sizeof tables / sizeof *tables };

static void **table_of(struct spgc_heap *heap, int i) {
  return (void **)(void *)((char *)heap + tables[i].member);
}

/* With the tables. */
static size_t bytes_of(size_t blocks) {
  size_t bytes = SPGC_BLOCK_BYTES;
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

static void unmap_tables(struct spgc_heap *heap, int count) {
  while (count-- != 0)
    spgc_memory_unmap(*table_of(heap, count), pages(heap->block_count * tables[count].entry_bytes));
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
  for (int i = 0; i < TABLES; i++) {
    struct pages entries = pages_of(*table_of(heap, i), tables[i].entry_bytes, first, end);
    spgc_memory_include_in_cores(entries.start, entries.bytes);
  }
  spgc_memory_include_in_cores((void *)spgc_heap_block_start(heap, first), (size_t)(end - first)
                                                                               << SPGC_BLOCK_SHIFT);
}

/* Core files have a margin beyond the accessible blocks, so that opening memory splits no mappings.
 * Called with the new marks, before that. */
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

/* `singles` blocks below the boundary, `runs` above. False, with nothing reserved, if the system
 * refuses. */
static bool create_tables(struct spgc_heap *heap, size_t singles, size_t runs) {
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
  for (int i = 0; i < TABLES; i++) {
    size_t bytes = pages(count * tables[i].entry_bytes);
    void **table = table_of(heap, i);
    *table = tables[i].is_readable ? spgc_memory_reserve_zero(bytes)
                                   : spgc_memory_reserve(bytes, sizeof(uint64_t));
    if (*table != NULL)
      continue;
    unmap_tables(heap, i);
    spgc_memory_unmap(range, heap->size);
    return false;
  }
  include_margin(heap, heap->low_water, heap->high_water);
  return true;
}

static void destroy_tables(struct spgc_heap *heap) {
  unmap_tables(heap, TABLES);
  spgc_memory_unmap((void *)heap->base, heap->size);
}

static bool open_entries(void *table, size_t entry_bytes, size_t first, size_t end) {
  struct pages entries = pages_of(table, entry_bytes, first, end);
  return entries.bytes == 0 /* not every system accepts this */ ||
         spgc_memory_open(entries.start, entries.bytes);
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
  for (int i = 0; i < TABLES; i++)
    if (!open_entries(*table_of(heap, i), tables[i].entry_bytes, first, end)) {
      /* refused too: the blocks stay accessible, but unused; entries granted before, writable */
      spgc_memory_close(memory, count << SPGC_BLOCK_SHIFT);
      return SPGC_BLOCK_NONE;
    }
  if (is_low) { /* a marking would meet the page faults of their mark bits in a few steps */
    struct pages marks = pages_of(heap->marks, sizeof *heap->marks, first, end);
    spgc_memory_populate(marks.start, marks.bytes);
  }
  *(is_low ? &heap->low_water : &heap->high_water) = is_low ? first : end;
  return first;
}

static void initialise_lists(struct spgc_heap *heap) {
  for (int zone = 0; zone < SPGC_ZONES; zone++)
    for (int pool = SPGC_POOL_RESIDENT; pool <= SPGC_POOL_PROTECTED; pool++)
      heap->pools[zone][pool] = spgc_block_list_empty();
  heap->nursery = heap->nursery_large = spgc_block_list_empty();
  heap->old_large = spgc_block_list_empty();
  heap->condemned = heap->condemned_large = spgc_block_list_empty();
  spgc_heap_forget_plabs(heap);
}

void spgc_heap_forget_plabs(struct spgc_heap *heap) {
  for (int worker = 0; worker < SPGC_MOST_WORKERS; worker++)
    for (int i = 0; i < SPGC_PLABS; i++)
      heap->workers[worker].plabs[i] =
          (struct spgc_plab){.block = SPGC_BLOCK_NONE, .next_hole = SPGC_NO_HOLE};
  spgc_recyclable_begin(heap, SPGC_BLOCK_NONE);
}

static bool reserve_zones(struct spgc_heap *heap, size_t blocks, size_t singles, size_t most) {
  for (size_t runs = spgc_runs_blocks(blocks); runs >= blocks; runs /= 2)
    if (singles + runs <= SPGC_MOST_BLOCKS && bytes_of(singles + runs) <= most &&
        create_tables(heap, singles, runs))
      return true;
  return false;
}

/* A relocation of all objects needs the address space of singles twice. */
static bool reserve(struct spgc_heap *heap, size_t limit, size_t most) {
  size_t blocks = spgc_blocks_for(limit), singles = blocks + SPGC_COMMIT_BLOCKS;
  if (blocks == 0 || 2 * blocks >= SPGC_MOST_BLOCKS)
    return false;
  return reserve_zones(heap, blocks, singles + blocks, most) ||
         reserve_zones(heap, blocks, singles, most);
}

bool spgc_heap_create(struct spgc_heap *heap, size_t limit, size_t most, bool poison) {
  enum { RECORDED_PARTS = 256 };
  memset(heap, 0, sizeof *heap);
  initialise_lists(heap);
  if (!reserve(heap, limit, most))
    goto fail_range;
  heap->poison = poison;
  heap->least_hole_bytes = SPGC_LEAST_HOLE_BYTES;
  heap->bytes_per_work = SPGC_WORD_BYTES; /* objects of two words, each with a slot */
  heap->hole_percent = 100;
  heap->weak_slots.capacity =
      (uint32_t)(limit / RECORDED_PARTS / sizeof(struct spgc_recorded_chunk)) + 1;
  heap->recorded.capacity = heap->weak_slots.capacity + SPGC_MOST_COMPACTED / SPGC_RECORDED_SLOTS;
  heap->is_checked = spgc_access_is_checked();
  spgc_runs_create(heap);
  if (!spgc_worklist_provide(&heap->workers[0].stack))
    goto fail_stack;
  if (heap->poison || heap->is_checked)
    heap->vacated.entries = spgc_memory_map(SPGC_MOST_VACATED * sizeof(struct spgc_vacated));
  pthread_mutex_init(&heap->lock, NULL);
  return true;

fail_stack:
  destroy_tables(heap);
fail_range:
  memset(heap, 0, sizeof *heap);
  return false;
}

void spgc_heap_destroy(struct spgc_heap *heap) {
  uintptr_t from = spgc_heap_block_start(heap, heap->low_water);
  if (heap->is_checked) /* later mappings at these addresses are accessible */
    spgc_access_allow(from, spgc_heap_block_start(heap, heap->high_water) - from);
  if (heap->vacated.entries != NULL)
    spgc_memory_unmap(heap->vacated.entries, SPGC_MOST_VACATED * sizeof(struct spgc_vacated));
  spgc_recorded_destroy(&heap->recorded);
  spgc_recorded_destroy(&heap->weak_slots);
  pthread_mutex_destroy(&heap->lock);
  for (int worker = 0; worker < SPGC_MOST_WORKERS; worker++)
    spgc_worklist_destroy(&heap->workers[worker].stack);
  destroy_tables(heap);
  memset(heap, 0, sizeof *heap);
}
