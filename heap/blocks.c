#include "heap/blocks.h"

#include "heap/access_checker.h"
#include "heap/mark_bits.h"
#include "heap/memory.h"
#include "heap/remembered/new_large.h"
#include "heap/runs.h"

static void *block_memory(const struct spgc_heap *heap, uint32_t index) {
  return (void *)spgc_heap_block_start(heap, index);
}

/* A page may have several blocks. */
static uint32_t page_down(const struct spgc_heap *heap, uint32_t index) {
  return index & ~(heap->page_blocks - 1);
}

static uint32_t page_up(const struct spgc_heap *heap, uint32_t index) {
  return page_down(heap, index + heap->page_blocks - 1);
}

static struct spgc_block_list *pool_of(struct spgc_heap *heap, uint32_t index) {
  return &heap->pools[spgc_heap_zone(heap, index)][heap->blocks[index].pool];
}

static void enter_pool(struct spgc_heap *heap, uint32_t index, enum spgc_pool pool) {
  heap->blocks[index].pool = pool;
  struct spgc_block_list *list = pool_of(heap, index);
  if (pool == SPGC_POOL_PROTECTED)
    spgc_block_list_append(list, heap->blocks, index);
  else
    spgc_block_list_insert(list, heap->blocks, SPGC_BLOCK_NONE, index, list->first);
}

static void leave_pool(struct spgc_heap *heap, uint32_t index) {
  spgc_block_list_remove(pool_of(heap, index), heap->blocks, index);
}

size_t spgc_blocks_accessible(const struct spgc_heap *heap, enum spgc_zone zone) {
  return (size_t)heap->pools[zone][SPGC_POOL_RESIDENT].count +
         heap->pools[zone][SPGC_POOL_DECOMMITTED].count;
}

/* ---- Pages ---- */

enum { ANY_POOL = 1 << SPGC_POOL_RESIDENT | 1 << SPGC_POOL_DECOMMITTED | 1 << SPGC_POOL_PROTECTED };

/* `pools` is a mask. */
static bool page_is(const struct spgc_heap *heap, uint32_t index, unsigned pools) {
  uint32_t first = page_down(heap, index);
  for (uint32_t i = first; i < first + heap->page_blocks; i++)
    if (heap->spaces[i] != SPGC_SPACE_FREE || (1U << heap->blocks[i].pool & pools) == 0)
      return false;
  return true;
}

typedef bool page_change(void *start, size_t bytes);

static bool change_pages(struct spgc_heap *heap, uint32_t first, uint32_t end, page_change *change,
                         enum spgc_pool pool) {
  if (!change(block_memory(heap, first), (size_t)(end - first) << SPGC_BLOCK_SHIFT))
    return false;
  for (uint32_t i = first; i < end; i++) {
    leave_pool(heap, i);
    enter_pool(heap, i, pool);
  }
  return true;
}

/* Free blocks opened and not taken stay open: their vacated objects are the oldest, and mutators
 * take them next. */
static bool has_freed_block(const struct spgc_heap *heap, uint32_t page) {
  for (uint32_t i = page; i < page + heap->page_blocks; i++)
    if (heap->blocks[i].pool == SPGC_POOL_RESIDENT &&
        heap->blocks[i].vacated_by == heap->collection)
      return true;
  return false;
}

/* In address order: adjacent pages take one system call, which interrupts the other processors.
 * Refused pages are skipped: at its limit on mappings, the system still closes pages beside closed
 * ones. */
static void close_freed_pages(struct spgc_heap *heap) {
  for (uint32_t first = heap->low_water, end; first < heap->high_water; first = end) {
    for (end = first;
         end < heap->high_water && page_is(heap, end, ANY_POOL) && has_freed_block(heap, end);
         end += heap->page_blocks)
      continue;
    if (end == first)
      end += heap->page_blocks;
    else
      (void)change_pages(heap, first, end, spgc_memory_close, SPGC_POOL_PROTECTED);
  }
}

