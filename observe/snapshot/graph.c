#include "observe/snapshot/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gc/inspect.h"
#include "heap/object.h"
#include "observe/snapshot/graph_types.h"
#include "observe/snapshot/node_id.h"
#include "observe/snapshot/reach_all.h"

/* After the groups of the root list. */
enum side_group { PINS, FINALIZERS, WEAK_MAPS, SIDE_GROUPS };

static uint32_t string(struct spgc_graph *graph, const char *text) {
  return spgc_string_pool_add(&graph->strings, text, strlen(text));
}

struct reading {
  struct spgc_graph *graph;
  spgc_edge_visitor visit;
  void *context;
};

static void tell(const struct reading *reading, enum spgc_edge_type type, uint64_t name,
                 struct spgc_ref object) {
  if (spgc_reachable_has(&reading->graph->reachable, object))
    reading->visit(reading->context,
                   &(struct spgc_edge){.type = type, .name = name, .object = object});
}

static void tell_named(const struct reading *reading, enum spgc_edge_type type, const char *name,
                       struct spgc_ref object) {
  if (spgc_reachable_has(&reading->graph->reachable, object))
    tell(reading, type, string(reading->graph, name), object);
}

void spgc_graph_root_edges(struct spgc_graph *graph, spgc_edge_visitor visit, void *context) {
  for (uint64_t i = 1; i <= graph->group_count; i++)
    visit(context, &(struct spgc_edge){.type = SPGC_EDGE_ELEMENT, .name = i, .to = i});
}

static void tell_listed(const struct reading *reading, const struct spgc_listed_group *group) {
  bool is_variables = group->group == SPGC_ROOTS_IN_VARIABLES;
  bool has_places = group->group == SPGC_ROOTS_IN_FRAMES || is_variables;
  uint64_t first = is_variables ? spgc_root_list_places(reading->graph->list) : 0;
  for (size_t i = 0; i < group->root_count; i++) {
    const struct spgc_listed_root *root =
        spgc_root_list_root(reading->graph->list, group->first_root + i);
    reading->visit(reading->context,
                   &(struct spgc_edge){.type = has_places ? SPGC_EDGE_PROPERTY : SPGC_EDGE_ELEMENT,
                                       .name = first + root->name,
                                       .is_place = has_places,
                                       .object = root->object});
  }
}

static void tell_pinned(void *reading, struct spgc_slot slot, const char *what) {
  tell_named(reading, SPGC_EDGE_PROPERTY, what, *slot.location);
}

static void tell_finalizer(void *reading, struct spgc_finalizer finalizer, bool is_queued) {
  if (is_queued)
    tell_named(reading, SPGC_EDGE_PROPERTY, "queued object", finalizer.object);
  else
    tell_named(reading, SPGC_EDGE_WEAK, "object with a finalizer", finalizer.object);
  tell_named(reading, SPGC_EDGE_PROPERTY, "held by a finalizer", finalizer.held);
}

static void tell_finalizers(struct reading *reading) {
  const struct spgc_mapped_array *only = &reading->graph->only_finalized;
  spgc_finalizers_read(tell_finalizer, reading);
  for (size_t i = 0; i < SPGC_MAPPED_COUNT(only, struct spgc_ref); i++)
    tell_named(reading, SPGC_EDGE_PROPERTY, "object that will be queued",
               *SPGC_MAPPED_AT(only, struct spgc_ref, i));
}

static void tell_weak_maps(const struct reading *reading) {
  const struct spgc_weak_maps *maps = &spgc_weak_maps;
  for (uint32_t i = 0; i < maps->owners.count; i++) {
    const struct spgc_side_entry *owner = spgc_side_table_at(&maps->owners, i);
    tell_named(reading, SPGC_EDGE_WEAK, "owner of a weak map", owner->object);
  }
  for (uint32_t i = 0; i < maps->ephemerons.count; i++) {
    const struct spgc_ephemeron *ephemeron = spgc_side_table_at(&maps->ephemerons, i);
    if (maps->records[ephemeron->head.entry.place].state == SPGC_WEAK_MAP_IN_USE)
      tell_named(reading, SPGC_EDGE_WEAK, "key of a weak map", ephemeron->head.entry.object);
  }
}

void spgc_graph_group_edges(struct spgc_graph *graph, uint64_t group, spgc_edge_visitor visit,
                            void *context) {
  struct reading reading = {graph, visit, context};
  size_t listed = spgc_root_list_groups(graph->list);
  if (group < listed)
    tell_listed(&reading, spgc_root_list_group(graph->list, group));
  else if (group - listed == PINS)
    spgc_pins_visit(tell_pinned, &reading);
  else if (group - listed == FINALIZERS)
    tell_finalizers(&reading);
  else
    tell_weak_maps(&reading);
}

