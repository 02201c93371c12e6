#include "observe/snapshot/root_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_call(const void *context, uint32_t item, const void *key) {
  const struct spgc_root_list *list = context;
  const uintptr_t *return_address = key;
  return SPGC_MAPPED_AT(&list->calls, struct spgc_listed_call, item)->return_address ==
         *return_address;
}

static void describe(const struct spgc_code_source *source, char *text, size_t size) {
  if (source->file[0] == '\0')
    snprintf(text, size, "%s", source->function);
  else
    snprintf(text, size, "%s at %s:%" PRIu32, source->function, source->file, source->line);
}

/* The code may be unloaded when the world resumes. The byte before the return address belongs to
 * the call. */
static uint32_t add_call(struct spgc_root_list *list, const struct spgc_frame *frame,
                         uint32_t hash) {
  struct spgc_code_source source;
  uint32_t number = (uint32_t)SPGC_MAPPED_COUNT(&list->calls, struct spgc_listed_call);
  struct spgc_listed_call *call = spgc_mapped_array_add(&list->calls, sizeof *call);
  if (call == NULL || !spgc_hash_index_enter(&list->call_index, &spgc_mapped_memory, hash, number))
    return SPGC_HASH_MISSING;
  call->return_address = frame->return_address;
  spgc_code_find(frame->return_address - 1, &call->place);
  if (spgc_code_find_source(frame->return_address - 1, frame->statepoint_id, &source))
    describe(&source, call->text, sizeof call->text);
  return number;
}

static uint32_t call_number(struct spgc_root_list *list, const struct spgc_frame *frame) {
  uint32_t hash = spgc_hash_word(frame->return_address);
  uint32_t found =
      spgc_hash_index_find(&list->call_index, hash, is_call, list, &frame->return_address);
  return found != SPGC_HASH_MISSING ? found : add_call(list, frame, hash);
}

static bool is_place(const void *context, uint32_t item, const void *key) {
  const struct spgc_root_list *list = context;
  const struct spgc_root_place *a = SPGC_MAPPED_AT(&list->places, struct spgc_root_place, item);
  const struct spgc_root_place *b = key;
  return a->call == b->call && a->reg == b->reg && a->offset == b->offset;
}

static uint32_t add_place(struct spgc_root_list *list, const struct spgc_root_place *place,
                          uint32_t hash) {
  uint32_t number = (uint32_t)spgc_root_list_places(list);
  struct spgc_root_place *added = spgc_mapped_array_add(&list->places, sizeof *added);
  if (added == NULL ||
      !spgc_hash_index_enter(&list->place_index, &spgc_mapped_memory, hash, number))
    return SPGC_HASH_MISSING;
  *added = *place;
  return number;
}

static uint32_t place_number(struct spgc_root_list *list, const struct spgc_root_place *place) {
  uint64_t where = (uint64_t)place->offset << 16 ^ place->reg;
  uint32_t hash = spgc_hash_word(spgc_hash_word(place->call) ^ where);
  uint32_t found = spgc_hash_index_find(&list->place_index, hash, is_place, list, place);
  return found != SPGC_HASH_MISSING ? found : add_place(list, place, hash);
}

/* Searches the last file first, because the variables of a file are registered together. */
static uint32_t file_number(struct spgc_root_list *list, uintptr_t bias,
                            const struct spgc_code_place *place) {
  uint32_t count = (uint32_t)SPGC_MAPPED_COUNT(&list->files, struct spgc_listed_file);
  for (uint32_t i = count; i-- != 0;) {
    const struct spgc_listed_file *file = SPGC_MAPPED_AT(&list->files, struct spgc_listed_file, i);
    if (file->bias == bias && strcmp(file->place.file, place->file) == 0)
      return i;
  }
  struct spgc_listed_file *added = spgc_mapped_array_add(&list->files, sizeof *added);
  if (added == NULL)
    return SPGC_HASH_MISSING;
  *added = (struct spgc_listed_file){bias, *place};
  return count;
}

/* Added names and the file are found now, because they may be gone when the world resumes; the
 * file's symbols later. */
