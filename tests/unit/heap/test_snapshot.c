#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
#include "made_code.h"
#include "snapshot_reader.h"
#include "spgc/code_name.h"
#include "spgc/fiber.h"
#include "spgc/finalizer.h"
#include "spgc/identity.h"
#include "spgc/module.h"
#include "spgc/pin.h"
#include "spgc/snapshot.h"
#include "spgc/weak.h"
#include "spgc/weak_map.h"

static struct read_snapshot take(void) {
  char path[64];
  struct spgc_error error;
  snprintf(path, sizeof path, "snapshot-%d.heapsnapshot", getpid());
  enum spgc_result result = spgc_snapshot_write(path, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  struct read_snapshot snapshot = snapshot_read(path);
  unlink(path);
  return snapshot;
}

static uint64_t edge_to(const struct read_snapshot *snapshot, uint64_t node, unsigned type,
                        const char *name, uint64_t index) {
  const struct read_edge *edge = snapshot_edge(snapshot, node, type, name, index);
  ck_assert_msg(edge != NULL, "'%s' has no edge '%s' (%lu) of type %u", snapshot->nodes[node].name,
                name, (unsigned long)index, type);
  return edge->to;
}

static const struct spgc_type *const types[] = {&world_leaf,    &world_pair,   &world_references,
                                                &world_bytes,   &world_values, &world_value_array,
                                                &world_records, &world_holder};
enum { TYPES = sizeof types / sizeof *types };

static void fill(struct spgc_handle array, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    const struct spgc_type *type = types[i % TYPES];
    bool is_large = i % 50 == 7;
    struct spgc_ref object = (type->flags & SPGC_TYPE_TAIL) != 0
                                 ? spgc_allocate_array(type, is_large ? 5000 : i % 9)
                                 : spgc_allocate(type);
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle made = spgc_handle_make(object);
    if (type == &world_pair || type == &world_values)
      world_set(made, 2, world_get(array, 2 + i * 7 % count));
    if (i % 3 != 0)
      world_set(array, 2 + i % count, spgc_handle_get(made));
    else
      world_set(array, 2 + i * 5 % count, spgc_handle_get(made));
    spgc_scope_close(scope);
  }
}

START_TEST(counts_are_those_of_the_collector) {
  world_open("");
  unsigned count = (unsigned)world_amount(20000, 5000, 300);
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, count));
  fill(array, count);
  struct read_snapshot young = take();
  struct spgc_type_range ranges[TYPES];
  for (int i = 0; i < TYPES; i++)
    ranges[i] =
        (struct spgc_type_range){(uintptr_t)types[i], (uintptr_t)types[i] + sizeof *types[i], 0};
  ck_assert(spgc_types_count(ranges, TYPES));
  struct read_snapshot old = take();
  ck_assert_uint_eq(young.node_count, old.node_count);
  ck_assert_uint_eq(young.edge_count, old.edge_count);
  for (int i = 0; i < TYPES; i++) {
    ck_assert_uint_gt(ranges[i].count, 0);
    ck_assert_uint_eq(snapshot_count(&old, types[i]->name), ranges[i].count);
    ck_assert_uint_eq(snapshot_count(&young, types[i]->name), ranges[i].count);
    ck_assert_uint_eq(snapshot_bytes(&young, types[i]->name), snapshot_bytes(&old, types[i]->name));
  }
  snapshot_require_reachable(&old);
  snapshot_require_reachable(&young);
  snapshot_free(&young);
  snapshot_free(&old);
  world_close();
}
END_TEST

/* More objects wait than the marking's stack holds, except with ThreadSanitizer, which reads the
 * file slowly. */
START_TEST(wide_arrays_are_marked) {
  world_open_fixed("");
#ifdef __SANITIZE_THREAD__
  unsigned count = 10000;
#else
  unsigned count = (unsigned)world_amount(100000, 70000, 70000);
#endif
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (unsigned i = 0; i < count; i++) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    world_set(array, 2 + i, pair);
    if (i >= count / 2)
      continue;
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle holder = spgc_handle_make(pair);
    world_set(holder, 2, spgc_allocate(&world_leaf));
    spgc_scope_close(scope);
  }
  struct read_snapshot snapshot = take();
  ck_assert_uint_eq(snapshot_count(&snapshot, world_pair.name), count);
  ck_assert_uint_eq(snapshot_count(&snapshot, world_leaf.name), count / 2);
  snapshot_free(&snapshot);
  world_close();
}
END_TEST

