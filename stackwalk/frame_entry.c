#include "stackwalk/frame_entry.h"

#include "support/fatal.h"

/* Slots at RBX are left to the description: only frames of varying size have them. */
static bool root_at(const struct location *location, int32_t *root) {
  if (location->offset % WORD_SIZE != 0)
    return false;
  if (location->in_register) {
    *root = (int32_t)register_origin(location->reg);
    return true;
  }
  enum origin origin = location->reg == DWARF_RSP ? ORIGIN_STACK_POINTER : ORIGIN_FRAME_POINTER;
  *root = location->offset | (int32_t)origin;
  return location->reg == DWARF_RSP || location->reg == DWARF_RBP;
}

static bool append_words(struct frame_entry *entry, const struct location *base) {
  int32_t root;
  if (base->words > ENTRY_ROOTS - entry->root_count || !root_at(base, &root) ||
      base->offset > INT32_MAX - (ENTRY_ROOTS - 1) * WORD_SIZE)
    return false;
  for (int32_t word = 0; word < base->words; word++)
    entry->roots[entry->root_count++] = root + word * WORD_SIZE;
  entry->register_roots = (uint8_t)(entry->register_roots + base->in_register);
  entry->frame_pointer_used |= (root & ROOT_ORIGIN_MASK) == ORIGIN_FRAME_POINTER;
  return true;
}

void spgc_frame_entry_describe(struct frame_entry *entry, const struct frame_description *description) {
  spgc_require(description->flags <= UINT8_MAX, "statepoint flags that recognition does not know");
  *entry = (struct frame_entry){.return_address = entry->return_address,
                                .description = description,
                                .recipe = spgc_recipe_initial(description->stack_size).word,
                                .id = description->id,
                                .flags = (uint8_t)description->flags};
  bool fits = description->derived_count == 0;
  for (uint32_t i = 0; i < description->base_count && fits; i++)
    fits = append_words(entry, &description->bases[i]);
  entry->roots_complete = fits;
}
