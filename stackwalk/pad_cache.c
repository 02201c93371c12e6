#include "stackwalk/pad_cache.h"

#include <stddef.h>
#include <stdlib.h>

#include "stackwalk/frame_table.h"

enum { PADS_LOGARITHM = 4 };

struct recent_pad {
  struct return_address call;
  uintptr_t address;
};

struct spgc_pad_cache {
  uint64_t generation; /* the frame table's, when the pads were found */
  struct recent_pad pads[1 << PADS_LOGARITHM];
};

static _Thread_local struct spgc_pad_cache *used __attribute__((tls_model("initial-exec")));

struct spgc_pad_cache *spgc_pad_cache_create(void) {
  return calloc(1, sizeof(struct spgc_pad_cache));
}

void spgc_pad_cache_destroy(struct spgc_pad_cache *cache) {
  free(cache);
}

void spgc_pad_cache_use(struct spgc_pad_cache *cache) {
  used = cache;
}

static struct recent_pad *pad_of(struct spgc_pad_cache *cache, struct return_address call) {
  uint64_t generation = spgc_frame_table_generation();
  if (cache->generation != generation)
    *cache = (struct spgc_pad_cache){.generation = generation};
  return &cache->pads[(call.word * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - PADS_LOGARITHM)];
}

uintptr_t spgc_pad_cache_find(struct return_address call) {
  if (used == NULL)
    return 0;
  const struct recent_pad *pad = pad_of(used, call);
  return pad->call.word == call.word ? pad->address : 0;
}

void spgc_pad_cache_add(struct return_address call, uintptr_t address) {
  if (used != NULL)
    *pad_of(used, call) = (struct recent_pad){call, address};
}
