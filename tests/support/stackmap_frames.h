#ifndef SPGC_TESTS_STACKMAP_FRAMES_H
#define SPGC_TESTS_STACKMAP_FRAMES_H

#include "stackwalk/stackmap_parser.h"

static inline enum spgc_result stackmap_frames_expect(void *context, uint64_t count,
                                                      struct spgc_error *error) {
  return SPGC_OK;
}

static inline enum spgc_result stackmap_frames_take(void *context,
                                                    const struct frame_description *frame,
                                                    bool *keep, struct spgc_error *error) {
  return SPGC_OK;
}

/* The caller frees `contents`, whatever the result. */
static inline enum spgc_result stackmap_frames_read(const void *bytes, size_t size,
                                                    const struct record_owner_source *owners,
                                                    struct stackmap_contents *contents,
                                                    struct spgc_error *error) {
  const struct frame_taker taker = {.expect = stackmap_frames_expect, .take = stackmap_frames_take};
  enum spgc_result result = spgc_stackmap_parse(bytes, size, owners, &taker, contents, error);
  if (result == SPGC_OK)
    spgc_stackmap_contents_trim(contents);
  return result;
}

#endif
