/* Flat maps agree with LLVM's maps, and damaged ones are refused or harmless. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "spgc/stackmap.h"
#include "stackwalk/flat_view.h"
#include "stackwalk/frame_table.h"
#include "stackwalk/stackmap_parser.h"
#include "tests/support/random.h"
#include "tests/support/stackmap_flatten.h"
#include "tests/support/suite.h"

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

void collect(void);
void collect_below_c_frames(void);
void call_through_c(void);

void collect(void) {
  abort();
}

void collect_below_c_frames(void) {
  abort();
}

void call_through_c(void) {
  abort();
}

static struct spgc_flat_header *flat;
static struct stackmap_contents contents;

static size_t section_size(void) {
  return (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
}

static void make_maps(void) {
  const struct record_owner_source unknown = {0};
  struct spgc_error error;
  flat = stackmap_flatten(__start_test_stackmaps, section_size());
  ck_assert_int_eq(spgc_stackmap_parse(__start_test_stackmaps, section_size(), &unknown, NULL,
                                       &contents, &error),
                   SPGC_OK);
}

static void free_maps(void) {
  free(flat);
  spgc_stackmap_contents_free(&contents);
}

static struct spgc_stackmap *register_flat(void) {
  struct spgc_stackmap *map;
  struct spgc_error error;
  enum spgc_result result = spgc_stackmap_register(flat, flat->bytes, &map, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  return map;
}

static void compare_frames(const struct frame_description *a, const struct frame_description *b) {
  ck_assert_uint_eq(a->return_address.word, b->return_address.word);
  ck_assert_uint_eq(a->id, b->id);
  ck_assert_uint_eq(a->flags, b->flags);
  ck_assert_uint_eq(a->stack_size, b->stack_size);
  ck_assert_uint_eq(a->base_count, b->base_count);
  ck_assert_uint_eq(a->derived_count, b->derived_count);
  ck_assert_uint_eq(a->deopt_count, b->deopt_count);
  for (uint32_t i = 0; i < a->base_count; i++)
    ck_assert(location_equal(&a->bases[i], &b->bases[i]));
  for (uint32_t i = 0; i < a->derived_count; i++) {
    ck_assert(location_equal(&a->derived[i].location, &b->derived[i].location));
    ck_assert_uint_eq(a->derived[i].base, b->derived[i].base);
    ck_assert_int_eq(a->derived[i].rewritten, b->derived[i].rewritten);
  }
  for (uint32_t i = 0; i < a->deopt_count; i++) {
    ck_assert_uint_eq(a->deopts[i].kind, b->deopts[i].kind);
    ck_assert_uint_eq(a->deopts[i].size, b->deopts[i].size);
    ck_assert_uint_eq(a->deopts[i].reg, b->deopts[i].reg);
    ck_assert_int_eq(a->deopts[i].value, b->deopts[i].value);
  }
}

/* An entry made of the flat map against one made of the frame that was parsed. */
static void compare_entries(const struct frame_entry *entry,
                            const struct frame_description *frame) {
  struct frame_entry expected;
  spgc_frame_entry_make(frame, &expected);
  ck_assert_uint_eq(entry->return_address.word, expected.return_address.word);
  ck_assert_uint_eq(entry->unwind_plan, expected.unwind_plan);
  ck_assert_uint_eq(entry->registers, expected.registers);
  ck_assert_uint_eq(entry->flags, expected.flags);
  ck_assert_uint_eq(entry->slot_origin, expected.slot_origin);
  ck_assert_uint_eq(entry->id, expected.id);
  if (frame_entry_is_described(entry))
    compare_frames(entry->description, frame);
  else
    ck_assert_uint_eq(entry->slots, expected.slots);
}