/* ---- Names of fields ---- */

static const uint32_t named_references[] = {8, 24};
static const char *const reference_names[] = {"left \"\\\n\xc3\xa9\xff", NULL};
static const struct spgc_named_type named = {
    .type = {.size = 32,
             .reference_count = 2,
             .reference_offsets = named_references,
             .field_names = offsetof(struct spgc_named_type, names),
             .name = "named"},
    .names = reference_names};

static const char *const value_names[] = {"first", NULL, "third"};
static const struct spgc_named_type named_values = {
    .type = {.size = 40,
             .element_size = 8,
             .flags = SPGC_TYPE_TAIL | SPGC_TYPE_VALUES | SPGC_TYPE_TAIL_VALUES,
             .field_names = offsetof(struct spgc_named_type, names),
             .name = "named values"},
    .names = value_names};

START_TEST(fields_have_names) {
  world_open("verify=full");
  struct spgc_handle values = spgc_handle_make(spgc_allocate_array(&named_values.type, 4));
  world_set(values, 2, spgc_allocate(&named.type));
  world_set(values, 3, spgc_allocate_array(&world_records, 3));
  world_set(values, 4, spgc_allocate_array(&world_bytes, 5));
  world_set(values, 5 + 2, spgc_handle_get(world_new_leaf(1)));
  struct spgc_handle first = spgc_handle_make(world_get(values, 2));
  world_set(first, 1, spgc_handle_get(values));
  world_set(first, 3, spgc_handle_get(values));
  struct spgc_handle records = spgc_handle_make(world_get(values, 3));
  world_set(records, 3 + 3, spgc_handle_get(first));  /* the first reference of record 1 */
  world_set(records, 3 + 5, spgc_handle_get(values)); /* the second one */
  struct read_snapshot snapshot = take();
  uint64_t from = snapshot_find(&snapshot, "named values"), to = snapshot_find(&snapshot, "named");
  ck_assert_uint_eq(edge_to(&snapshot, from, EDGE_PROPERTY, "first", 0), to);
  ck_assert_uint_eq(edge_to(&snapshot, from, EDGE_PROPERTY, "+24", 0),
                    snapshot_find(&snapshot, world_records.name));
  ck_assert_uint_eq(edge_to(&snapshot, from, EDGE_PROPERTY, "third", 0),
                    snapshot_find(&snapshot, world_bytes.name));
  ck_assert_uint_eq(edge_to(&snapshot, from, EDGE_ELEMENT, NULL, 2),
                    snapshot_find(&snapshot, world_leaf.name));
  ck_assert_uint_eq(snapshot.nodes[from].edge_count, 4);
  ck_assert_uint_eq(edge_to(&snapshot, to, EDGE_PROPERTY, "left \"\\\n\xc3\xa9\xef\xbf\xbd", 0),
                    from);
  ck_assert_uint_eq(edge_to(&snapshot, to, EDGE_PROPERTY, "+24", 0), from);
  uint64_t array = snapshot_find(&snapshot, world_records.name);
  ck_assert_uint_eq(edge_to(&snapshot, array, EDGE_ELEMENT, NULL, 2), to);
  ck_assert_uint_eq(edge_to(&snapshot, array, EDGE_ELEMENT, NULL, 3), from);
  snapshot_free(&snapshot);
  world_close();
}
END_TEST

static struct spgc_ref global_variable;
static struct {
  uint64_t number;
  struct spgc_ref first, second;
} global_structure;
static struct spgc_ref *unnamed_variables, *named_variables; /* a JIT's */
static struct spgc_global_roots global_roots[] = {
    {&global_variable, 1}, {&global_structure.first, 2}, {NULL, 2}, {NULL, 2}};
static struct spgc_module module = {
    .version = SPGC_MODULE_VERSION, .name = "test", .roots = global_roots, .root_count = 4};

/* By symbols, which libdw reads. Without it variables have numbers. */
static void check_variables(const struct read_snapshot *snapshot) {
  void *library = dlopen("libdw.so.1", RTLD_NOW);
  const char *names[] = {"global_variable (test-heap-snapshot)",
                         "global_structure+16 (test-heap-snapshot)", "variable 4", "table+8"};
  const char *numbers[] = {"variable 0", "variable 2", "variable 4", "table+8"};
  const struct spgc_type *expected[] = {&world_pair, &world_value_array, &world_leaf,
                                        &world_records};
  uint64_t group = snapshot_find(snapshot, "global variables");
  ck_assert_uint_eq(snapshot->nodes[group].edge_count, 4);
  for (int i = 0; i < 4; i++)
    ck_assert_uint_eq(
        edge_to(snapshot, group, EDGE_PROPERTY, library != NULL ? names[i] : numbers[i], 0),
        snapshot_find(snapshot, expected[i]->name));
  if (library != NULL)
    dlclose(library);
}

