#include "tests/support/toy_heap.h"
#include "tests/support/preserved_registers.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "support/fatal.h"

struct object {
  uint64_t words[TOY_WORDS];
};

static struct object sides[TOY_COLLECTIONS + 1][TOY_OBJECTS];
static bool is_reference[TOY_OBJECTS][TOY_WORDS]; /* which words toy_set_reference wrote */
static unsigned side;                             /* where the objects are */
static unsigned object_count;
static void *walk_base;

_Static_assert((TOY_OBJECTS & (TOY_OBJECTS - 1)) == 0,
               "an odd factor permutes the places of a side");

struct toy_statistics toy_statistics;
void (*toy_on_collect)(void);
uint64_t (*toy_on_call)(struct spgc_ref object, uint64_t argument);

void toy_heap_reset(void *base) {
  memset(&toy_statistics, 0, sizeof toy_statistics);
  memset(is_reference, 0, sizeof is_reference);
  side = 0;
  object_count = 0;
  walk_base = base;
}

/* The sides have different orders, so objects move by different distances. */
static unsigned place_on(unsigned which, unsigned index) {
  return index * (2 * which + 1) % TOY_OBJECTS;
}

static struct object *object_on(unsigned which, unsigned index) {
  return &sides[which][place_on(which, index)];
}

static unsigned index_of_word(uintptr_t word) {
  uintptr_t place = (word - (uintptr_t)sides[side]) / sizeof(struct object);
  for (unsigned i = 0; i < object_count; i++)
    if (place_on(side, i) == place)
      return i;
  return TOY_OBJECTS;
}

struct spgc_ref toy_new(uint64_t value) {
  spgc_require(object_count < TOY_OBJECTS, "the toy heap holds %d objects", TOY_OBJECTS);
  struct object *object = object_on(side, object_count++);
  for (unsigned i = 0; i < TOY_WORDS; i++)
    object->words[i] = value;
  return spgc_ref_from_word((uintptr_t)object);
}

static unsigned index_of(struct spgc_ref reference) {
  unsigned index = index_of_word(reference.word);
  spgc_require(index < TOY_OBJECTS, "0x%" PRIxPTR " is no object", reference.word);
  return index;
}

void toy_set_word(struct spgc_ref object, unsigned index, uint64_t word) {
  object_on(side, index_of(object))->words[index] = word;
}

void toy_set_reference(struct spgc_ref object, unsigned index, struct spgc_ref target) {
  toy_set_word(object, index, target.word);
  is_reference[index_of(object)][index] = true;
}

bool toy_is_object(uintptr_t word) {
  unsigned index = index_of_word(word);
  return index < TOY_OBJECTS && word == (uintptr_t)object_on(side, index);
}

static uintptr_t next_side(uintptr_t word) {
  return (uintptr_t)object_on(side + 1, index_of_word(word));
}

struct shown_bases {
  uint64_t count, sum;
};

struct moving {
  bool first;
  struct shown_bases shown;
};

static bool see_frame(void *context, const struct spgc_frame *frame) {
  struct moving *moving = context;
  if (moving->first)
    toy_statistics.last_id = frame->statepoint_id;
  moving->first = false;
  return true;
}

static void see_root(void *context, const struct spgc_frame *frame, const struct spgc_root *root) {
  (void)context;
  (void)frame;
  toy_statistics.pairs++;
  toy_statistics.derived_pairs += root->base.location != root->derived.location;
}

static void move_root(struct spgc_slot base) {
  uintptr_t word = spgc_slot_load(base).word;
  if (!toy_is_object(word)) {
    spgc_require(index_of_word(word) == TOY_OBJECTS, "base 0x%" PRIxPTR " is inside an object",
                 word);
    toy_statistics.nulls++;
    return;
  }
  base.location->word = next_side(word);
  toy_statistics.moved_roots++;
}

static void note_bases(void *context, const struct spgc_slot *bases, size_t count) {
  struct shown_bases *shown = context;
  shown->count += count;
  for (size_t i = 0; i < count; i++) {
    uint64_t mixed = (uintptr_t)bases[i].location * UINT64_C(0x9E3779B97F4A7C15);
    shown->sum += mixed ^ mixed >> 29;
  }
}

static void move_roots(void *context, const struct spgc_slot *bases, size_t count) {
  struct moving *moving = context;
  note_bases(&moving->shown, bases, count);
  for (size_t i = 0; i < count; i++)
    move_root(bases[i]);
}

static void move_objects(void) {
  spgc_require(side < TOY_COLLECTIONS, "the toy heap can collect %d times", TOY_COLLECTIONS);
  for (unsigned i = 0; i < object_count; i++) {
    for (unsigned k = 0; k < TOY_WORDS; k++) {
      uint64_t *word = &object_on(side, i)->words[k];
      object_on(side + 1, i)->words[k] = is_reference[i][k] ? next_side(*word) : *word;
      *word = TOY_POISON;
    }
  }
  side++;
}

static void add_counts(const struct spgc_walk_counts *counts) {
  struct spgc_walk_counts *sum = &toy_statistics.walks;
  sum->frames += counts->frames;
  sum->managed_frames += counts->managed_frames;
  sum->roots_in_slots += counts->roots_in_slots;
  sum->roots_in_registers += counts->roots_in_registers;
  sum->registers_rewritten += counts->registers_rewritten;
}

static void collect_now(void) {
  struct moving moving = {.first = true};
  struct shown_bases together = {0};
  struct spgc_stack_visitor several_frames = {.context = &together, .bases = note_bases};
  struct spgc_stack_visitor one_frame = {
      .context = &moving, .frame = see_frame, .root = see_root, .bases = move_roots};
  struct spgc_walk_counts counts, counts_together;
  spgc_walk_stack(walk_base, &several_frames, &counts_together);
  spgc_walk_stack(walk_base, &one_frame, &counts);
  spgc_require(moving.shown.count == together.count && moving.shown.sum == together.sum,
               "bases of several frames together are not those of one frame after the other");
  spgc_require(counts.frames == counts_together.frames &&
                   counts.roots_in_slots == counts_together.roots_in_slots &&
                   counts.roots_in_registers == counts_together.roots_in_registers,
               "walks count differently when bases of several frames are shown together");
  move_objects();
  add_counts(&counts);
  toy_statistics.collections++;
}

void collect(void) {
  if (toy_on_collect != NULL)
    toy_on_collect();
  else
    collect_now();
}

uint64_t call_managed(uint64_t (*function)(struct spgc_ref, uint64_t), struct spgc_ref object,
                      uint64_t argument) {
  uint64_t result =
      toy_on_call != NULL ? toy_on_call(object, argument) : function(object, argument);
  /* Also prevents tail calls above, which would leave no frame. */
  __asm__ volatile("" : "+r"(result)::PRESERVED_REGISTERS_LISTED);
  return result;
}
