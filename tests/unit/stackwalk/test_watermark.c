/* A watermark skips exactly the frames that were not resumed. Programs and unwinders do not notice
 * barriers. */
#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <libunwind.h>
#include <setjmp.h>
#include <string.h>
#include <unwind.h>

#include "spgc/stackmap.h"
#include "stackwalk/watermark.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"
#include "tests/support/toy_heap.h"

struct pair {
  int64_t first, second;
};

struct doubles {
  double first, second;
};

uint64_t wander(struct spgc_ref object, uint64_t depth);
struct pair dive_pair(struct spgc_ref object, uint64_t depth);
struct doubles dive_doubles(struct spgc_ref object, uint64_t depth);

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

enum action { RETURN, CALL, CALL_THROUGH_C, CALL_CATCHING };
enum { MOST_FRAMES = 100001 };

static void *walk_base;
static struct spgc_watermark *watermark;
static enum action (*next_action)(uint64_t depth);

uint64_t act(uint64_t depth);
uint64_t act(uint64_t depth) {
  return next_action(depth);
}

/* A jump to one of call_catching's calls answers 0 for it. */
struct catcher {
  jmp_buf target;
  uint64_t depth; /* of the managed frame that it calls */
  struct catcher *outer;
};

static struct catcher *catchers;

uint64_t call_catching(uint64_t (*function)(struct spgc_ref, uint64_t), struct spgc_ref object,
                       uint64_t depth);
uint64_t call_catching(uint64_t (*function)(struct spgc_ref, uint64_t), struct spgc_ref object,
                       uint64_t depth) {
  struct catcher catcher = {.depth = depth, .outer = catchers};
  catchers = &catcher;
  uint64_t result = _setjmp(catcher.target) == 0 ? function(object, depth) : 0;
  catchers = catcher.outer;
  return result;
}

/* Innermost first. */
struct sight {
  uintptr_t frames[MOST_FRAMES];
  size_t count;
};

static struct sight resumed, unresumed, unchanged, all;

static bool see_frame(void *context, const struct spgc_frame *frame) {
  struct sight *sight = context;
  ck_assert_uint_lt(sight->count, MOST_FRAMES);
  sight->frames[sight->count++] = frame->stack_pointer;
  return true;
}

static struct spgc_stack_visitor watch(struct sight *sight) {
  sight->count = 0;
  return (struct spgc_stack_visitor){.context = sight, .frame = see_frame};
}

static void suspend(void *(*body)(const struct spgc_suspended_stack *stack, void *context),
                    void *context) {
  spgc_watermark_thin(watermark);
  spgc_stack_suspend(walk_base, body, context);
}

static void *see_whole_stack(const struct spgc_suspended_stack *stack, void *unused) {
  struct spgc_stack_visitor see_all = watch(&all), see_unresumed = watch(&unresumed),
                            see_resumed = watch(&resumed);
  struct spgc_stack_visitor see_unchanged = watch(&unchanged);
  spgc_walk_suspended(stack, &see_all, NULL);
  spgc_walk_resumed_unchanged(stack, watermark, &see_unchanged, NULL);
  spgc_walk_unresumed(stack, watermark, &see_unresumed, NULL);
  spgc_walk_resumed(stack, watermark, &see_resumed, NULL);
  return unused;
}

/* Resumed and unresumed frames must be all frames. Walks that keep the watermark must meet the
 * resumed ones. */
static void look(void) {
  suspend(see_whole_stack, NULL);
  ck_assert_uint_eq(resumed.count + unresumed.count, all.count);
  ck_assert_mem_eq(resumed.frames, all.frames, resumed.count * sizeof *all.frames);
  ck_assert_uint_eq(unchanged.count, resumed.count);
  ck_assert_mem_eq(unchanged.frames, resumed.frames, resumed.count * sizeof *all.frames);
  ck_assert_mem_eq(unresumed.frames, all.frames + resumed.count,
                   unresumed.count * sizeof *all.frames);
}

