#include "stackwalk/loaded_code.h"

#include <dlfcn.h>
#include <string.h>

/* .eh_frame_hdr (Linux Standard Base) as linkers write it: four bytes for each number, the address
 * of .eh_frame relative to its own place, entries relative to the header. */
struct table_header {
  uint8_t version, frames_encoding, count_encoding, entries_encoding;
  int32_t frames;
  uint32_t count;
};
enum {
  VERSION = 1,
  POINTER_UDATA4 = 0x03,
  POINTER_PC_RELATIVE_SDATA4 = 0x1b,
  POINTER_DATA_RELATIVE_SDATA4 = 0x3b
};

bool spgc_loaded_object_find(uintptr_t address, struct loaded_object *object) {
  struct dl_find_object found;
  if (_dl_find_object((void *)address, &found) != 0)
    return false;
  *object = (struct loaded_object){(uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end};
  return true;
}

bool spgc_loaded_code_find(struct return_address address, struct unwind_table *table) {
  struct dl_find_object found;
  if (_dl_find_object((void *)(address.word - 1), &found) != 0 || found.dlfo_eh_frame == NULL)
    return false;
  const struct table_header *header = found.dlfo_eh_frame;
  if (header->version != VERSION || header->frames_encoding != POINTER_PC_RELATIVE_SDATA4 ||
      header->count_encoding != POINTER_UDATA4 ||
      header->entries_encoding != POINTER_DATA_RELATIVE_SDATA4)
    return false;
  *table = (struct unwind_table){.base = (uintptr_t)header,
                                 .code = (uintptr_t)found.dlfo_map_start,
                                 .code_end = (uintptr_t)found.dlfo_map_end,
                                 .entries = (const struct unwind_entry *)(uintptr_t)(header + 1),
                                 .count = header->count};
  return true;
}