/* In the order of spgc_object_visit. */
struct slots {
  struct reading reading;
  struct spgc_graph_type type;
  struct spgc_ref object;
  uint32_t field;
  uint64_t element;
};

static void tell_slot(void *context, struct spgc_slot slot) {
  struct slots *slots = context;
  struct spgc_ref object = *slot.location;
  uint64_t offset = (uintptr_t)slot.location - slots->object.word;
  bool is_in_tail = offset >= slots->type.type->size;
  uint64_t number = is_in_tail ? slots->element++ : slots->field++;
  if (!spgc_reachable_has(&slots->reading.graph->reachable, object))
    return;
  if (spgc_type_is_weak(slots->type.type))
    tell(&slots->reading, SPGC_EDGE_WEAK, spgc_graph_offset_name(slots->reading.graph, offset),
         object);
  else if (is_in_tail)
    tell(&slots->reading, SPGC_EDGE_ELEMENT, number, object);
  else
    tell(&slots->reading, SPGC_EDGE_PROPERTY,
         spgc_graph_field_name(slots->reading.graph, &slots->type, (uint32_t)number, offset),
         object);
}

static void tell_weak_field(void *context, struct spgc_slot slot, const char *what) {
  struct slots *slots = context;
  uint64_t offset = (uintptr_t)slot.location - slots->object.word;
  if (spgc_reachable_has(&slots->reading.graph->reachable, *slot.location))
    tell(&slots->reading, SPGC_EDGE_WEAK, spgc_graph_offset_name(slots->reading.graph, offset),
         *slot.location);
}

/* Kept alive by its key, while the map is alive. */
static void tell_values(const struct reading *reading, struct spgc_ref key) {
  const struct spgc_side_table *table = &spgc_weak_maps.ephemerons;
  for (const struct spgc_ephemeron *found = spgc_side_table_first(table, key); found != NULL;
       found = spgc_side_table_next(table, found))
    if (spgc_reach_map_lives(&reading->graph->reachable, found))
      tell_named(reading, SPGC_EDGE_INTERNAL, "value in a weak map", found->value);
}

/* A large object's first part is its own node and has all of its edges. */
static void add_parts(struct spgc_graph *graph, struct spgc_ref object) {
  size_t bytes = spgc_object_bytes(object, spgc_object_type(object));
  for (size_t start = SPGC_NODE_MOST_BYTES; start < bytes; start += SPGC_NODE_MOST_BYTES) {
    struct spgc_graph_part *part = spgc_mapped_array_add(&graph->parts, sizeof *part);
    if (part == NULL)
      graph->is_incomplete = true;
    else
      *part = (struct spgc_graph_part){object, start,
                                       bytes - start < SPGC_NODE_MOST_BYTES ? bytes - start
                                                                            : SPGC_NODE_MOST_BYTES};
  }
}

static void add_parts_of(struct spgc_graph *graph, const struct spgc_block_list *large) {
  for (uint32_t i = large->first; i != SPGC_BLOCK_NONE; i = graph->heap->blocks[i].next) {
    struct spgc_ref object = spgc_heap_first_object(graph->heap, i);
    if (spgc_reachable_has(&graph->reachable, object))
      add_parts(graph, object);
  }
}

static void tell_parts(const struct reading *reading, struct spgc_ref object) {
  struct spgc_graph *graph = reading->graph;
  uint64_t first = 1 + graph->group_count + graph->reachable.count;
  for (uint64_t i = 0; i < spgc_graph_parts(graph); i++)
    if (spgc_ref_equal(SPGC_MAPPED_AT(&graph->parts, struct spgc_graph_part, i)->object, object))
      reading->visit(reading->context, &(struct spgc_edge){.type = SPGC_EDGE_INTERNAL,
                                                           .name = string(graph, "further part"),
                                                           .to = first + i});
}

struct spgc_node spgc_graph_part(struct spgc_graph *graph, uint64_t number) {
  const struct spgc_graph_part *part =
      SPGC_MAPPED_AT(&graph->parts, struct spgc_graph_part, number);
  struct spgc_node node = spgc_graph_object(graph, part->object);
  uint64_t place = 1 + graph->group_count + graph->reachable.count + number;
  node.id = spgc_node_id(graph, spgc_ref_from_word(part->object.word + part->start), place);
  node.bytes = part->bytes;
  return node;
}