static void *see_resumed_frames(const struct spgc_suspended_stack *stack, void *unused) {
  struct spgc_stack_visitor see_resumed = watch(&resumed);
  spgc_walk_resumed(stack, watermark, &see_resumed, NULL);
  return unused;
}

static void start(enum action (*choose)(uint64_t depth), void *base) {
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  struct spgc_stackmap *map;
  ck_assert_int_eq(spgc_stackmap_register(__start_test_stackmaps, size, &map, NULL), SPGC_OK);
  watermark = spgc_watermark_create();
  ck_assert_ptr_nonnull(watermark);
  walk_base = base;
  toy_heap_reset(base);
  next_action = choose;
}

enum { DEPTH = 1000 };

static enum action look_at_the_bottom(uint64_t depth) {
  if (depth < DEPTH)
    return CALL;
  look();
  ck_assert_uint_eq(resumed.count, DEPTH + 1);
  for (int i = 0; i < 3; i++) {
    look();
    ck_assert_uint_lt(resumed.count, 10);
  }
  next_action = NULL;
  return RETURN;
}

static enum action return_always(uint64_t depth) {
  return RETURN;
}

static enum action look_and_dive(uint64_t depth) {
  look();
  look();
  ck_assert_uint_lt(resumed.count, 10);
  ck_assert_uint_gt(unresumed.count, 900);
  return RETURN;
}

START_TEST(results_come_back_through_barriers_in_all_four_registers) {
  start(look_and_dive, __builtin_frame_address(0));
  struct spgc_ref object = toy_new(3);
  struct pair pair = dive_pair(object, DEPTH);
  ck_assert_int_eq(pair.first, 1 + 3 * DEPTH);
  ck_assert_int_eq(pair.second, 10 + DEPTH);
  struct doubles doubles = dive_doubles(object, DEPTH);
  ck_assert_double_eq(doubles.first, 1.5 + 3 * DEPTH);
  ck_assert_double_eq(doubles.second, 0.25 + DEPTH);
}
END_TEST

static enum action look_at_the_bottom_then_return(uint64_t depth) {
  if (depth == DEPTH)
    look_at_the_bottom(depth);
  if (next_action == NULL) {
    next_action = return_always;
    return RETURN;
  }
  return CALL;
}

START_TEST(frames_below_the_watermark_are_left_out) {
  start(look_at_the_bottom_then_return, __builtin_frame_address(0));
  ck_assert_uint_eq(wander(toy_new(7), 0), 7 * (DEPTH + 1));
}
END_TEST

static uint64_t walks, frames_met;
static bool going_up;
enum { STEP = 50, DEEP = 100000 };

static enum action look_every_few_frames(uint64_t depth) {
  if (depth == DEEP)
    going_up = true;
  if (depth % STEP == 0) {
    suspend(see_resumed_frames, NULL);
    walks++;
    frames_met += resumed.count;
  }
  return going_up ? RETURN : CALL;
}

START_TEST(walks_meet_a_few_times_the_frames_that_were_resumed) {
  start(look_every_few_frames, __builtin_frame_address(0));
  ck_assert_uint_eq(wander(toy_new(1), 0), DEEP + 1);
  ck_assert_uint_eq(walks, 2 * DEEP / STEP + 1);
  ck_assert_uint_lt(frames_met, UINT64_C(12) * DEEP);
}
END_TEST

/* Frames by depth that were resumed since the last look. */
enum { MOST_DEPTH = 2000, STEPS = 15000 };
static bool was_resumed[MOST_DEPTH + 1];
static struct random generator;
static unsigned steps_left;
static uint64_t looks, left_out, jumps;

