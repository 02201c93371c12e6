#include "stackwalk/flat_table.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>

#include "stackwalk/flat_check.h"
#include "support/fatal.h"

enum slot_state { SLOT_UNUSED, SLOT_CLAIMED, SLOT_READY };

/* What a call became. Zeroed memory that no walker has touched costs nothing. */
struct flat_slot {
  struct frame_entry entry;
  struct frame_description description;
  _Atomic(enum slot_state) state;
};

struct flat_map {
  struct flat_view view;
  uintptr_t code, code_end;
  struct flat_slot *slots; /* one for each call */
  uint64_t position;       /* in its section */
};

struct live_map {
  struct flat_map *map;
};

enum { CACHE_LOGARITHM = 12 };

size_t spgc_flat_map_count;
static struct live_map *live; /* spgc_flat_map_count of them, by code */
static _Atomic(struct frame_entry *) cache[1 << CACHE_LOGARITHM];

static enum spgc_result open_map(const void *section, size_t size, size_t position, struct flat_map *map,
                                 struct spgc_error *error) {
  enum spgc_result result = spgc_flat_check(section, size, position, error);
  if (result != SPGC_OK)
    return result;
  const void *start = (const unsigned char *)section + position;
  struct flat_view view = flat_view_of(start);
  uintptr_t code = flat_code_start(view.header);
  *map = (struct flat_map){view, code, code + view.header->code_bytes, NULL, position};
  map->slots = calloc((size_t)view.header->call_count + 1, sizeof *map->slots);
  if (map->slots == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, position, "no memory for %" PRIu32 " calls",
                          view.header->call_count);
  return SPGC_OK;
}

static enum spgc_result append_map(const void *section, size_t size, size_t *position, struct flat_map **maps,
                                   size_t *count, struct spgc_error *error) {
  struct flat_map *more = reallocarray(*maps, *count + 1, sizeof **maps);
  if (more == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, *position, "no memory for a flat stack map");
  *maps = more;
  enum spgc_result result = open_map(section, size, *position, &more[*count], error);
  if (result == SPGC_OK)
    *position += more[(*count)++].view.header->bytes;
  return result;
}

enum spgc_result spgc_flat_maps_open(const void *section, size_t size, struct flat_map **maps, size_t *count,
                                     struct spgc_error *error) {
  *maps = NULL;
  *count = 0;
  for (size_t position = 0; position < size;) {
    enum spgc_result result = append_map(section, size, &position, maps, count, error);
    if (result != SPGC_OK) {
      spgc_flat_maps_close(*maps, *count);
      return result;
    }
  }
  return SPGC_OK;
}

void spgc_flat_maps_close(struct flat_map *maps, size_t count) {
  for (size_t i = 0; i < count; i++)
    free(maps[i].slots);
  free(maps);
}

size_t spgc_flat_maps_call_count(const struct flat_map *maps, size_t count) {
  size_t calls = 0;
  for (size_t i = 0; i < count; i++)
    calls += maps[i].view.header->call_count;
  return calls;
}

/* Index of the first live map whose code starts after the address. */
static size_t first_after(uintptr_t address) {
  size_t low = 0, high = spgc_flat_map_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (live[middle].map->code > address)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static bool reserve(size_t more) {
  struct live_map *larger = reallocarray(live, spgc_flat_map_count + more, sizeof *live);
  if (larger != NULL)
    live = larger;
  return larger != NULL;
}

static enum spgc_result insert(struct flat_map *map, struct spgc_error *error) {
  size_t index = first_after(map->code);
  bool below = index > 0 && live[index - 1].map->code_end > map->code;
  bool above = index < spgc_flat_map_count && live[index].map->code < map->code_end;
  if (below || above || (index > 0 && live[index - 1].map->code == map->code))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, map->position,
                          "the code at 0x%" PRIxPTR " is described by another flat stack map", map->code);
  memmove(&live[index + 1], &live[index], (spgc_flat_map_count - index) * sizeof *live);
  live[index].map = map;
  spgc_flat_map_count++;
  return SPGC_OK;
}

enum spgc_result spgc_flat_table_add(struct flat_map *maps, size_t count, struct spgc_error *error) {
  if (count != 0 && !reserve(count))
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "no memory for %zu flat stack maps", count);
  for (size_t i = 0; i < count; i++) {
    enum spgc_result result = insert(&maps[i], error);
    if (result != SPGC_OK) {
      spgc_flat_table_remove(maps, i);
      return result;
    }
  }
  return SPGC_OK;
}

void spgc_flat_table_remove(struct flat_map *maps, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t index = first_after(maps[i].code) - 1;
    spgc_require(index < spgc_flat_map_count && live[index].map == &maps[i],
                 "the flat map of the code at 0x%" PRIxPTR " is not registered", maps[i].code);
    spgc_flat_map_count--;
    memmove(&live[index], &live[index + 1], (spgc_flat_map_count - index) * sizeof *live);
  }
  for (size_t i = 0; i < sizeof cache / sizeof *cache; i++)
    atomic_store_explicit(&cache[i], NULL, memory_order_relaxed);
}