static uint32_t add_variable(struct spgc_root_list *list, uintptr_t address, uint32_t number) {
  struct spgc_code_place place;
  uint32_t index = (uint32_t)spgc_root_list_variables(list);
  struct spgc_listed_variable *added = spgc_mapped_array_add(&list->variables, sizeof *added);
  if (added == NULL)
    return SPGC_HASH_MISSING;
  *added = (struct spgc_listed_variable){.number = number, .file = SPGC_HASH_MISSING};
  bool is_named = spgc_variable_find(address, added->text, sizeof added->text);
  if (!is_named && spgc_code_find_file(address, &place) != NULL) {
    added->file = file_number(list, address - place.address, &place);
    added->address = place.address;
  }
  return index;
}

static struct spgc_listed_group *last_group(const struct spgc_root_list *list) {
  return SPGC_MAPPED_AT(&list->groups, struct spgc_listed_group, spgc_root_list_groups(list) - 1);
}

/* A thread's running stack precedes its fibers. */
static void begin_group(void *context, enum spgc_root_group group,
                        const struct spgc_mutator *mutator, const struct spgc_fiber *fiber) {
  struct spgc_root_list *list = context;
  if (mutator != NULL && group == SPGC_ROOTS_IN_FRAMES)
    list->fibers = fiber == NULL ? 0 : list->fibers + 1;
  struct spgc_listed_group *added = spgc_mapped_array_add(&list->groups, sizeof *added);
  if (added == NULL) {
    list->is_incomplete = true;
    return;
  }
  *added = (struct spgc_listed_group){.group = group,
                                      .thread = mutator != NULL ? mutator->number : 0,
                                      .fiber = fiber != NULL ? list->fibers : 0,
                                      .first_root =
                                          SPGC_MAPPED_COUNT(&list->roots, struct spgc_listed_root)};
  list->next_number = 0;
}

static void add_root(struct spgc_root_list *list, struct spgc_ref object, uint32_t name) {
  struct spgc_listed_root *added =
      name != SPGC_HASH_MISSING ? spgc_mapped_array_add(&list->roots, sizeof *added) : NULL;
  if (added == NULL) {
    list->is_incomplete = true;
    return;
  }
  *added = (struct spgc_listed_root){object, name};
  last_group(list)->root_count++;
}

static bool holds_object(const struct spgc_root_list *list, struct spgc_slot slot) {
  return !list->is_incomplete && spgc_heap_contains(list->heap, spgc_slot_load(slot).word);
}

static void list_other(void *context, struct spgc_slot slot, const char *what) {
  struct spgc_root_list *list = context;
  uint32_t number = list->next_number++;
  if (!holds_object(list, slot))
    return;
  if (last_group(list)->group == SPGC_ROOTS_IN_VARIABLES)
    number = add_variable(list, (uintptr_t)slot.location, number);
  add_root(list, spgc_slot_load(slot), number);
}

/* A reference derived from a base keeps no other object alive. */
static void list_stack_root(void *context, const struct spgc_frame *frame,
                            const struct spgc_root *root) {
  struct spgc_root_list *list = context;
  if (root->derived.location != root->base.location || !holds_object(list, root->base))
    return;
  struct spgc_root_place place = {.call = call_number(list, frame), .reg = SPGC_PLACE_IN_SLOT};
  if (root->base_in_register)
    place.reg = root->base_register;
  else
    place.offset = (int64_t)((uintptr_t)root->base.location - frame->stack_pointer);
  add_root(list, spgc_slot_load(root->base),
           place.call != SPGC_HASH_MISSING ? place_number(list, &place) : SPGC_HASH_MISSING);
}

bool spgc_root_list_fill(struct spgc_root_list *list, struct spgc_stopped_world world,
                         const struct spgc_heap *heap) {
  *list = (struct spgc_root_list){.heap = heap};
  const struct spgc_root_reader reader = {
      .group = begin_group,
      .frames = {.context = list, .root = list_stack_root},
      .others = list_other,
  };
  spgc_roots_read(world, &reader);
  return !list->is_incomplete;
}

void spgc_root_list_free(struct spgc_root_list *list) {
  spgc_mapped_array_free(&list->groups);
  spgc_mapped_array_free(&list->roots);
  spgc_mapped_array_free(&list->places);
  spgc_mapped_array_free(&list->calls);
  spgc_mapped_array_free(&list->variables);
  spgc_mapped_array_free(&list->files);
  spgc_hash_index_free(&list->place_index, &spgc_mapped_memory);
  spgc_hash_index_free(&list->call_index, &spgc_mapped_memory);
}