START_TEST(roots_are_in_groups) {
  struct spgc_error error;
  world_open("");
  ck_assert_int_eq(spgc_module_register(&module, 0, &error), SPGC_OK);
  unnamed_variables = calloc(2, sizeof *unnamed_variables);
  global_roots[2].first = unnamed_variables;
  named_variables = calloc(2, sizeof *named_variables);
  global_roots[3].first = named_variables;
  const struct spgc_code_name name = {(uintptr_t)named_variables, 16, "table"};
  struct spgc_code_names table = {.names = &name, .count = 1};
  spgc_variable_names_add(&table);
  named_variables[1] = spgc_allocate_array(&world_records, 1);
  global_variable = spgc_allocate(&world_pair);
  global_structure.second = spgc_allocate_array(&world_value_array, 1);
  unnamed_variables[1] = spgc_allocate(&world_leaf);
  struct spgc_handle global = spgc_global_handle_make(spgc_allocate_array(&world_bytes, 3));
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle pinned = spgc_handle_make(spgc_allocate(&world_values));
  ck_assert_int_eq(spgc_pin(spgc_handle_get(pinned), &error), SPGC_OK);
  spgc_scope_close(scope);
  spgc_handle_make(spgc_ref_null());
  spgc_handle_make(spgc_allocate(&world_holder));
  struct read_snapshot snapshot = take();
  spgc_variable_names_remove(&table);
  ck_assert_uint_eq(snapshot.nodes[0].type, NODE_SYNTHETIC);
  check_variables(&snapshot);
  ck_assert_uint_eq(
      edge_to(&snapshot, snapshot_find(&snapshot, "global handles"), EDGE_ELEMENT, NULL, 0),
      snapshot_find(&snapshot, world_bytes.name));
  ck_assert_uint_eq(edge_to(&snapshot, snapshot_find(&snapshot, "pinned objects"), EDGE_PROPERTY,
                            "pinned object", 0),
                    snapshot_find(&snapshot, world_values.name));
  ck_assert_uint_eq(edge_to(&snapshot, snapshot_find(&snapshot, "scoped handles of thread 1"),
                            EDGE_ELEMENT, NULL, 1),
                    snapshot_find(&snapshot, world_holder.name));
  ck_assert_uint_eq(snapshot.nodes[snapshot_find(&snapshot, "thread 1")].edge_count, 0);
  snapshot_require_reachable(&snapshot);
  snapshot_free(&snapshot);
  spgc_global_handle_release(global);
  global_variable = global_structure.second = spgc_ref_null();
  spgc_module_unregister(&module);
  free(unnamed_variables);
  free(named_variables);
  world_close();
}
END_TEST

static uint64_t check_frames(struct spgc_ref object) {
  struct read_snapshot snapshot = take();
  uint64_t thread = snapshot_find(&snapshot, "thread 1"),
           leaf = snapshot_find(&snapshot, world_leaf.name), registers = 0, slots = 0;
  for (uint64_t i = 0; i < snapshot.nodes[thread].edge_count; i++) {
    const struct read_edge *edge = &snapshot.edges[snapshot.nodes[thread].first_edge + i];
    ck_assert_uint_eq(edge->to, leaf);
    ck_assert_uint_eq(edge->type, EDGE_PROPERTY);
    ck_assert_msg(strncmp(edge->name, "made (code at 0x", 16) == 0, "%s", edge->name);
    registers += strstr(edge->name, " (rbx)") != NULL;
    slots += strstr(edge->name, " (rsp+") != NULL;
  }
  ck_assert_uint_eq(registers, MADE_FUNCTIONS);
  ck_assert_uint_eq(slots, MADE_FUNCTIONS);
  snapshot_require_reachable(&snapshot);
  snapshot_free(&snapshot);
  return 0;
}

static void name_code(const struct made_code *code, struct spgc_code_names *names,
                      struct spgc_code_name *name) {
  *name = (struct spgc_code_name){(uintptr_t)code->page, 4096, "made"};
  *names = (struct spgc_code_names){.names = name, .count = 1};
  spgc_code_names_add(names);
}

