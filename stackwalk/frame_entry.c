#include "stackwalk/frame_entry.h"

#include "support/fatal.h"

/* False for a frame that needs a description: with slots at both registers or at others, with slots
 * far apart, or with variables. Bases are sorted: registers first, then slots by register and
 * offset. */
static inline bool append_slot(struct frame_entry *entry, const struct location *base) {
  if ((base->reg != DWARF_STACK_POINTER && base->reg != DWARF_FRAME_POINTER) ||
      base->offset % WORD_SIZE != 0)
    return false;
  enum origin origin =
      base->reg == DWARF_STACK_POINTER ? ORIGIN_STACK_POINTER : ORIGIN_FRAME_POINTER;
  int32_t word = base->offset / WORD_SIZE;
  if (entry->slots == 0) {
    if (word < INT16_MIN || word > INT16_MAX)
      return false;
    entry->slot_origin = origin & ENTRY_ORIGIN_MASK;
    entry->slots = (uint16_t)word;
  }
  int64_t first = (int64_t)word - (int16_t)entry->slots;
  if (entry->slot_origin != origin || first + base->words > ENTRY_SLOT_WORDS)
    return false;
  uint64_t run = (UINT64_C(1) << base->words) - 1;
  entry->slot_count = (uint8_t)((entry->slot_count + base->words) & (0x3f));
  entry->slots |= run << (ENTRY_FIRST_SLOT_BITS + first);
  return true;
}

static bool append_base(struct frame_entry *entry, const struct location *base) {
  if (base->is_variable)
    return false;
  if (!base->in_register)
    return append_slot(entry, base);
  const unsigned all = (1u << CALLEE_SAVED_REGISTERS) - 1;
  entry->registers = (entry->registers | 1u << register_origin(base->reg)) & all;
  return true;
}

void spgc_frame_entry_make(const struct frame_description *description, struct frame_entry *entry) {
  spgc_require(description->flags <= 3, "statepoint flags that recognition does not know");
  entry->return_address = description->return_address;
  entry->id = description->id;
  atomic_init(&entry->unwind_plan, spgc_unwind_plan_initial(description->stack_size).word);
  atomic_init(&entry->landing, LANDING_UNKNOWN);
  entry->flags = description->flags & 3;
  entry->registers = 0;
  entry->slot_count = 0;
  entry->slot_origin = ORIGIN_STACK_POINTER;
  entry->slots = 0;
  bool fits = description->derived_count == 0 && description->deopt_count == 0;
  for (uint32_t i = 0; i < description->base_count && fits; i++)
    fits = append_base(entry, &description->bases[i]);
  if (!fits) {
    entry->slot_origin = ORIGIN_COUNT;
    entry->registers = 0;
    entry->slot_count = 0;
    entry->description = description;
  }
}

bool spgc_frame_entry_equal(const struct frame_entry *a, const struct frame_entry *b) {
  if (frame_entry_is_described(a) && frame_entry_is_described(b))
    return spgc_frame_description_equal(a->description, b->description);
  return a->id == b->id && a->flags == b->flags && a->registers == b->registers &&
         a->slot_origin == b->slot_origin && a->slots == b->slots;
}

static struct location slot_location(const struct frame_entry *entry, unsigned word) {
  return (struct location){
      .offset = (int32_t)(frame_entry_first_slot(entry) + (intptr_t)word * WORD_SIZE),
      .words = 1,
      .reg =
          entry->slot_origin == ORIGIN_STACK_POINTER ? DWARF_STACK_POINTER : DWARF_FRAME_POINTER};
}

const struct frame_description *spgc_frame_entry_description(const struct frame_entry *entry,
                                                             struct entry_description *room) {
  if (frame_entry_is_described(entry))
    return entry->description;
  uint32_t count = 0;
  for (unsigned left = entry->registers; left != 0; left &= left - 1)
    room->bases[count++] =
        (struct location){.words = 1,
                          .reg = (uint8_t)origin_register((enum origin)__builtin_ctz(left)),
                          .in_register = true};
  for (uint64_t left = frame_entry_slot_words(entry); left != 0; left &= left - 1)
    room->bases[count++] = slot_location(entry, (unsigned)__builtin_ctzll(left));
  room->description = (struct frame_description){.return_address = entry->return_address,
                                                 .id = entry->id,
                                                 .flags = entry->flags,
                                                 .base_count = count,
                                                 .bases = room->bases};
  return &room->description;
}
