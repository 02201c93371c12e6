#include "stackwalk/frame_entry.h"

#include "support/fatal.h"

static unsigned root_count(const struct frame_entry *entry) {
  return (unsigned)entry->register_roots + entry->slot_roots;
}

static bool append_register(struct frame_entry *entry, const struct location *base) {
  if (root_count(entry) == ENTRY_ROOTS)
    return false;
  entry->roots[entry->register_roots++] = (int32_t)register_origin(base->reg);
  return true;
}

/* Slots at RBX are left to the description: only frames of varying size have them. So are frames with slots at RSP and
 * at RBP. */
static bool append_slot(struct frame_entry *entry, const struct location *base) {
  if ((base->reg != DWARF_RSP && base->reg != DWARF_RBP) || base->offset % WORD_SIZE != 0 ||
      base->offset > INT32_MAX - ENTRY_ROOTS * WORD_SIZE || base->words > ENTRY_ROOTS - root_count(entry))
    return false;
  enum origin origin = base->reg == DWARF_RSP ? ORIGIN_STACK_POINTER : ORIGIN_FRAME_POINTER;
  if (entry->slot_roots != 0 && entry->slot_origin != origin)
    return false;
  entry->slot_origin = (uint8_t)origin;
  for (int32_t word = 0; word < base->words; word++) {
    entry->roots[root_count(entry)] = base->offset + word * WORD_SIZE;
    entry->slot_roots++;
  }
  return true;
}

/* Bases are sorted: registers first, then slots by register and offset. */
static bool append_base(struct frame_entry *entry, const struct location *base) {
  return base->in_register ? append_register(entry, base) : append_slot(entry, base);
}

void spgc_frame_entry_describe(struct frame_entry *entry, const struct frame_description *description) {
  spgc_require(description->flags <= UINT8_MAX, "statepoint flags that recognition does not know");
  *entry = (struct frame_entry){.return_address = entry->return_address,
                                .description = description,
                                .recipe = spgc_recipe_initial(description->stack_size).word,
                                .id = description->id,
                                .flags = (uint8_t)description->flags,
                                .slot_origin = ORIGIN_STACK_POINTER};
  bool fits = description->derived_count == 0;
  for (uint32_t i = 0; i < description->base_count && fits; i++)
    fits = append_base(entry, &description->bases[i]);
  entry->roots_complete = fits;
}