static void look_and_compare(uint64_t depth) {
  look();
  looks++;
  left_out += unresumed.count;
  ck_assert_uint_eq(all.count, depth + 1);
  for (size_t i = 0; i < unresumed.count; i++)
    ck_assert_msg(!was_resumed[depth - resumed.count - i], "frame %zu of %zu is left out",
                  resumed.count + i, all.count);
  memset(was_resumed, 0, sizeof was_resumed);
}

static void jump_somewhere(void) {
  unsigned skipped = (unsigned)random_below(&generator, 6);
  while (skipped-- != 0 && catchers->outer != NULL)
    catchers = catchers->outer;
  jumps++;
  longjmp(catchers->target, 1);
}

static enum action act_at_random(uint64_t depth) {
  static bool down;
  was_resumed[depth] = true;
  if (steps_left == 0)
    return RETURN;
  steps_left--;
  if (random_below(&generator, 200) == 0)
    down = !down;
  if (random_below(&generator, 40) == 0)
    look_and_compare(depth);
  was_resumed[depth] = true;
  if (random_below(&generator, 300) == 0 && catchers != NULL)
    jump_somewhere();
  bool call = random_below(&generator, 8) == 0 ? !down : down;
  if (depth == 0)
    call = true;
  if (!call || depth == MOST_DEPTH)
    return RETURN;
  return (enum action)(CALL +
                       (random_below(&generator, 10) == 0 ? 1 + random_below(&generator, 2) : 0));
}

START_TEST(a_random_stack_is_marked_as_a_model_says) {
  start(act_at_random, __builtin_frame_address(0));
  generator = random_start("watermark");
  generator.state += 2 * (uint64_t)_i;
  steps_left = STEPS;
  wander(toy_new(1), 0);
  ck_assert_uint_gt(looks, 300);
  ck_assert_uint_gt(jumps, 10);
  ck_assert_uint_gt(left_out, looks);
}
END_TEST

/* There are two unwinders of these names, unless libunwind was built without C++ exceptions, as in
 * Debian since 1.8.1-0.3. */
struct unwinder_functions {
  _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void *);
  _Unwind_Reason_Code (*force)(struct _Unwind_Exception *, _Unwind_Stop_Fn, void *);
  uintptr_t (*frame_address)(struct _Unwind_Context *);
  uintptr_t (*function_start)(struct _Unwind_Context *);
  uintptr_t (*instruction)(struct _Unwind_Context *);
};

static struct unwinder_functions unwinder;

static void *open_unwinder(int which) {
  static const char *const libraries[] = {"libgcc_s.so.1", "libunwind.so.8"};
  void *library = dlopen(libraries[which], RTLD_NOW);
  ck_assert_msg(library != NULL, "%s", dlerror());
  return library;
}

static int count_unwinders(void) {
  return dlsym(open_unwinder(1), "_Unwind_Backtrace") != NULL ? 2 : 1;
}

static void choose_unwinder(int which) {
  void *library = open_unwinder(which);
  *(void **)&unwinder.backtrace = dlsym(library, "_Unwind_Backtrace");
  *(void **)&unwinder.force = dlsym(library, "_Unwind_ForcedUnwind");
  *(void **)&unwinder.frame_address = dlsym(library, "_Unwind_GetCFA");
  *(void **)&unwinder.function_start = dlsym(library, "_Unwind_GetRegionStart");
  *(void **)&unwinder.instruction = dlsym(library, "_Unwind_GetIP");
}

static uint64_t frames_traced;

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *unused) {
  frames_traced += unwinder.function_start(context) == (uintptr_t)wander;
  return _URC_NO_REASON;
}

static enum action trace_the_bottom(uint64_t depth) {
  if (depth < DEPTH)
    return CALL;
  look();
  ck_assert_uint_eq(watermark->count, 4);
  unwinder.backtrace(count_frame, NULL);
  ck_assert_uint_eq(frames_traced, DEPTH + 1);
  next_action = return_always;
  return RETURN;
}

