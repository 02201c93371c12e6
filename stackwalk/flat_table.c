#include "stackwalk/flat_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "stackwalk/code_check.h"
#include "stackwalk/flat_check.h"
#include "support/fatal.h"
#include "support/futex.h"

enum slot_state { SLOT_UNUSED, SLOT_CLAIMED, SLOT_AWAITED, SLOT_READY };

/* The frame entry of a call, once a walker has made it. Zeroed memory costs nothing until then. */
struct flat_slot {
  struct frame_entry entry;
  struct frame_description description;
  _Atomic uint32_t state; /* enum slot_state */
};

enum { CACHE_LOGARITHM = 12, CACHE_ENTRIES = 1 << CACHE_LOGARITHM };

typedef _Atomic(struct frame_entry *) recent_entry;

struct flat_map {
  struct flat_view view;
  uintptr_t code, code_end;
  struct flat_slot *slots; /* one per call of the map */
  recent_entry *recent;    /* by hash of the return address; the size is a power of two */
  unsigned recent_shift;
  uint64_t position; /* of the map in its section */
};

static unsigned recent_logarithm(uint32_t call_count) {
  unsigned logarithm = 0;
  while (logarithm < CACHE_LOGARITHM && UINT32_C(2) << logarithm <= call_count)
    logarithm++;
  return logarithm;
}

static void close_map(struct flat_map *map) {
  free(map->slots);
  free(map->recent);
}

static enum spgc_result open_map(const void *section, size_t size, size_t position,
                                 struct flat_map *map, struct spgc_error *error) {
  enum spgc_result result = spgc_flat_check(section, size, position, error);
  if (result != SPGC_OK)
    return result;
  const void *start = (const unsigned char *)section + position;
  struct flat_view view = flat_view_of(start);
  uintptr_t code = flat_code_start(view.header);
  unsigned logarithm = recent_logarithm(view.header->call_count);
  *map = (struct flat_map){.view = view,
                           .code = code,
                           .code_end = code + view.header->code_bytes,
                           .slots = calloc((size_t)view.header->call_count + 1, sizeof *map->slots),
                           .recent = calloc((size_t)1 << logarithm, sizeof *map->recent),
                           .recent_shift = 64 - logarithm,
                           .position = position};
  if (map->slots != NULL && map->recent != NULL)
    return SPGC_OK;
  close_map(map);
  return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, position,
                        "cannot allocate %" PRIu32 " calls: out of memory",
                        view.header->call_count);
}

static enum spgc_result append_map(const void *section, size_t size, size_t *position,
                                   struct flat_map **maps, size_t *count,
                                   struct spgc_error *error) {
  struct flat_map *more = reallocarray(*maps, *count + 1, sizeof **maps);
  if (more == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, *position,
                          "cannot allocate a flat stack map: out of memory");
  *maps = more;
  enum spgc_result result = open_map(section, size, *position, &more[*count], error);
  if (result == SPGC_OK)
    *position += more[(*count)++].view.header->bytes;
  return result;
}