START_TEST(every_call_is_described_as_by_llvm) {
  struct spgc_stackmap *map = register_flat();
  const struct frame_description *frames = contents.frames.data;
  ck_assert_uint_gt(contents.frames.count, 100);
  ck_assert_uint_eq(spgc_stackmap_record_count(map), contents.frames.count);
  for (int twice = 0; twice < 2; twice++)
    for (size_t i = 0; i < contents.frames.count; i++) {
      const struct frame_entry *entry = frame_table_find(frames[i].return_address);
      ck_assert_ptr_nonnull(entry);
      compare_entries(entry, &frames[i]);
    }
  spgc_stackmap_unregister(map);
  for (size_t i = 0; i < contents.frames.count; i++)
    ck_assert_ptr_null(frame_table_find(frames[i].return_address));
}
END_TEST

static bool is_return_address(uintptr_t word) {
  const struct frame_description *frames = contents.frames.data;
  for (size_t i = 0; i < contents.frames.count; i++)
    if (frames[i].return_address.word == word)
      return true;
  return false;
}

START_TEST(no_other_address_is_described) {
  struct spgc_stackmap *map = register_flat();
  const struct function_address *functions = contents.functions.data;
  uintptr_t start = flat_code_start(flat);
  for (uintptr_t word = start - 64; word < start + 4096; word++)
    ck_assert_int_eq(frame_table_find((struct return_address){word}) != NULL,
                     is_return_address(word));
  for (size_t i = 0; i < contents.functions.count; i++) {
    ck_assert(spgc_frame_table_has_function(functions[i]));
    ck_assert(!spgc_frame_table_has_function((struct function_address){functions[i].word + 1}));
  }
  ck_assert(!spgc_frame_table_has_function((struct function_address){start + flat->code_bytes}));
  spgc_stackmap_unregister(map);
}
END_TEST

START_TEST(equal_locations_are_stored_once) {
  const struct frame_description *frames = contents.frames.data;
  size_t bases = 0;
  for (size_t i = 0; i < contents.frames.count; i++)
    bases += frames[i].base_count;
  ck_assert_uint_lt(flat->frame_count, flat->call_count);
  ck_assert_uint_lt(flat->base_count, bases);
  ck_assert_uint_lt(flat->bytes, section_size() / 2);
}
END_TEST

/* A map's arrays, found as the head of spgc/flat_stackmap.h says, and by nothing else. */
struct arrays {
  const uint64_t *constants;
  const struct spgc_flat_deopt *deopts;
  const struct spgc_flat_function *functions;
  const struct spgc_flat_call *calls;
  const struct spgc_flat_frame *frames;
  const struct spgc_flat_base *bases;
  const struct spgc_flat_derived *derived;
  const struct spgc_flat_point *points;
  const struct spgc_flat_location *locations;
  const struct spgc_flat_live_out *live_outs;
  const unsigned char *end;
};

static const void *take(const unsigned char **at, size_t bytes) {
  const unsigned char *taken = *at;
  size_t above = bytes % SPGC_FLAT_ALIGNMENT;
  *at += bytes + (above != 0 ? SPGC_FLAT_ALIGNMENT - above : 0);
  return taken;
}

static struct arrays arrays_of(const struct spgc_flat_header *map) {
  const unsigned char *at = (const unsigned char *)(map + 1);
  struct arrays arrays;
  arrays.constants = take(&at, map->constant_count * sizeof *arrays.constants);
  arrays.deopts = take(&at, map->deopt_count * sizeof *arrays.deopts);
  arrays.functions = take(&at, map->function_count * sizeof *arrays.functions);
  arrays.calls = take(&at, map->call_count * sizeof *arrays.calls);
  arrays.frames = take(&at, map->frame_count * sizeof *arrays.frames);
  arrays.bases = take(&at, map->base_count * sizeof *arrays.bases);
  arrays.derived = take(&at, map->derived_count * sizeof *arrays.derived);
  arrays.points = take(&at, map->point_count * sizeof *arrays.points);
  arrays.locations = take(&at, map->location_count * sizeof *arrays.locations);
  arrays.live_outs = take(&at, map->live_out_count * sizeof *arrays.live_outs);
  arrays.end = at;
  return arrays;
}

static const struct frame_description *frame_at(uintptr_t return_address) {
  const struct frame_description *frames = contents.frames.data;
  for (size_t i = 0; i < contents.frames.count; i++)
    if (frames[i].return_address.word == return_address)
      return &frames[i];
  ck_abort_msg("no such return address: %#lx", (unsigned long)return_address);
}

