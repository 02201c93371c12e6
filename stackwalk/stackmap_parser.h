/* Makes frame descriptions from a section. */
#ifndef SPGC_STACKWALK_STACKMAP_PARSER_H
#define SPGC_STACKWALK_STACKMAP_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "spgc/result.h"
#include "stackwalk/record_owner.h"
#include "stackwalk/stackmap_contents.h"

/* Gets each frame as it is read: most descriptions are not needed afterwards, and writing them all
 * takes longer than reading them. A result other than SPGC_OK ends parsing. */
struct frame_taker {
  void *context;
  bool checks_code; /* the code is in a file that stays loaded (code_check.h) */
  /* At most `count` frames follow until the next call. */
  enum spgc_result (*expect)(void *context, uint64_t count, struct spgc_error *error);
  /* *keep becomes false if the contents need not keep the frame, which may move later. */
  enum spgc_result (*take)(void *context, const struct frame_description *frame, bool *keep,
                           struct spgc_error *error);
};

/* Pointers to locations are valid once the contents are trimmed. The caller frees `contents`,
 * whatever the result. */
enum spgc_result spgc_stackmap_parse(const void *bytes, size_t size,
                                     const struct record_owner_source *owners,
                                     const struct frame_taker *taker,
                                     struct stackmap_contents *contents, struct spgc_error *error);

#endif
