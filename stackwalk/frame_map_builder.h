/* Each frame becomes an entry, which waits in a ring until its cache line has been fetched.
 * Descriptions that are still needed stay in the section's contents for spgc_frame_map_finish. */
#ifndef SPGC_STACKWALK_FRAME_MAP_BUILDER_H
#define SPGC_STACKWALK_FRAME_MAP_BUILDER_H

#include "spgc/result.h"
#include "stackwalk/frame_map.h"

enum { MAP_WAITING = 16 };

struct waiting_entry {
  struct frame_entry entry;
  uint64_t position; /* the record's */
};

struct frame_map_builder {
  struct frame_map map;
  uint64_t expected;    /* the table has room for that many frames */
  uint64_t frame_count; /* including waiting entries */
  uint64_t entered;     /* the first waiting entry is waiting[entered % MAP_WAITING] */
  uint64_t equal;       /* entered frames that equal an earlier one */
  struct waiting_entry waiting[MAP_WAITING];
  uintptr_t highest; /* return address */
};

/* Makes room for `count` more frames. */
enum spgc_result spgc_frame_map_expect(struct frame_map_builder *builder, uint64_t count,
                                       struct spgc_error *error);

/* Ignores an equal record of a return address. SPGC_ERROR_MALFORMED for a different one, maybe only
 * from a later call. */
enum spgc_result spgc_frame_map_enter(struct frame_map_builder *builder,
                                      const struct frame_description *frame, bool *keep,
                                      struct spgc_error *error);

/* `contents` has every function, and only kept frames. On success the map owns them. */
enum spgc_result spgc_frame_map_finish(struct frame_map_builder *builder,
                                       struct stackmap_contents *contents, struct frame_map *map,
                                       struct spgc_error *error);

enum spgc_result spgc_frame_map_refuse(struct return_address address, uint64_t position,
                                       struct spgc_error *error);

/* Not after spgc_frame_map_finish. */
void spgc_frame_map_abandon(struct frame_map_builder *builder);

#endif