START_TEST(unwinders_step_through_barriers) {
  start(trace_the_bottom, __builtin_frame_address(0));
  choose_unwinder(_i);
  ck_assert_uint_eq(wander(toy_new(1), 0), DEPTH + 1);
}
END_TEST

/* A walk while the stack's thread unwinds it, as in blocking calls: marks are set after the
 * unwinder has read a barrier's address and before it asks for the original. */
enum { MARKED_DEPTH = 20000, UNWOUND_DEPTH = 24000, LOOK_EVERY = 100 };

static struct concurrent_walk {
  const struct spgc_suspended_stack *stack;
  unsigned barrier; /* at which one the walk takes place */
  unsigned barriers_met;
} concurrent_walk;

static _Unwind_Reason_Code walk_at_a_barrier(struct _Unwind_Context *context, void *unused) {
  struct return_address address = {unwinder.instruction(context)};
  count_frame(context, NULL);
  if (return_address_is_barrier(address) &&
      concurrent_walk.barriers_met++ == concurrent_walk.barrier)
    see_resumed_frames(concurrent_walk.stack, NULL);
  return _URC_NO_REASON;
}

static void *trace_while_walked(const struct spgc_suspended_stack *stack, void *unused) {
  concurrent_walk.stack = stack;
  frames_traced = 0;
  unwinder.backtrace(walk_at_a_barrier, NULL);
  ck_assert_uint_eq(frames_traced, UNWOUND_DEPTH + 1);
  return unused;
}

static enum action walk_while_the_bottom_is_traced(uint64_t depth) {
  if (depth < MARKED_DEPTH && depth % LOOK_EVERY == 0)
    suspend(see_resumed_frames, NULL);
  if (depth < UNWOUND_DEPTH)
    return depth % 7 == 3 ? CALL_THROUGH_C : CALL;
  ck_assert_uint_gt(watermark->count, WATERMARK_BARRIERS);
  suspend(trace_while_walked, NULL);
  ck_assert_uint_gt(concurrent_walk.barriers_met, WATERMARK_BARRIERS / 2);
  look();
  ck_assert_uint_lt(resumed.count, 10);
  next_action = return_always;
  return RETURN;
}

START_TEST(a_stack_may_be_unwound_while_it_is_marked) {
  start(walk_while_the_bottom_is_traced, __builtin_frame_address(0));
  choose_unwinder(_i / (int)WATERMARK_BARRIERS);
  concurrent_walk = (struct concurrent_walk){.barrier = (unsigned)_i % WATERMARK_BARRIERS};
  ck_assert_uint_eq(wander(toy_new(1), 0), UNWOUND_DEPTH + 1);
}
END_TEST

/* As in pthread_exit and cancellation. */
static struct _Unwind_Exception forced;
static jmp_buf after_unwinding;

static _Unwind_Reason_Code stop_at_the_base(int version, _Unwind_Action actions,
                                            _Unwind_Exception_Class class,
                                            struct _Unwind_Exception *exception,
                                            struct _Unwind_Context *context, void *unused) {
  if (unwinder.frame_address(context) >= (uintptr_t)walk_base)
    longjmp(after_unwinding, 1);
  return _URC_NO_REASON;
}

static enum action unwind_from_the_bottom(uint64_t depth) {
  if (depth < DEPTH)
    return CALL;
  look();
  unwinder.force(&forced, stop_at_the_base, NULL);
  ck_abort_msg("unwinding came back");
}

START_TEST(forced_unwinding_passes_barriers) {
  start(unwind_from_the_bottom, __builtin_frame_address(0));
  choose_unwinder(_i);
  if (_setjmp(after_unwinding) == 0)
    wander(toy_new(1), 0);
  next_action = look_at_the_bottom_then_return;
  ck_assert_uint_eq(wander(toy_new(7), 0), 7 * (DEPTH + 1));
}
END_TEST