/* The longest free first, until `count` blocks or a refusal. Returns their number. */
static size_t give_back_pool(struct spgc_heap *heap, const struct spgc_block_list *pool,
                             size_t count) {
  size_t done = 0;
  uint32_t index = pool->last, next;
  for (; done < count && index != SPGC_BLOCK_NONE; index = next) {
    uint32_t page = page_down(heap, index);
    next = index;
    do /* another page's */
      next = heap->blocks[next].previous;
    while (next != SPGC_BLOCK_NONE && page_down(heap, next) == page);
    if (!page_is(heap, index, ANY_POOL))
      continue;
    if (!change_pages(heap, page, page + heap->page_blocks, spgc_memory_give_back,
                      SPGC_POOL_PROTECTED))
      break;
    done += heap->page_blocks;
  }
  return done;
}

static size_t give_back(struct spgc_heap *heap, enum spgc_zone zone, size_t count) {
  size_t given = 0;
  for (int pool = SPGC_POOL_DECOMMITTED; pool >= SPGC_POOL_RESIDENT && given < count; pool--)
    given += give_back_pool(heap, &heap->pools[zone][pool], count - given);
  return given;
}

static bool extend(struct spgc_heap *heap, enum spgc_zone zone, size_t count) {
  uint32_t first = spgc_commit_more(heap, zone, count);
  if (first == SPGC_BLOCK_NONE)
    return false;
  for (size_t i = count; i-- != 0;)
    enter_pool(heap, first + (uint32_t)i, SPGC_POOL_DECOMMITTED);
  if (zone == SPGC_ZONE_RUNS)
    spgc_runs_give(heap, first, (uint32_t)count);
  return true;
}

static bool grow(struct spgc_heap *heap, enum spgc_zone zone, size_t count) {
  count = (count + heap->page_blocks - 1) & ~((size_t)heap->page_blocks - 1);
  size_t left = zone == SPGC_ZONE_RUNS ? heap->block_count - heap->high_water : heap->low_water;
  size_t batch =
      count < SPGC_COMMIT_BLOCKS && left >= SPGC_COMMIT_BLOCKS ? SPGC_COMMIT_BLOCKS : count;
  return extend(heap, zone, batch) || (count < batch && extend(heap, zone, count));
}

/* If necessary, gives back idle ones. */
static bool grow_runs(struct spgc_heap *heap, size_t count) {
  size_t missing = count - spgc_runs_last(heap),
         idle = spgc_blocks_accessible(heap, SPGC_ZONE_SINGLES);
  if (grow(heap, SPGC_ZONE_RUNS, missing))
    return true;
  enum { METADATA_PART = 16 }; /* a block's metadata is less than 1/16 of a block */
  size_t wanted = count + count / METADATA_PART + 1;
  size_t spare = idle > SPGC_COPY_RESERVE_BLOCKS ? idle - SPGC_COPY_RESERVE_BLOCKS : 0;
  size_t given = give_back(heap, SPGC_ZONE_SINGLES, wanted < spare ? wanted : spare);
  given += give_back(heap, SPGC_ZONE_RUNS, wanted - given);
  return given != 0 && grow(heap, SPGC_ZONE_RUNS, missing);
}

static bool is_protected(const struct spgc_heap *heap, uint32_t index) {
  return heap->spaces[index] == SPGC_SPACE_FREE && heap->blocks[index].pool == SPGC_POOL_PROTECTED;
}

static bool open_between(struct spgc_heap *heap, uint32_t first, uint32_t end) {
  return change_pages(heap, first, end, spgc_memory_open, SPGC_POOL_RESIDENT);
}

/* At the system's limit on mappings, a page opens only with all protected blocks up to accessible
 * memory on one side, which splits no mapping. */
static bool open_block(struct spgc_heap *heap, uint32_t index) {
  const uint32_t page = page_down(heap, index), page_end = page + heap->page_blocks;
  if (open_between(heap, page, page_end))
    return true;
  uint32_t first = page, end = page_end;
  while (first > heap->low_water && is_protected(heap, first - 1))
    first--;
  while (end < heap->high_water && is_protected(heap, end))
    end++;
  return open_between(heap, first, page_end) || open_between(heap, page, end) ||
         open_between(heap, first, end);
}

