#include "observe/snapshot/graph_types.h"

#include <string.h>

#include "heap/object.h"

static bool is_type(const void *context, uint32_t item, const void *key) {
  const struct spgc_graph *graph = context;
  return SPGC_MAPPED_AT(&graph->types, struct spgc_graph_type, item)->type == key;
}

static uint32_t add_string(struct spgc_graph *graph, const char *text) {
  return spgc_string_pool_add(&graph->strings, text, strlen(text));
}

static void add_field_names(struct spgc_graph *graph, struct spgc_graph_type *entry) {
  const char *const *names = spgc_type_field_names(entry->type);
  entry->first_field = SPGC_MAPPED_COUNT(&graph->field_names, uint32_t);
  entry->name_count = names != NULL ? spgc_type_field_count(entry->type) : 0;
  uint32_t *numbers =
      spgc_mapped_array_add(&graph->field_names, (size_t)entry->name_count * sizeof *numbers);
  if (numbers == NULL) {
    graph->is_incomplete = true;
    entry->name_count = 0;
  }
  for (uint32_t i = 0; i < entry->name_count; i++)
    numbers[i] = names[i] != NULL ? add_string(graph, names[i]) : 0;
}

static struct spgc_graph_type add_type(struct spgc_graph *graph, const struct spgc_type *type,
                                       uint32_t hash) {
  struct spgc_graph_type entry = {
      .type = type, .name = add_string(graph, type->name != NULL ? type->name : "unnamed type")};
  add_field_names(graph, &entry);
  uint32_t number = (uint32_t)SPGC_MAPPED_COUNT(&graph->types, struct spgc_graph_type);
  struct spgc_graph_type *added = spgc_mapped_array_add(&graph->types, sizeof *added);
  if (added == NULL ||
      !spgc_hash_index_enter(&graph->type_index, &spgc_mapped_memory, hash, number))
    graph->is_incomplete = true;
  else
    *added = entry;
  return entry;
}

struct spgc_graph_type spgc_graph_type(struct spgc_graph *graph, const struct spgc_type *type) {
  uint32_t hash = spgc_hash_word((uintptr_t)type);
  uint32_t found = spgc_hash_index_find(&graph->type_index, hash, is_type, graph, type);
  return found != SPGC_HASH_MISSING ? *SPGC_MAPPED_AT(&graph->types, struct spgc_graph_type, found)
                                    : add_type(graph, type, hash);
}

static uint32_t make_offset_name(struct spgc_graph *graph, uint64_t offset) {
  enum { DIGITS = 20 };
  char text[1 + DIGITS];
  size_t start = sizeof text;
  do
    text[--start] = (char)('0' + offset % 10);
  while ((offset /= 10) != 0);
  text[--start] = '+';
  return spgc_string_pool_add(&graph->strings, text + start, sizeof text - start);
}

uint32_t spgc_graph_offset_name(struct spgc_graph *graph, uint64_t offset) {
  uint64_t word = offset / SPGC_WORD_BYTES;
  if (word >= SPGC_CACHED_OFFSETS)
    return make_offset_name(graph, offset);
  if (graph->offset_names[word] == 0)
    graph->offset_names[word] = make_offset_name(graph, offset);
  return graph->offset_names[word];
}

uint32_t spgc_graph_field_name(struct spgc_graph *graph, const struct spgc_graph_type *type,
                               uint32_t slot, uint64_t offset) {
  uint32_t name = slot < type->name_count
                      ? *SPGC_MAPPED_AT(&graph->field_names, uint32_t, type->first_field + slot)
                      : 0;
  return name != 0 ? name : spgc_graph_offset_name(graph, offset);
}
