/* Registration: a parsed section, owned by the caller's handle and entered into the process-wide table. */
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <pthread.h>
#include <stdlib.h>

#include "spgc/stackmap.h"
#include "stackwalk/frame_table.h"
#include "stackwalk/stackmap_parser.h"
#include "support/fatal.h"

/* Frames that libunwind remembers how to step out of. Its default of 128 is soon exceeded by real programs, and every
 * miss parses unwind information anew. */
enum { UNWIND_CACHE_FRAMES = 8192 };

/* Constant from registration to unregistration. */
struct spgc_stackmap {
  struct stackmap_contents contents;
};

static void enlarge_unwind_cache(void) {
  unw_set_cache_size(unw_local_addr_space, UNWIND_CACHE_FRAMES, 0);
}

static enum spgc_result register_section(const void *section, size_t size, const struct record_owner_source *source,
                                         struct spgc_stackmap **stackmap, struct spgc_error *error) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, enlarge_unwind_cache);
  struct spgc_stackmap *map = malloc(sizeof *map);
  if (map == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "no memory for a stack map");
  enum spgc_result result = spgc_stackmap_parse(section, size, source, &map->contents, error);
  if (result != SPGC_OK)
    goto fail_parse;
  result = spgc_frame_table_add(map->contents.frames.data, map->contents.frames.count, map->contents.functions.data,
                                map->contents.functions.count, error);
  if (result != SPGC_OK)
    goto fail_add;
  *stackmap = map;
  return SPGC_OK;

fail_add:
fail_parse:
  spgc_stackmap_contents_free(&map->contents);
  free(map);
  return result;
}

enum spgc_result spgc_stackmap_register(const void *section, size_t size, struct spgc_stackmap **stackmap,
                                        struct spgc_error *error) {
  return spgc_stackmap_register_v1(section, size, NULL, NULL, stackmap, error);
}

enum spgc_result spgc_stackmap_register_v1(const void *section, size_t size, spgc_stackmap_function_of *function_of,
                                           void *context, struct spgc_stackmap **stackmap, struct spgc_error *error) {
  const struct record_owner_source source = {function_of, context};
  return register_section(section, size, &source, stackmap, error);
}

void spgc_stackmap_unregister(struct spgc_stackmap *stackmap) {
  if (stackmap == NULL)
    return;
  struct stackmap_contents *contents = &stackmap->contents;
  spgc_frame_table_remove(contents->frames.data, contents->frames.count, contents->functions.data,
                          contents->functions.count);
  /* The code may be unloaded now, and its addresses given to other code. */
  unw_flush_cache(unw_local_addr_space, 0, 0);
  spgc_stackmap_contents_free(contents);
  free(stackmap);
}

size_t spgc_stackmap_record_count(const struct spgc_stackmap *stackmap) {
  return stackmap->contents.frames.count;
}