/* Around in address order: a block stays closed for long, and one system call opens or closes
 * neighbours. */
static uint32_t next_protected(const struct spgc_heap *heap) {
  if (heap->pools[SPGC_ZONE_SINGLES][SPGC_POOL_PROTECTED].count == 0)
    return SPGC_BLOCK_NONE;
  uint32_t index = heap->next_protected;
  do
    index = index < heap->low_water || index >= heap->boundary ? heap->low_water : index;
  while (!is_protected(heap, index++));
  return index - 1;
}

/* Under poison, for fewer calls. The latest half of what is closed stays so. */
static size_t opened_ahead(const struct spgc_heap *heap) {
  size_t half = heap->pools[SPGC_ZONE_SINGLES][SPGC_POOL_PROTECTED].count / 2;
  return !heap->poison ? 0 : half < SPGC_COMMIT_BLOCKS ? half : SPGC_COMMIT_BLOCKS;
}

/* The end of the last page with one of the adjacent protected blocks below `end`. */
static uint32_t protected_end(const struct spgc_heap *heap, uint32_t first, size_t end) {
  while (first < end && is_protected(heap, first))
    first++;
  return page_up(heap, first);
}

/* Up to `end` in one system call, or `first` alone. */
static bool open_adjacent(struct spgc_heap *heap, uint32_t first, uint32_t end) {
  return open_between(heap, page_down(heap, first), end) || open_block(heap, first);
}

/* At least about `count` adjacent blocks, or one. The heap grows if none is protected. */
static bool open_some(struct spgc_heap *heap, size_t count) {
  uint32_t first = next_protected(heap);
  if (first == SPGC_BLOCK_NONE) {
    for (count = count < heap->low_water ? count : heap->low_water; count != 0; count /= 2)
      if (grow(heap, SPGC_ZONE_SINGLES, count))
        return true;
    return false;
  }
  if (count < opened_ahead(heap))
    count = opened_ahead(heap);
  size_t left = heap->boundary - first;
  heap->next_protected = protected_end(heap, first, first + (count < left ? count : left));
  return open_adjacent(heap, first, heap->next_protected);
}

bool spgc_blocks_prepare(struct spgc_heap *heap, size_t count) {
  size_t accessible;
  while ((accessible = spgc_blocks_accessible(heap, SPGC_ZONE_SINGLES)) < count) {
    size_t more = count - accessible;
    if (!open_some(heap, more) &&
        (give_back(heap, SPGC_ZONE_RUNS, more) == 0 || !open_some(heap, more)))
      return false;
  }
  return true;
}

static void account_taken(struct spgc_heap *heap, uint32_t index, uint32_t count) {
  spgc_cards_clean(heap, index, count); /* their former use may have dirtied them */
  if (heap->is_checked)
    spgc_access_allow(spgc_heap_block_start(heap, index), (size_t)count << SPGC_BLOCK_SHIFT);
  heap->used_blocks += count;
  if (heap->used_blocks > heap->peak_blocks)
    heap->peak_blocks = heap->used_blocks;
}

/* Keeps the first and last page if they also have other blocks. */
static void discard_pages(const struct spgc_heap *heap, uint32_t first, uint32_t end) {
  uint32_t from = page_down(heap, first), to = page_up(heap, end);
  if (!page_is(heap, from, 1 << SPGC_POOL_DECOMMITTED))
    from += heap->page_blocks;
  if (from < to && !page_is(heap, to - 1, 1 << SPGC_POOL_DECOMMITTED))
    to -= heap->page_blocks;
  if (from < to)
    spgc_memory_discard(block_memory(heap, from), (size_t)(to - from) << SPGC_BLOCK_SHIFT);
}