/* The call that returns to the offset; NULL when there is none. */
static const struct spgc_flat_call *find_call(const struct flat_view *view, uint32_t offset) {
  uint32_t low = 0, high = view->header->call_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (view->call[middle].offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < view->header->call_count && view->call[low].offset == offset ? &view->call[low] : NULL;
}

/* The function whose calls include this one: the last whose first call is not after it. */
static const struct spgc_flat_function *function_of(const struct flat_view *view, uint32_t call) {
  uint32_t low = 0, high = view->header->function_count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (view->function[middle].first_call <= call)
      low = middle;
    else
      high = middle;
  }
  return &view->function[low];
}

static void fill(const struct flat_map *map, uint32_t index, struct flat_slot *slot) {
  const struct flat_view *view = &map->view;
  const struct spgc_flat_call *call = &view->call[index];
  const struct spgc_flat_frame *frame = &view->frame[call->frame];
  const struct spgc_flat_function *function = function_of(view, index);
  bool varies = function->stack_size == SPGC_FLAT_NO_STACK_SIZE;
  slot->description = (struct frame_description){
      .return_address = {map->code + call->offset},
      .id = view->constant[call->id],
      .flags = call->flags,
      .position = map->position + (uint64_t)((const char *)call - (const char *)view->header),
      .stack_size = varies ? UINT64_MAX : function->stack_size,
      .base_count = frame->base_count,
      .derived_count = frame->derived_count,
      .deopt_count = frame->deopt_count,
      .bases = flat_bases(&view->base[frame->first_base]),
      .derived = flat_derived(&view->derived[frame->first_derived]),
      .deopts = flat_deopts(&view->deopt[frame->first_deopt]),
  };
  slot->entry.return_address = slot->description.return_address;
  spgc_frame_entry_describe(&slot->entry, &slot->description);
}

static struct frame_entry *slot_entry(const struct flat_map *map, const struct spgc_flat_call *call) {
  uint32_t index = (uint32_t)(call - map->view.call);
  struct flat_slot *slot = &map->slots[index];
  enum slot_state state = atomic_load_explicit(&slot->state, memory_order_acquire);
  if (state == SLOT_READY)
    return &slot->entry;
  if (state == SLOT_UNUSED && atomic_compare_exchange_strong(&slot->state, &state, SLOT_CLAIMED)) {
    fill(map, index, slot);
    atomic_store_explicit(&slot->state, SLOT_READY, memory_order_release);
  }
  while (atomic_load_explicit(&slot->state, memory_order_acquire) != SLOT_READY)
    sched_yield();
  return &slot->entry;
}

/* The map whose code the address returns to: the code's end may be a return address, its start cannot. */
static const struct flat_map *find_map(uintptr_t address) {
  size_t index = first_after(address - 1);
  if (index == 0 || address > live[index - 1].map->code_end)
    return NULL;
  return live[index - 1].map;
}

struct frame_entry *spgc_flat_find(struct return_address address) {
  size_t home = (size_t)((address.word * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - CACHE_LOGARITHM));
  struct frame_entry *recent = atomic_load_explicit(&cache[home], memory_order_acquire);
  if (recent != NULL && recent->return_address.word == address.word)
    return recent;
  const struct flat_map *map = find_map(address.word);
  const struct spgc_flat_call *call = map == NULL ? NULL : find_call(&map->view, (uint32_t)(address.word - map->code));
  if (call == NULL)
    return NULL;
  struct frame_entry *entry = slot_entry(map, call);
  atomic_store_explicit(&cache[home], entry, memory_order_release);
  return entry;
}

bool spgc_flat_has_function(struct function_address function) {
  size_t index = first_after(function.word);
  if (index == 0 || function.word >= live[index - 1].map->code_end)
    return false;
  const struct flat_view *view = &live[index - 1].map->view;
  uint32_t offset = (uint32_t)(function.word - live[index - 1].map->code);
  for (uint32_t low = 0, high = view->header->function_count; low < high;) {
    uint32_t middle = low + (high - low) / 2;
    if (view->function[middle].offset == offset)
      return true;
    if (view->function[middle].offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

void spgc_flat_find_calls(uint64_t id, void (*visit)(void *context, struct return_address), void *context) {
  for (size_t i = 0; i < spgc_flat_map_count; i++) {
    const struct flat_view *view = &live[i].map->view;
    for (uint32_t k = 0; k < view->header->call_count; k++)
      if (view->constant[view->call[k].id] == id)
        visit(context, (struct return_address){live[i].map->code + view->call[k].offset});
  }
}
