/* The landing pads that a thread entered last. Only that thread uses its cache. Without one,
 * unwinding searches each function's call-site table. */
#ifndef SPGC_STACKWALK_PAD_CACHE_H
#define SPGC_STACKWALK_PAD_CACHE_H

#include <stdint.h>

#include "stackwalk/frame_entry.h"

struct spgc_pad_cache;

/* NULL if there is no memory. */
struct spgc_pad_cache *spgc_pad_cache_create(void);

/* No thread may use it any more. NULL does nothing. */
void spgc_pad_cache_destroy(struct spgc_pad_cache *cache);

/* NULL: none. */
void spgc_pad_cache_use(struct spgc_pad_cache *cache);

/* The landing pad of a call that returns to the address, or 0. */
uintptr_t spgc_pad_cache_find(struct return_address call);

void spgc_pad_cache_add(struct return_address call, uintptr_t pad);

#endif