static void compare_base(const struct spgc_flat_base *flat_base, const struct location *base) {
  ck_assert_int_eq(flat_base->offset, base->offset);
  ck_assert_uint_eq(flat_base->words, base->words);
  ck_assert_uint_eq(flat_base->reg, base->reg);
  ck_assert_uint_eq(flat_base->flags, (base->in_register ? SPGC_FLAT_IN_REGISTER : 0u) |
                                          (base->is_variable ? SPGC_FLAT_VARIABLE : 0u));
}

static void compare_call(const struct arrays *arrays, const struct spgc_flat_call *call,
                         const struct spgc_flat_function *function) {
  const struct spgc_flat_frame *frame = &arrays->frames[call->frame];
  const struct frame_description *expected =
      frame_at((uintptr_t)&flat->code + (uintptr_t)flat->code + call->offset);
  ck_assert_uint_eq(arrays->constants[call->id], expected->id);
  ck_assert_uint_eq(call->flags, expected->flags);
  ck_assert_uint_eq(frame->base_count, expected->base_count);
  ck_assert_uint_eq(frame->derived_count, expected->derived_count);
  ck_assert_uint_eq(frame->deopt_count, expected->deopt_count);
  for (uint32_t i = 0; i < frame->base_count; i++)
    compare_base(&arrays->bases[frame->first_base + i], &expected->bases[i]);
  for (uint32_t i = 0; i < frame->derived_count; i++)
    ck_assert_uint_eq(arrays->derived[frame->first_derived + i].base, expected->derived[i].base);
  for (uint32_t i = 0; i < frame->deopt_count; i++)
    ck_assert_int_eq(arrays->deopts[frame->first_deopt + i].value, expected->deopts[i].value);
  bool varies = (function->flags & SPGC_FLAT_VARYING_SIZE) != 0;
  ck_assert_int_eq(function->stack_size == SPGC_FLAT_NO_STACK_SIZE, varies);
  ck_assert_uint_eq(varies ? UINT64_MAX : function->stack_size, expected->stack_size);
}

START_TEST(the_documented_layout_says_the_same) {
  struct arrays arrays = arrays_of(flat);
  unsigned with_frame_pointer = 0;
  ck_assert_mem_eq(flat->magic, SPGC_FLAT_MAGIC, sizeof flat->magic);
  ck_assert_uint_eq(flat->version, SPGC_FLAT_VERSION);
  ck_assert_ptr_eq(arrays.end, (const unsigned char *)flat + flat->bytes);
  ck_assert_uint_eq(flat->call_count, contents.frames.count);
  for (uint32_t i = 0; i < flat->function_count; i++) {
    const struct spgc_flat_function *function = &arrays.functions[i];
    uint32_t end = i + 1 < flat->function_count ? function[1].first_call : flat->call_count;
    with_frame_pointer += (function->flags & SPGC_FLAT_FRAME_POINTER) != 0;
    for (uint32_t call = function->first_call; call < end; call++)
      compare_call(&arrays, &arrays.calls[call], function);
  }
  ck_assert_uint_gt(with_frame_pointer, 0);
  for (uint32_t i = 0; i < flat->point_count; i++)
    ck_assert_uint_lt(arrays.points[i].offset, flat->code_bytes);
}
END_TEST

START_TEST(code_described_twice_is_refused) {
  struct spgc_stackmap *map = register_flat(), *second;
  struct spgc_error error;
  struct spgc_flat_header *copy = stackmap_flatten(__start_test_stackmaps, section_size());
  ck_assert_int_eq(spgc_stackmap_register(copy, copy->bytes, &second, &error),
                   SPGC_ERROR_MALFORMED);
  ck_assert_ptr_nonnull(strstr(error.message, "another flat stack map"));
  spgc_stackmap_unregister(map);
  ck_assert_int_eq(spgc_stackmap_register(copy, copy->bytes, &second, &error), SPGC_OK);
  spgc_stackmap_unregister(second);
  free(copy);
}
END_TEST