START_TEST(frames_have_names) {
  struct made_code code;
  struct spgc_code_names names;
  struct spgc_code_name name;
  world_open("");
  made_code_reserve(&code);
  made_code_make(&code, 0, check_frames);
  name_code(&code, &names, &name);
  ck_assert_uint_eq(code.first(spgc_allocate(&world_leaf)), 0);
  spgc_code_names_remove(&names);
  made_code_forget(&code);
  made_code_release(&code);
  world_close();
}
END_TEST

static struct spgc_fiber *fiber, *main_fiber;

static uint64_t leave_fiber(struct spgc_ref object) {
  spgc_fiber_switch(main_fiber, NULL);
  return 0;
}

static struct made_code fiber_code;

static struct spgc_fiber_end run_fiber(void *unused) {
  spgc_handle_make(spgc_allocate(&world_pair));
  fiber_code.first(spgc_allocate(&world_leaf));
  return (struct spgc_fiber_end){main_fiber, NULL};
}

START_TEST(suspended_fibers_have_groups) {
  struct spgc_error error;
  world_open("");
  made_code_reserve(&fiber_code);
  made_code_make(&fiber_code, 0, leave_fiber);
  main_fiber = spgc_fiber_current();
  ck_assert_int_eq(spgc_fiber_create(run_fiber, NULL, 1 << 20, &fiber, &error), SPGC_OK);
  spgc_fiber_switch(fiber, NULL);
  spgc_collect(SPGC_COLLECTION_FULL);
  struct read_snapshot snapshot = take();
  uint64_t group = snapshot_find(&snapshot, "thread 1, suspended fiber 1");
  ck_assert_uint_eq(snapshot.nodes[group].edge_count, 2 * MADE_FUNCTIONS);
  ck_assert_uint_eq(snapshot.edges[snapshot.nodes[group].first_edge].to,
                    snapshot_find(&snapshot, world_leaf.name));
  ck_assert_uint_eq(
      edge_to(&snapshot, snapshot_find(&snapshot, "scoped handles of thread 1, suspended fiber 1"),
              EDGE_ELEMENT, NULL, 0),
      snapshot_find(&snapshot, world_pair.name));
  snapshot_require_reachable(&snapshot);
  snapshot_free(&snapshot);
  spgc_fiber_switch(fiber, NULL);
  spgc_fiber_release(fiber);
  made_code_forget(&fiber_code);
  made_code_release(&fiber_code);
  world_close();
}
END_TEST

START_TEST(weak_fields_are_weak_edges) {
  world_open("");
  struct spgc_handle leaf = world_new_leaf(1);
  spgc_handle_make(spgc_handle_get(world_new_holder(leaf)));
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle dead = spgc_handle_make(spgc_allocate(&world_pair));
  struct spgc_ref holder = spgc_handle_get(world_new_holder(dead));
  spgc_scope_close(scope);
  struct spgc_handle second = spgc_handle_make(holder);
  struct read_snapshot snapshot = take();
  uint64_t to = snapshot_find(&snapshot, world_leaf.name), weak = 0;
  for (uint64_t i = 0; i < snapshot.edge_count; i++)
    if (snapshot.edges[i].type == EDGE_WEAK) {
      ck_assert_str_eq(snapshot.edges[i].name, "+16");
      ck_assert_uint_eq(snapshot.edges[i].to, to);
      weak++;
    }
  ck_assert_uint_eq(weak, 1);
  ck_assert_uint_eq(snapshot_count(&snapshot, world_pair.name), 0);
  ck_assert_uint_eq(snapshot_count(&snapshot, world_holder.name), 2);
  ck_assert(!spgc_ref_is_null(spgc_handle_get(second)));
  snapshot_free(&snapshot);
  world_close();
}
END_TEST