/* The longest idle first. Blocks freed together are adjacent, so one system call covers many. */
static void discard(struct spgc_heap *heap, enum spgc_zone zone, size_t count) {
  const struct spgc_block_list *resident = &heap->pools[zone][SPGC_POOL_RESIDENT];
  size_t keep = resident->count > count ? resident->count - count : 0;
  while (resident->count > keep) {
    uint32_t first = resident->last, end = first;
    do {
      uint32_t index = resident->last;
      leave_pool(heap, index);
      enter_pool(heap, index, SPGC_POOL_DECOMMITTED);
      if (index == end)
        end++;
      else
        first--;
    } while (resident->count > keep && (resident->last == end || resident->last + 1 == first));
    discard_pages(heap, first, end);
  }
}

/* Before `count` blocks of one zone get pages: beyond the peak of use, decommits idle blocks of the
 * other. */
static void balance(struct spgc_heap *heap, enum spgc_zone other, size_t count) {
  if (heap->pools[other][SPGC_POOL_RESIDENT].count != 0 &&
      heap->used_blocks + spgc_blocks_resident(heap) + count > heap->peak_blocks)
    discard(heap, other, count > SPGC_COMMIT_BLOCKS ? count : SPGC_COMMIT_BLOCKS);
}

/* Stale references are told for longer if the longest free is taken; under poison, what is taken
 * and freed together is then adjacent. */
static uint32_t choose_free(const struct spgc_heap *heap, size_t kept) {
  const struct spgc_block_list *resident = &heap->pools[SPGC_ZONE_SINGLES][SPGC_POOL_RESIDENT],
                               *decommitted =
                                   &heap->pools[SPGC_ZONE_SINGLES][SPGC_POOL_DECOMMITTED];
  if (decommitted->count != 0 && resident->count <= kept)
    return decommitted->first;
  return heap->poison || heap->is_checked ? resident->last : resident->first;
}

/* Under poison, free blocks are left inaccessible instead. */
static size_t kept_resident(const struct spgc_heap *heap) {
  return heap->poison ? 0 : heap->kept_resident;
}

static uint32_t take_single(struct spgc_heap *heap, size_t kept, size_t reserve) {
  if (!spgc_blocks_prepare(heap, kept + 1 + reserve) && !spgc_blocks_prepare(heap, 1 + reserve))
    return SPGC_BLOCK_NONE;
  uint32_t index = choose_free(heap, kept);
  if (heap->blocks[index].pool == SPGC_POOL_DECOMMITTED)
    balance(heap, SPGC_ZONE_RUNS, 1);
  leave_pool(heap, index);
  return index;
}

void spgc_blocks_populate(const struct spgc_heap *heap, uint32_t index) {
  if (heap->blocks[index].pool == SPGC_POOL_DECOMMITTED)
    spgc_memory_populate(block_memory(heap, page_down(heap, index)),
                         (size_t)heap->page_blocks << SPGC_BLOCK_SHIFT);
}

static uint32_t take(struct spgc_heap *heap, enum spgc_space space, size_t kept, size_t reserve) {
  uint32_t index = take_single(heap, kept, reserve);
  if (index == SPGC_BLOCK_NONE)
    return SPGC_BLOCK_NONE;
  struct spgc_block *block = &heap->blocks[index];
  block->top = block->crossing_map_top = block->live = 0;
  block->unswept = block->is_recyclable = false;
  block->copies_wait = block->marks_wait = block->was_old = false;
  block->is_fresh = true;
  account_taken(heap, index, 1);
  spgc_heap_set_space(heap, index, space); /* last: its cards are clean by then */
  return index;
}

uint32_t spgc_blocks_take_nursery(struct spgc_heap *heap) {
  uint32_t index = take(heap, SPGC_SPACE_NURSERY, kept_resident(heap), SPGC_COPY_RESERVE_BLOCKS);
  if (index == SPGC_BLOCK_NONE)
    return SPGC_BLOCK_NONE;
  spgc_blocks_populate(heap, index);
  /* Its cards are never read: stores to it need no note. */
  memset(spgc_group_cards_of_block(heap, index), SPGC_CARD_DIRTY, SPGC_GROUPS_PER_BLOCK);
  spgc_block_list_append(&heap->nursery, heap->blocks, index);
  return index;
}