/* A copy that ends at an inaccessible page, so reading one byte too many is a fault. */
static unsigned char *room_end;

static void make_room(size_t size) {
  enum { PAGE = 4096 };
  size_t room = (size + PAGE - 1) / PAGE * PAGE;
  unsigned char *start =
      mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(start, MAP_FAILED);
  room_end = start + room;
  ck_assert_int_eq(mprotect(room_end, PAGE, PROT_NONE), 0);
}

/* The code is far away from the map, and is not looked at. */
static enum spgc_result try_bytes(unsigned char *bytes, size_t size) {
  struct spgc_stackmap *map;
  struct spgc_error error = {0};
  enum spgc_result result = spgc_stackmap_register(bytes, size, &map, &error);
  if (result != SPGC_OK) {
    ck_assert_str_ne(error.message, "");
    ck_assert_uint_le(error.position, size);
    return result;
  }
  struct flat_view view = flat_view_of(bytes);
  uint64_t sum = 0;
  for (uint32_t i = 0; flat_is_flat(bytes, size) && i < view.header->call_count; i++) {
    struct return_address address = {flat_code_start(view.header) + view.call[i].offset};
    const struct frame_entry *entry = frame_table_find(address);
    ck_assert_ptr_nonnull(entry);
    struct entry_description room;
    const struct frame_description *description = spgc_frame_entry_description(entry, &room);
    for (uint32_t k = 0; k < description->derived_count; k++)
      sum += description->bases[description->derived[k].base].reg;
    for (uint32_t k = 0; k < description->deopt_count; k++)
      sum += description->deopts[k].reg;
  }
  ck_assert_uint_lt(sum, UINT64_MAX);
  spgc_stackmap_unregister(map);
  return result;
}

START_TEST(every_truncation_is_refused) {
  make_room(flat->bytes);
  for (size_t size = 1; size < flat->bytes; size += 1 + size / 64) {
    unsigned char *copy = room_end - (size + 7) / 8 * 8;
    memcpy(copy, flat, size);
    ck_assert_int_ne(try_bytes(copy, size), SPGC_OK);
  }
}
END_TEST

START_TEST(misplaced_maps_are_refused) {
  make_room(flat->bytes + 4);
  unsigned char *copy = room_end - flat->bytes - 4;
  memcpy(copy, flat, flat->bytes);
  ck_assert_int_eq(try_bytes(copy, flat->bytes), SPGC_ERROR_MALFORMED);
}
END_TEST

START_TEST(damage_is_refused_or_harmless) {
  enum { MUTATIONS = 4000 };
  struct random random = random_start("damage_is_refused_or_harmless");
  unsigned refused = 0;
  make_room(flat->bytes);
  unsigned char *copy = room_end - flat->bytes;
  for (int round = 0; round < MUTATIONS; round++) {
    memcpy(copy, flat, flat->bytes);
    for (uint64_t changes = 1 + random_below(&random, 3); changes > 0; changes--) {
      size_t limit = random_below(&random, 2) == 0 ? sizeof *flat : flat->bytes;
      copy[random_below(&random, limit)] ^= (unsigned char)(1u << random_below(&random, 8));
    }
    refused += try_bytes(copy, flat->bytes) != SPGC_OK;
  }
  ck_assert_uint_gt(refused, MUTATIONS / 4);
  ck_assert_uint_lt(refused, MUTATIONS);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("flat");
  TCase *tests = tcase_create("flat");
  tcase_set_timeout(tests, 120);
  tcase_add_checked_fixture(tests, make_maps, free_maps);
  tcase_add_test(tests, every_call_is_described_as_by_llvm);
  tcase_add_test(tests, no_other_address_is_described);
  tcase_add_test(tests, equal_locations_are_stored_once);
  tcase_add_test(tests, the_documented_layout_says_the_same);
  tcase_add_test(tests, code_described_twice_is_refused);
  tcase_add_test(tests, every_truncation_is_refused);
  tcase_add_test(tests, misplaced_maps_are_refused);
  tcase_add_test(tests, damage_is_refused_or_harmless);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