/* Each map's owner is a value in the previous map, so entries count late. */
START_TEST(values_of_weak_maps_have_edges_from_their_keys) {
  struct spgc_error error;
  enum { MAPS = 20 };
  world_open("");
  struct spgc_handle key = world_new_leaf(1);
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle owner = spgc_handle_make(spgc_ref_null());
  for (int i = 0; i < MAPS; i++) {
    struct spgc_weak_map map;
    struct spgc_handle value = spgc_handle_make(spgc_allocate(&world_pair));
    ck_assert_int_eq(spgc_weak_map_create(spgc_handle_get(owner), &map, &error), SPGC_OK);
    ck_assert_int_eq(spgc_weak_map_set(map, spgc_handle_get(key), spgc_handle_get(value), &error),
                     SPGC_OK);
    owner = value;
  }
  struct spgc_weak_map dead;
  struct spgc_handle dead_owner = spgc_handle_make(spgc_allocate_array(&world_bytes, 1));
  ck_assert_int_eq(spgc_weak_map_create(spgc_handle_get(dead_owner), &dead, &error), SPGC_OK);
  struct spgc_ref value = spgc_allocate(&world_values);
  ck_assert_int_eq(spgc_weak_map_set(dead, spgc_handle_get(key), value, &error), SPGC_OK);
  spgc_scope_close(scope);
  struct read_snapshot snapshot = take();
  uint64_t from = snapshot_find(&snapshot, world_leaf.name), values = 0;
  for (uint64_t i = 0; i < snapshot.nodes[from].edge_count; i++) {
    const struct read_edge *edge = &snapshot.edges[snapshot.nodes[from].first_edge + i];
    ck_assert_uint_eq(edge->type, EDGE_INTERNAL);
    ck_assert_str_eq(edge->name, "value in a weak map");
    values++;
  }
  ck_assert_uint_eq(values, MAPS);
  ck_assert_uint_eq(snapshot_count(&snapshot, world_pair.name), MAPS);
  ck_assert_uint_eq(snapshot_count(&snapshot, world_values.name), 0);
  snapshot_require_reachable(&snapshot);
  snapshot_free(&snapshot);
  world_close();
}
END_TEST

START_TEST(finalizers_have_edges) {
  struct spgc_error error;
  world_open_fixed("");
  struct spgc_handle alive = world_new_leaf(1);
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle unreached = spgc_handle_make(spgc_allocate(&world_pair));
  struct spgc_handle held = spgc_handle_make(spgc_allocate_array(&world_bytes, 1));
  world_set(unreached, 2, spgc_allocate(&world_values));
  ck_assert_int_eq(
      spgc_finalizer_register(spgc_handle_get(unreached), spgc_handle_get(held), &error), SPGC_OK);
  ck_assert_int_eq(spgc_finalizer_register(spgc_handle_get(alive), spgc_ref_null(), &error),
                   SPGC_OK);
  spgc_scope_close(scope);
  for (int round = 0; round < 2; round++) {
    struct read_snapshot snapshot = take();
    uint64_t group = snapshot_find(&snapshot, "finalizers");
    ck_assert_uint_eq(edge_to(&snapshot, group, EDGE_PROPERTY,
                              round == 0 ? "object that will be queued" : "queued object", 0),
                      snapshot_find(&snapshot, world_pair.name));
    ck_assert_uint_eq(edge_to(&snapshot, group, EDGE_PROPERTY, "held by a finalizer", 0),
                      snapshot_find(&snapshot, world_bytes.name));
    const struct read_edge *edge =
        snapshot_edge(&snapshot, group, EDGE_WEAK, "object with a finalizer", 0);
    ck_assert(edge != NULL);
    ck_assert_uint_eq(snapshot_count(&snapshot, world_values.name), 1);
    snapshot_require_reachable(&snapshot);
    snapshot_free(&snapshot);
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  world_close();
}
END_TEST

START_TEST(identifiers_stay) {
  world_open("");
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, 3));
  struct spgc_handle hashed = spgc_handle_make(spgc_allocate(&world_pair));
  spgc_identity_hash(spgc_handle_get(array));
  spgc_identity_hash(spgc_handle_get(hashed));
  struct read_snapshot before = take();
  for (int i = 0; i < 3; i++) {
    world_set(array, 2 + (unsigned)i, spgc_allocate(&world_leaf));
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  struct read_snapshot after = take();
  ck_assert_uint_eq(before.nodes[snapshot_find(&before, world_pair.name)].id,
                    after.nodes[snapshot_find(&after, world_pair.name)].id);
  ck_assert_uint_eq(before.nodes[snapshot_find(&before, world_references.name)].id,
                    after.nodes[snapshot_find(&after, world_references.name)].id);
  snapshot_free(&before);
  snapshot_free(&after);
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "snapshot", counts_are_those_of_the_collector, wide_arrays_are_marked,
                  fields_have_names, roots_are_in_groups, frames_have_names,
                  suspended_fibers_have_groups, weak_fields_are_weak_edges,
                  values_of_weak_maps_have_edges_from_their_keys, finalizers_have_edges,
                  identifiers_stay)