uint32_t spgc_blocks_take_destination(struct spgc_heap *heap) {
  uint32_t index = take(heap, SPGC_SPACE_OLD, 0, 0);
  if (index == SPGC_BLOCK_NONE)
    return SPGC_BLOCK_NONE;
  heap->blocks[index].top = SPGC_BLOCK_BYTES;
  heap->old_blocks++;
  return index;
}

uint32_t spgc_blocks_take_old(struct spgc_heap *heap) {
  uint32_t index = spgc_blocks_take_destination(heap);
  if (index != SPGC_BLOCK_NONE)
    spgc_blocks_populate(heap, index);
  return index;
}

static bool open_run(struct spgc_heap *heap, uint32_t first, size_t count) {
  for (uint32_t i = first; i < first + count; i++)
    if (heap->blocks[i].pool == SPGC_POOL_PROTECTED &&
        !open_adjacent(heap, i, protected_end(heap, i, first + count)) &&
        (give_back(heap, SPGC_ZONE_SINGLES, count) == 0 || !open_block(heap, i)))
      return false;
  return true;
}

static uint32_t take_run(struct spgc_heap *heap, size_t count) {
  uint32_t first = spgc_runs_find(heap, count);
  if (first == SPGC_BLOCK_NONE && grow_runs(heap, count))
    first = spgc_runs_find(heap, count);
  if (first == SPGC_BLOCK_NONE || !open_run(heap, first, count))
    return SPGC_BLOCK_NONE;
  if (heap->blocks[first].pool == SPGC_POOL_DECOMMITTED)
    balance(heap, SPGC_ZONE_SINGLES, count);
  spgc_runs_take(heap, first, (uint32_t)count);
  for (uint32_t i = first; i < first + count; i++) {
    leave_pool(heap, i);
    spgc_heap_set_space(heap, i, SPGC_SPACE_LARGE_REST);
    heap->blocks[i].head = first;
  }
  return first;
}

uint32_t spgc_blocks_take_run(struct spgc_heap *heap, size_t bytes) {
  size_t count = spgc_blocks_for(bytes);
  uint32_t first = count == 1 ? take_single(heap, kept_resident(heap), SPGC_COPY_RESERVE_BLOCKS)
                              : take_run(heap, count);
  if (first == SPGC_BLOCK_NONE)
    return SPGC_BLOCK_NONE;
  if (count == 1)
    spgc_blocks_populate(heap, first);
  spgc_heap_set_space(heap, first, SPGC_SPACE_NURSERY_LARGE);
  heap->blocks[first].run = (uint32_t)count;
  heap->blocks[first].large_bytes = bytes;
  heap->blocks[first].live = 0;
  heap->blocks[first].marks_wait = heap->blocks[first].was_old = false;
  spgc_block_list_append(&heap->nursery_large, heap->blocks, first);
  heap->large_blocks += (uint32_t)count;
  heap->nursery_large_blocks += (uint32_t)count;
  account_taken(heap, first, (uint32_t)count);
  spgc_new_large_begin(heap, first, (uint32_t)count);
  return first;
}

/* The first `bytes` were in use. */
static void free_blocks(struct spgc_heap *heap, struct spgc_readable_pages *pages, uint32_t first,
                        uint32_t count, size_t bytes, enum spgc_pool pool) {
  uintptr_t start = spgc_heap_block_start(heap, first);
  if (heap->vacated.entries != NULL)
    spgc_vacated_note(heap, pages, heap->collection, start, start + bytes);
  if (heap->poison && heap->is_checked)
    spgc_access_allow(start, bytes);
  if (heap->poison)
    spgc_poison(start, start + bytes);
  if (heap->is_checked)
    spgc_access_forbid(start, (size_t)count << SPGC_BLOCK_SHIFT);
  for (uint32_t i = first; i < first + count; i++) {
    heap->spaces[i] = SPGC_SPACE_FREE;
    heap->blocks[i].vacated_by = heap->collection;
    enter_pool(heap, i, pool);
  }
  if (spgc_heap_zone(heap, first) == SPGC_ZONE_RUNS)
    spgc_runs_give(heap, first, count);
  heap->used_blocks -= count;
}

