/* Makes a frame map from the frames of a section while they are read.
 *
 * A frame becomes an entry. The entry waits in a ring of MAP_WAITING until the cache line it
 * belongs in has been fetched. Descriptions that entries do not replace stay in the section's
 * contents, where spgc_frame_map_finish finds them.
 */
#ifndef SPGC_STACKWALK_FRAME_MAP_BUILDER_H
#define SPGC_STACKWALK_FRAME_MAP_BUILDER_H

#include "spgc/result.h"
#include "stackwalk/frame_map.h"

enum { MAP_WAITING = 16 };

/* An entry that is not in the table yet. */
struct waiting_entry {
  struct frame_entry entry;
  uint64_t position; /* of its record */
};

/* Must be zeroed before the first call. */
struct frame_map_builder {
  struct frame_map map; /* its frame_count includes entries that wait */
  uint64_t expected;    /* frames that the table is large enough for */
  uint64_t entered; /* frame_count - entered entries wait, from waiting[entered % MAP_WAITING] on */
  uint64_t equal;   /* entered frames that have the place of an equal one */
  struct waiting_entry waiting[MAP_WAITING];
  uintptr_t highest; /* the highest return address; the lowest is map.lowest */
};

/* Makes the table large enough for `count` more frames. */
enum spgc_result spgc_frame_map_expect(struct frame_map_builder *builder, uint64_t count,
                                       struct spgc_error *error);

/* Enters one of the expected frames. *keep becomes false if its description is not needed any more.
 * A frame that is equal to an earlier one of the same return address is the same frame.
 * SPGC_ERROR_MALFORMED when the earlier one is different (found now, or when later frames are
 * entered, or in spgc_frame_map_finish). */
enum spgc_result spgc_frame_map_enter(struct frame_map_builder *builder,
                                      const struct frame_description *frame, bool *keep,
                                      struct spgc_error *error);

/* `contents` must have every function, and exactly the frames that are kept. On success the map
 * owns the contents, and `contents` is empty. */
enum spgc_result spgc_frame_map_finish(struct frame_map_builder *builder,
                                       struct stackmap_contents *contents, struct frame_map *map,
                                       struct spgc_error *error);

/* Fills in the error for a return address with two different records. */
enum spgc_result spgc_frame_map_refuse(struct return_address address, uint64_t position,
                                       struct spgc_error *error);

/* Frees everything that was made; frees nothing after spgc_frame_map_finish. */
void spgc_frame_map_abandon(struct frame_map_builder *builder);

#endif