void spgc_graph_object_edges(struct spgc_graph *graph, struct spgc_ref object,
                             spgc_edge_visitor visit, void *context) {
  const struct spgc_type *type = spgc_object_type(object);
  struct slots slots = {
      .reading = {graph, visit, context}, .type = spgc_graph_type(graph, type), .object = object};
  spgc_object_visit(object, type, tell_slot, &slots);
  spgc_weak_fields_read(object, tell_weak_field, &slots);
  tell_values(&slots.reading, object);
  if (spgc_graph_parts(graph) != 0)
    tell_parts(&slots.reading, object);
}

struct spgc_node spgc_graph_root(struct spgc_graph *graph) {
  return (struct spgc_node){
      .type = SPGC_NODE_SYNTHETIC, .name = string(graph, ""), .id = SPGC_ROOT_ID};
}

static void describe_listed(const struct spgc_listed_group *group, char *text, size_t size) {
  const char *of_what =
      group->group == SPGC_ROOTS_IN_SCOPED_HANDLES ? "scoped handles of thread" : "thread";
  if (group->group == SPGC_ROOTS_IN_GLOBAL_HANDLES)
    snprintf(text, size, "global handles");
  else if (group->group == SPGC_ROOTS_IN_VARIABLES)
    snprintf(text, size, "global variables");
  else if (group->group == SPGC_ROOTS_IN_RANGES)
    snprintf(text, size, "ranges of roots");
  else if (group->fiber == 0)
    snprintf(text, size, "%s %" PRIu64, of_what, group->thread);
  else
    snprintf(text, size, "%s %" PRIu64 ", suspended fiber %" PRIu64, of_what, group->thread,
             group->fiber);
}

struct spgc_node spgc_graph_group(struct spgc_graph *graph, uint64_t group) {
  static const char *const side_names[SIDE_GROUPS] = {
      [PINS] = "pinned objects", [FINALIZERS] = "finalizers", [WEAK_MAPS] = "weak maps"};
  size_t listed = spgc_root_list_groups(graph->list);
  char text[96];
  if (group < listed)
    describe_listed(spgc_root_list_group(graph->list, group), text, sizeof text);
  else
    snprintf(text, sizeof text, "%s", side_names[group - listed]);
  return (struct spgc_node){
      .type = SPGC_NODE_SYNTHETIC, .name = string(graph, text), .id = spgc_node_id_of_group(group)};
}

struct spgc_node spgc_graph_object(struct spgc_graph *graph, struct spgc_ref object) {
  const struct spgc_type *type = spgc_object_type(object);
  size_t bytes = spgc_object_bytes(object, type);
  uint64_t place = 1 + graph->group_count + spgc_reachable_number(&graph->reachable, object);
  return (struct spgc_node){.type = SPGC_NODE_OBJECT,
                            .name = spgc_graph_type(graph, type).name,
                            .id = spgc_node_id(graph, object, place),
                            .bytes = bytes < SPGC_NODE_MOST_BYTES ? bytes : SPGC_NODE_MOST_BYTES};
}

uint64_t spgc_graph_parts(const struct spgc_graph *graph) {
  return SPGC_MAPPED_COUNT(&graph->parts, struct spgc_graph_part);
}

uint64_t spgc_graph_nodes(const struct spgc_graph *graph) {
  return 1 + graph->group_count + graph->reachable.count + spgc_graph_parts(graph);
}

uint64_t spgc_graph_target(const struct spgc_graph *graph, const struct spgc_edge *edge) {
  return spgc_ref_is_null(edge->object)
             ? edge->to
             : 1 + graph->group_count + spgc_reachable_number(&graph->reachable, edge->object);
}

bool spgc_graph_is_complete(const struct spgc_graph *graph) {
  return !graph->is_incomplete && !graph->strings.is_incomplete;
}

bool spgc_graph_create(struct spgc_graph *graph, const struct spgc_heap *heap,
                       const struct spgc_root_list *list) {
  *graph = (struct spgc_graph){.heap = heap, .list = list};
  graph->group_count = spgc_root_list_groups(list) + SIDE_GROUPS;
  if (!spgc_reachable_create(&graph->reachable, heap))
    return false;
  graph->is_incomplete = !spgc_reach_all(&graph->reachable, list, &graph->only_finalized);
  spgc_reachable_number_all(&graph->reachable);
  add_parts_of(graph, &heap->nursery_large);
  add_parts_of(graph, &heap->old_large);
  return spgc_graph_is_complete(graph);
}
