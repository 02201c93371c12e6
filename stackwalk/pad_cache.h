/* The landing pads that a thread entered last, to save searching call-site tables. Only that thread
 * uses its cache. */
#ifndef SPGC_STACKWALK_PAD_CACHE_H
#define SPGC_STACKWALK_PAD_CACHE_H

#include <stdint.h>

#include "stackwalk/frame_entry.h"

struct spgc_pad_cache;

struct spgc_pad_cache *spgc_pad_cache_create(void);

/* No thread may use the cache any more. */
void spgc_pad_cache_destroy(struct spgc_pad_cache *cache);

void spgc_pad_cache_use(struct spgc_pad_cache *cache);

uintptr_t spgc_pad_cache_find(struct return_address call);

void spgc_pad_cache_add(struct return_address call, uintptr_t pad);

#endif