START_TEST(what_cuts_the_stack_at_its_end_leaves_nothing_marked) {
  start(NULL, __builtin_frame_address(0));
  choose_unwinder(0);
  for (int i = 0; i < 5; i++) {
    next_action = unwind_from_the_bottom;
    if (_setjmp(after_unwinding) == 0)
      wander(toy_new(1), 0);
    look();
    ck_assert_uint_eq(all.count, 0);
    ck_assert_uint_eq(watermark->count, 0);
  }
}
END_TEST

START_TEST(watermarks_run_out_and_come_back) {
  start(look_at_the_bottom_then_return, __builtin_frame_address(0));
  struct spgc_watermark *others[RETURN_BARRIERS];
  unsigned count = 0;
  while ((others[count] = spgc_watermark_create()) != NULL)
    count++;
  ck_assert_uint_eq(count, RETURN_BARRIERS / WATERMARK_STUBS - 1);
  spgc_watermark_destroy(watermark);
  watermark = spgc_watermark_create();
  ck_assert_ptr_nonnull(watermark);
  ck_assert_uint_eq(wander(toy_new(7), 0), 7 * (DEPTH + 1));
  while (count-- != 0)
    spgc_watermark_destroy(others[count]);
}
END_TEST

static bool end_at_once(void *context, const struct spgc_frame *frame) {
  return false;
}

static void *end_a_walk(const struct spgc_suspended_stack *stack, void *unused) {
  struct spgc_stack_visitor visitor = {.frame = end_at_once};
  spgc_walk_resumed(stack, watermark, &visitor, NULL);
  return unused;
}

static enum action end_walks_at_the_bottom(uint64_t depth) {
  if (depth < DEPTH)
    return CALL;
  suspend(end_a_walk, NULL);
  ck_assert_uint_eq(watermark->count, 0);
  next_action = return_always;
  return RETURN;
}

static enum action look_without_a_watermark(uint64_t depth) {
  if (depth < DEPTH)
    return CALL;
  for (int i = 0; i < 2; i++) {
    look();
    ck_assert_uint_eq(resumed.count, DEPTH + 1);
  }
  next_action = return_always;
  return RETURN;
}

START_TEST(a_stack_without_a_watermark_is_met_whole) {
  start(look_without_a_watermark, __builtin_frame_address(0));
  spgc_watermark_destroy(watermark);
  watermark = NULL;
  ck_assert_uint_eq(wander(toy_new(1), 0), DEPTH + 1);
}
END_TEST

START_TEST(a_walk_that_was_ended_sets_no_mark) {
  start(end_walks_at_the_bottom, __builtin_frame_address(0));
  ck_assert_uint_eq(wander(toy_new(1), 0), DEPTH + 1);
}
END_TEST

int main(void) {
  const int unwinders = count_unwinders();
  Suite *suite = suite_create("stackwalk-watermark");
  TCase *tcase = tcase_create("watermark");
  tcase_set_timeout(tcase, 100);
  tcase_add_test(tcase, frames_below_the_watermark_are_left_out);
  tcase_add_test(tcase, results_come_back_through_barriers_in_all_four_registers);
  tcase_add_test(tcase, walks_meet_a_few_times_the_frames_that_were_resumed);
  tcase_add_loop_test(tcase, a_random_stack_is_marked_as_a_model_says, 0, 4);
  tcase_add_loop_test(tcase, unwinders_step_through_barriers, 0, unwinders);
  tcase_add_loop_test(tcase, a_stack_may_be_unwound_while_it_is_marked, 0,
                      unwinders * WATERMARK_BARRIERS);
  tcase_add_loop_test(tcase, forced_unwinding_passes_barriers, 0, unwinders);
  tcase_add_test(tcase, what_cuts_the_stack_at_its_end_leaves_nothing_marked);
  tcase_add_test(tcase, watermarks_run_out_and_come_back);
  tcase_add_test(tcase, a_stack_without_a_watermark_is_met_whole);
  tcase_add_test(tcase, a_walk_that_was_ended_sets_no_mark);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