/* Its memory may have been given back: see spgc_blocks_discard_relocated. */
static void free_single(struct spgc_heap *heap, struct spgc_readable_pages *pages, uint32_t index) {
  bool relocated = spgc_heap_space(heap, index) == SPGC_SPACE_RELOCATING;
  if (relocated) {
    spgc_mark_bits_clear(heap, index);
    heap->used_blocks++; /* free_blocks counts it out */
  }
  free_blocks(heap, pages, index, 1, heap->blocks[index].top,
              relocated ? heap->blocks[index].pool : SPGC_POOL_RESIDENT);
}

/* In descending order, so that blocks are taken again in ascending order. */
void spgc_blocks_free_condemned(struct spgc_heap *heap) {
  struct spgc_readable_pages pages = {.known = {0}}; /* no descriptor can go */
  for (uint32_t i; (i = heap->condemned.last) != SPGC_BLOCK_NONE;) {
    spgc_block_list_remove(&heap->condemned, heap->blocks, i);
    free_single(heap, &pages, i);
  }
  for (uint32_t i; (i = heap->condemned_large.first) != SPGC_BLOCK_NONE;) {
    const struct spgc_block *block = &heap->blocks[i];
    spgc_block_list_remove(&heap->condemned_large, heap->blocks, i);
    if (spgc_heap_space(heap, i) == SPGC_SPACE_OLD_LARGE) {
      spgc_new_large_becomes_old(heap, i);
      spgc_block_list_append(&heap->old_large, heap->blocks, i);
      heap->old_large_bytes += block->large_bytes;
    } else {
      heap->large_blocks -= block->run;
      free_blocks(heap, &pages, i, block->run, block->large_bytes, SPGC_POOL_RESIDENT);
    }
  }
  if (heap->poison)
    close_freed_pages(heap);
}

void spgc_blocks_discard_relocated(struct spgc_heap *heap, uint32_t first, uint32_t end) {
  uint32_t from = page_up(heap, first), to = page_down(heap, end);
  if (from >= to || heap->poison || heap->is_checked)
    return;
  uint32_t excess = __atomic_load_n(&heap->excess_blocks, __ATOMIC_RELAXED), given;
  do {
    given = to - from < excess ? to - from : excess;
    if (given == 0)
      return;
  } while (!__atomic_compare_exchange_n(&heap->excess_blocks, &excess, excess - given, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  spgc_memory_discard(block_memory(heap, from), (size_t)(to - from) << SPGC_BLOCK_SHIFT);
  for (uint32_t i = from; i < to; i++)
    heap->blocks[i].pool = SPGC_POOL_DECOMMITTED;
}

void spgc_blocks_give_back_excess(struct spgc_heap *heap, size_t most) {
  size_t accessible = heap->used_blocks + spgc_blocks_accessible(heap, SPGC_ZONE_SINGLES) +
                      spgc_blocks_accessible(heap, SPGC_ZONE_RUNS);
  if (accessible > most)
    give_back(heap, SPGC_ZONE_SINGLES, accessible - most);
}

size_t spgc_blocks_resident(const struct spgc_heap *heap) {
  return (size_t)heap->pools[SPGC_ZONE_SINGLES][SPGC_POOL_RESIDENT].count +
         heap->pools[SPGC_ZONE_RUNS][SPGC_POOL_RESIDENT].count;
}

/* Both zones lose in proportion to their size. */
void spgc_blocks_discard_idle(struct spgc_heap *heap, uint32_t keep, uint32_t most) {
  size_t singles = heap->pools[SPGC_ZONE_SINGLES][SPGC_POOL_RESIDENT].count;
  size_t idle = spgc_blocks_resident(heap);
  if (idle <= keep)
    return;
  size_t excess = idle - keep < most ? idle - keep : most, of_singles = excess * singles / idle;
  discard(heap, SPGC_ZONE_SINGLES, of_singles);
  discard(heap, SPGC_ZONE_RUNS, excess - of_singles);
}