enum spgc_result spgc_flat_maps_open(const void *section, size_t size, struct flat_map **maps,
                                     size_t *count, struct spgc_error *error) {
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

static enum spgc_result check_code(const struct flat_map *map, struct spgc_error *error) {
  const struct spgc_flat_header *header = map->view.header;
  enum spgc_result result = SPGC_OK;
  for (uint32_t i = 0; i < header->function_count && result == SPGC_OK; i++) {
    const struct spgc_flat_function *function = &map->view.function[i];
    uint32_t end = i + 1 < header->function_count ? function[1].first_call : header->call_count;
    if (end == function->first_call)
      continue;
    struct function_code code =
        spgc_function_code((struct function_address){map->code + function->offset});
    for (uint32_t k = function->first_call; k < end && result == SPGC_OK; k++)
      result = spgc_code_check_call(
          &code, (struct return_address){map->code + map->view.call[k].offset},
          map->position + (uint64_t)((const char *)&map->view.call[k] - (const char *)header),
          error);
  }
  return result;
}

enum spgc_result spgc_flat_maps_check_code(const struct flat_map *maps, size_t count,
                                           struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (size_t i = 0; i < count && result == SPGC_OK; i++)
    result = check_code(&maps[i], error);
  return result;
}

void spgc_flat_maps_close(struct flat_map *maps, size_t count) {
  for (size_t i = 0; i < count; i++)
    close_map(&maps[i]);
  free(maps);
}

size_t spgc_flat_maps_call_count(const struct flat_map *maps, size_t count) {
  size_t calls = 0;
  for (size_t i = 0; i < count; i++)
    calls += maps[i].view.header->call_count;
  return calls;
}

struct flat_map *spgc_flat_map_at(struct flat_map *maps, size_t index) {
  return &maps[index];
}

void spgc_flat_extent(const struct flat_map *map, uintptr_t *lowest, uintptr_t *highest) {
  *lowest = map->code;
  *highest = map->code_end;
}

uint64_t spgc_flat_position(const struct flat_map *map) {
  return map->position;
}

/* NULL if no call returns to the offset. */
static const struct spgc_flat_call *find_call(const struct flat_view *view, uint32_t offset) {
  uint32_t low = 0, high = view->header->call_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (view->call[middle].offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < view->header->call_count && view->call[low].offset == offset ? &view->call[low]
                                                                            : NULL;
}

/* The last one whose first call is not after this one. */
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
  spgc_frame_entry_make(&slot->description, &slot->entry);
}

/* Sleeps until the walker that claimed the slot has made it ready. */
static void await(struct flat_slot *slot) {
  uint32_t state = SLOT_CLAIMED;
  while (state != SLOT_READY) {
    if (state == SLOT_AWAITED || atomic_compare_exchange_strong(&slot->state, &state, SLOT_AWAITED))
      spgc_futex_wait(&slot->state, SLOT_AWAITED);
    state = atomic_load_explicit(&slot->state, memory_order_acquire);
  }
}

static struct frame_entry *slot_entry(const struct flat_map *map,
                                      const struct spgc_flat_call *call) {
  uint32_t index = (uint32_t)(call - map->view.call);
  struct flat_slot *slot = &map->slots[index];
  uint32_t state = SLOT_UNUSED;
  if (atomic_load_explicit(&slot->state, memory_order_acquire) == SLOT_READY)
    return &slot->entry;
  if (atomic_compare_exchange_strong(&slot->state, &state, SLOT_CLAIMED)) {
    fill(map, index, slot);
    if (atomic_exchange(&slot->state, SLOT_READY) == SLOT_AWAITED)
      spgc_futex_wake(&slot->state);
  } else {
    await(slot);
  }
  return &slot->entry;
}

static recent_entry *recent_place(const struct flat_map *map, struct return_address address) {
  uint64_t hash = address.word * UINT64_C(0x9E3779B97F4A7C15);
  return &map->recent[map->recent_shift < 64 ? hash >> map->recent_shift : 0];
}

struct frame_entry *spgc_flat_find(const struct flat_map *map, struct return_address address) {
  recent_entry *home = recent_place(map, address);
  struct frame_entry *recent = atomic_load_explicit(home, memory_order_acquire);
  if (recent != NULL && recent->return_address.word == address.word)
    return recent;
  const struct spgc_flat_call *call = find_call(&map->view, (uint32_t)(address.word - map->code));
  if (call == NULL)
    return NULL;
  struct frame_entry *entry = slot_entry(map, call);
  atomic_store_explicit(home, entry, memory_order_release);
  return entry;
}

bool spgc_flat_has_function(const struct flat_map *map, struct function_address function) {
  const struct flat_view *view = &map->view;
  uint32_t offset = (uint32_t)(function.word - map->code);
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

void spgc_flat_find_calls(const struct flat_map *map, uint64_t id,
                          void (*visit)(void *context, struct return_address), void *context) {
  const struct flat_view *view = &map->view;
  for (uint32_t k = 0; k < view->header->call_count; k++)
    if (view->constant[view->call[k].id] == id)
      visit(context, (struct return_address){map->code + view->call[k].offset});
}
