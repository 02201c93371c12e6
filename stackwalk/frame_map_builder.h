/* Makes a frame map of the frames of a section as they are read.
 *
 * Data's path: a frame becomes an entry, which waits in a ring of MAP_WAITING until the cache line
 * it belongs in is there; the descriptions that entries do not replace stay in the contents of the
 * section, where finishing finds them.
 */
#ifndef SPGC_STACKWALK_FRAME_MAP_BUILDER_H
#define SPGC_STACKWALK_FRAME_MAP_BUILDER_H

#include "spgc/result.h"
#include "stackwalk/frame_map.h"

enum { MAP_WAITING = 16 };

/* An entry on its way into the table. */
struct waiting_entry {
  struct frame_entry entry;
  uint64_t position; /* of its record */
};

/* Zeroed before the first call. */
struct frame_map_builder {
  struct frame_map map; /* frame_count: entered or waiting */
  uint64_t expected;    /* frames that the table is large enough for */
  uint64_t entered;     /* frame_count - entered of them wait, at [entered % MAP_WAITING], … */
  struct waiting_entry waiting[MAP_WAITING];
  uintptr_t highest; /* of the return addresses; the lowest is map.lowest */
};

/* Makes room for so many frames more, if there is not. */
enum spgc_result spgc_frame_map_expect(struct frame_map_builder *builder, uint64_t count,
                                       struct spgc_error *error);

/* One of the frames that were expected. *keep becomes false if its description need not be kept.
 * SPGC_ERROR_MALFORMED when another has its return address (now or when the next ones are entered).
 */
enum spgc_result spgc_frame_map_enter(struct frame_map_builder *builder,
                                      const struct frame_description *frame, bool *keep,
                                      struct spgc_error *error);

/* `contents` has every function, and exactly the frames that are to be kept; it is the map's
 * afterwards, if all went well, and empty. */
enum spgc_result spgc_frame_map_finish(struct frame_map_builder *builder,
                                       struct stackmap_contents *contents, struct frame_map *map,
                                       struct spgc_error *error);

/* The error of a return address with two records. */
enum spgc_result spgc_frame_map_refuse(struct return_address address, uint64_t position,
                                       struct spgc_error *error);

/* Frees what was made; nothing after spgc_frame_map_finish. */
void spgc_frame_map_abandon(struct frame_map_builder *builder);

#endif
