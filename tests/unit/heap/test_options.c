#include <signal.h>
#include <string.h>

#include "check_main.h"
#include "gc/policy/without.h"
#include "spgc/heap.h"

START_TEST(the_documented_example_sets_every_field) {
  struct spgc_options options;
  spgc_options_default(&options);
  enum spgc_result result = spgc_options_parse(
      &options,
      "stress=every-allocation,verify=full,poison=on,move=always,walk=differential,"
      "concurrent=off,limit=64m,nursery=4m,growth=100,pause=3000,slow_stop=500,seed=42,threads=2,"
      "log=gc,hang=5000000,overhead=98",
      NULL);
  ck_assert_int_eq(result, SPGC_OK);
  ck_assert_int_eq(options.stress, SPGC_STRESS_EVERY_ALLOCATION);
  ck_assert_int_eq(options.verify, SPGC_VERIFY_FULL);
  ck_assert_int_eq(options.move, SPGC_MOVE_ALWAYS);
  ck_assert_int_eq(options.walk, SPGC_WALK_DIFFERENTIAL);
  ck_assert_int_eq(options.concurrent, SPGC_CONCURRENT_OFF);
  ck_assert(options.poison);
  ck_assert_int_eq(options.log, SPGC_LOG_GC);
  ck_assert_uint_eq(options.heap_limit, 64 << 20);
  ck_assert_uint_eq(options.nursery_size, 4 << 20);
  ck_assert_uint_eq(options.seed, 42);
  ck_assert_uint_eq(options.threads, 2);
  ck_assert_uint_eq(options.pause_us, 3000);
  ck_assert_uint_eq(options.slow_stop_us, 500);
  ck_assert_uint_eq(options.hang_us, 5000000);
  ck_assert_uint_eq(options.overhead, 98);
  ck_assert_uint_eq(options.growth, 100);
}
END_TEST

START_TEST(options_apply_on_top_of_each_other) {
  struct spgc_options options;
  spgc_options_default(&options);
  ck_assert_int_eq(spgc_options_parse(&options, "limit=64m,poison=on", NULL), SPGC_OK);
  ck_assert_int_eq(spgc_options_parse(&options, "", NULL), SPGC_OK);
  ck_assert_int_eq(spgc_options_parse(&options, "poison=off,nursery=65536,nursery=131072", NULL),
                   SPGC_OK);
  ck_assert_uint_eq(options.heap_limit, 64 << 20);
  ck_assert_uint_eq(options.nursery_size, 131072);
  ck_assert(!options.poison);
}
END_TEST

START_TEST(files_have_names_that_outlive_the_text) {
  struct spgc_options options, again;
  char text[] = "log=all:a.log,trace=%p.json,snapshot=a:b,profile=c:d:64KiB";
  spgc_options_default(&options);
  spgc_options_default(&again);
  ck_assert_int_eq(spgc_options_parse(&options, text, NULL), SPGC_OK);
  ck_assert_int_eq(spgc_options_parse(&again, text, NULL), SPGC_OK);
  memset(text, 'x', sizeof text - 1);
  ck_assert_int_eq(options.log, SPGC_LOG_ALL);
  ck_assert_str_eq(options.log_file, "a.log");
  ck_assert_str_eq(options.trace, "%p.json");
  ck_assert_str_eq(options.snapshot, "a:b");
  ck_assert_str_eq(options.profile, "c:d");
  ck_assert_uint_eq(options.profile_bytes, 64 << 10);
  ck_assert_ptr_eq(again.trace, options.trace);
  ck_assert_int_eq(spgc_options_parse(&options, "log=gc,profile=e:f", NULL), SPGC_OK);
  ck_assert_ptr_null(options.log_file);
  ck_assert_str_eq(options.profile, "e:f");
  ck_assert_uint_eq(options.profile_bytes, 0);
}
END_TEST

START_TEST(a_signal_may_ask_for_a_file) {
  struct spgc_options options;
  spgc_options_default(&options);
  ck_assert_int_eq(spgc_options_parse(&options,
                                      "snapshot=a:b:on-signal=USR2,"
                                      "profile=c:d:64k:on-signal=SIGUSR1",
                                      NULL),
                   SPGC_OK);
  ck_assert_str_eq(options.snapshot, "a:b");
  ck_assert_int_eq(options.snapshot_signal, SIGUSR2);
  ck_assert_str_eq(options.profile, "c:d");
  ck_assert_uint_eq(options.profile_bytes, 64 << 10);
  ck_assert_int_eq(options.profile_signal, SIGUSR1);
  ck_assert_int_eq(spgc_options_parse(&options, "profile=e:on-signal=HUP,snapshot=f", NULL),
                   SPGC_OK);
  ck_assert_str_eq(options.profile, "e");
  ck_assert_uint_eq(options.profile_bytes, 0);
  ck_assert_int_eq(options.profile_signal, SIGHUP);
  ck_assert_int_eq(options.snapshot_signal, 0);
}
END_TEST

START_TEST(sizes_take_units) {
  static const struct {
    const char *text;
    size_t size;
  } sizes[] = {{"limit=0", 0},
               {"limit=2097152", 2097152},
               {"limit=2048k", 2097152},
               {"limit=3m", 3 << 20},
               {"limit=48MiB", 48 << 20},
               {"limit=48mb", 48 << 20},
               {"limit=4096Kb", 4 << 20},
               {"limit=4194304B", 4 << 20},
               {"limit=2GB", (size_t)2 << 30},
               {"limit=1g", (size_t)1 << 30}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    struct spgc_options options;
    spgc_options_default(&options);
    ck_assert_int_eq(spgc_options_parse(&options, sizes[i].text, NULL), SPGC_OK);
    ck_assert_uint_eq(options.heap_limit, sizes[i].size);
  }
}
END_TEST

static const struct constant_row {
  const char *text;
  size_t offset;
  uint32_t value;
} constants[] = {
#define OPTION(text, member, value) {text, offsetof(struct spgc_options, member), value}
    OPTION("stress=none", stress, SPGC_STRESS_NONE),
    OPTION("stress=every-allocation", stress, SPGC_STRESS_EVERY_ALLOCATION),
    OPTION("stress=every-7", stress, SPGC_STRESS_EVERY_NTH_ALLOCATION),
    OPTION("stress=random:0.5", stress, SPGC_STRESS_RANDOM),
    OPTION("verify=none", verify, SPGC_VERIFY_NONE),
    OPTION("verify=full", verify, SPGC_VERIFY_FULL),
    OPTION("move=default", move, SPGC_MOVE_DEFAULT),
    OPTION("move=always", move, SPGC_MOVE_ALWAYS),
    OPTION("born=default", born, SPGC_BORN_DEFAULT),
    OPTION("born=old", born, SPGC_BORN_OLD),
    OPTION("born=random", born, SPGC_BORN_RANDOM),
    OPTION("compact=default", compact, SPGC_COMPACT_DEFAULT),
    OPTION("compact=off", compact, SPGC_COMPACT_OFF),
    OPTION("compact=always", compact, SPGC_COMPACT_ALWAYS),
    OPTION("concurrent=default", concurrent, SPGC_CONCURRENT_DEFAULT),
    OPTION("concurrent=off", concurrent, SPGC_CONCURRENT_OFF),
    OPTION("concurrent=on", concurrent, SPGC_CONCURRENT_ON),
    OPTION("walk=fast", walk, SPGC_WALK_FAST),
    OPTION("walk=unwind", walk, SPGC_WALK_UNWIND),
    OPTION("walk=differential", walk, SPGC_WALK_DIFFERENTIAL),
    OPTION("log=none", log, SPGC_LOG_NONE),
    OPTION("log=summary", log, SPGC_LOG_SUMMARY),
    OPTION("log=gc", log, SPGC_LOG_GC),
    OPTION("log=all", log, SPGC_LOG_ALL),
    OPTION("growth=limit", growth, SPGC_GROWTH_TO_LIMIT),
    OPTION("overhead=off", overhead, SPGC_OVERHEAD_OFF),
    OPTION("slow_stop=always", slow_stop_us, SPGC_SLOW_STOP_ALWAYS),
    OPTION("hang=off", hang_us, SPGC_HANG_OFF),
#undef OPTION
};

START_TEST(each_word_stands_for_its_constant) {
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
    const struct constant_row *row = &constants[i];
    struct spgc_options options;
    spgc_options_default(&options);
    memset((unsigned char *)&options + row->offset, 0x5a, sizeof row->value);
    ck_assert_int_eq(spgc_options_parse(&options, row->text, NULL), SPGC_OK);
    uint32_t value;
    memcpy(&value, (const unsigned char *)&options + row->offset, sizeof value);
    ck_assert_msg(value == row->value, "%s: %u", row->text, value);
  }
}
END_TEST

START_TEST(growth_is_of_some_percent_or_up_to_the_limit) {
  struct spgc_options options;
  spgc_options_default(&options);
  ck_assert_uint_eq(options.growth, 0);
  ck_assert_int_eq(spgc_options_parse(&options, "growth=10000", NULL), SPGC_OK);
  ck_assert_uint_eq(options.growth, 10000);
  ck_assert_int_eq(spgc_options_parse(&options, "growth=limit", NULL), SPGC_OK);
  ck_assert_uint_eq(options.growth, SPGC_GROWTH_TO_LIMIT);
  ck_assert_int_eq(spgc_options_parse(&options, "growth=0", NULL), SPGC_OK);
  ck_assert_uint_eq(options.growth, 0);
}
END_TEST

START_TEST(every_way_to_walk_has_a_word) {
  struct spgc_options options;
  spgc_options_default(&options);
  ck_assert_int_eq(options.walk, SPGC_WALK_FAST);
  ck_assert_int_eq(spgc_options_parse(&options, "walk=unwind", NULL), SPGC_OK);
  ck_assert_int_eq(options.walk, SPGC_WALK_UNWIND);
  ck_assert_int_eq(spgc_options_parse(&options, "walk=differential", NULL), SPGC_OK);
  ck_assert_int_eq(options.walk, SPGC_WALK_DIFFERENTIAL);
  ck_assert_int_eq(spgc_options_parse(&options, "walk=fast", NULL), SPGC_OK);
  ck_assert_int_eq(options.walk, SPGC_WALK_FAST);
}
END_TEST

START_TEST(stress_takes_an_interval_or_a_chance) {
  struct spgc_options options;
  spgc_options_default(&options);
  ck_assert_int_eq(spgc_options_parse(&options, "stress=every-18446744073709551615", NULL),
                   SPGC_OK);
  ck_assert_int_eq(options.stress, SPGC_STRESS_EVERY_NTH_ALLOCATION);
  ck_assert_uint_eq(options.stress_interval, UINT64_MAX);
  ck_assert_int_eq(spgc_options_parse(&options, "stress=random:0.015625", NULL), SPGC_OK);
  ck_assert_int_eq(options.stress, SPGC_STRESS_RANDOM);
  ck_assert_double_eq(options.stress_probability, 0.015625);
  ck_assert_int_eq(spgc_options_parse(&options, "stress=random:1.0", NULL), SPGC_OK);
  ck_assert_double_eq(options.stress_probability, 1);
  ck_assert_int_eq(spgc_options_parse(&options, "stress=random:0.000000001", NULL), SPGC_OK);
  ck_assert_double_eq(options.stress_probability, 1e-9);
  ck_assert_int_eq(spgc_options_parse(&options, "stress=every-allocation", NULL), SPGC_OK);
  ck_assert_int_eq(options.stress, SPGC_STRESS_EVERY_ALLOCATION);
}
END_TEST

START_TEST(what_is_left_out_is_named_one_by_one) {
  struct spgc_options options;
  spgc_options_default(&options);
  ck_assert_uint_eq(options.without, 0);
  ck_assert_int_eq(spgc_options_parse(&options, "without=watermark+born-old,threads=1", NULL),
                   SPGC_OK);
  ck_assert_uint_eq(options.without, SPGC_WITHOUT_WATERMARK | SPGC_WITHOUT_BORN_OLD);
  ck_assert_uint_eq(options.threads, 1);
  ck_assert_int_eq(spgc_options_parse(&options, "without=prediction+sticky-marks", NULL), SPGC_OK);
  ck_assert_uint_eq(options.without, SPGC_WITHOUT_PREDICTION | SPGC_WITHOUT_STICKY_MARKS);
}
END_TEST

static const struct {
  const char *text;
  uint64_t position;
  const char *message;
} mistakes[] = {
    {"colour=red", 0, "unknown option"},
    {"concurrent=yes", 11, "default, on or off"},
    {"limit=64m,stress=sometimes", 17, "every-allocation"},
    {"limit=64m,stress=every-", 23, "from 1 to"},
    {"stress=every-0", 13, "from 1 to"},
    {"stress=every-7x", 13, "from 1 to"},
    {"stress=every-18446744073709551616", 13, "from 1 to"},
    {"stress=random", 7, "random:P"},
    {"stress=random:", 14, "above 0 and at most 1"},
    {"stress=random:0", 14, "above 0 and at most 1"},
    {"stress=random:0.000", 14, "above 0 and at most 1"},
    {"stress=random:1.01", 14, "above 0 and at most 1"},
    {"stress=random:-0.5", 14, "above 0 and at most 1"},
    {"stress=random:.5", 14, "above 0 and at most 1"},
    {"stress=random:0.", 14, "above 0 and at most 1"},
    {"stress=random:1e-3", 14, "above 0 and at most 1"},
    {"stress=random:0.0000000001", 14, "at most 9 decimal places"},
    {"limit", 0, "key=value"},
    {"limit=64m,", 10, "key=value"},
    {",limit=64m", 0, "key=value"},
    {"limit=64m,,log=gc", 10, "key=value"},
    {"limit=", 6, "size"},
    {"limit=-1", 6, "size"},
    {"limit=64q", 6, "size"},
    {"limit=64mm", 6, "size"},
    {"limit=64mi", 6, "size"},
    {"limit=64mibs", 6, "size"},
    {"limit=64 mb", 6, "size"},
    {"limit=mb", 6, "size"},
    {"limit=99999999999999999999", 6, "size"},
    {"limit=99999999999999g", 6, "size"},
    {"limit=1m", 6, "from 2m"},
    {"limit=20000g", 6, "from 2m"},
    {"nursery=1k", 8, "from 32k"},
    {"nursery=16385g", 8, "from 32k"},
    {"nursery=x", 8, "size"},
    {"seed=12x", 5, "seed"},
    {"seed=", 5, "seed"},
    {"threads=17", 8, "threads"},
    {"growth=", 7, "growth"},
    {"growth=10001", 7, "growth"},
    {"growth=4294967295", 7, "growth"},
    {"growth=50%", 7, "growth"},
    {"pause=", 6, "pause"},
    {"pause=3ms", 6, "pause"},
    {"pause=4294967296", 6, "pause"},
    {"slow_stop=", 10, "slow_stop"},
    {"slow_stop=4294967295", 10, "slow_stop"},
    {"hang=0", 5, "hang"},
    {"hang=4294967296", 5, "hang"},
    {"hang=on", 5, "hang"},
    {"overhead=101", 9, "overhead is 0 or from 1 to 100 percent, or off"},
    {"overhead=98%", 9, "overhead"},
    {"overhead=", 9, "overhead"},
    {"overhead=18446744073709551615", 9, "overhead"},
    {"threads=two", 8, "threads"},
    {"poison=yes", 7, "on or off"},
    {"verify=on", 7, "none or full"},
    {"move=never", 5, "default or always"},
    {"without=", 8, "left out"},
    {"without=watermark+", 18, "left out"},
    {"without=watermark+roots", 18, "left out"},
    {"walk=slow", 5, "fast, unwind or differential"},
    {"log=everything", 4, "none, summary, gc or all"},
    {"log=gc:", 7, "a file's name is missing or too long"},
    {"trace=", 6, "a file's name is missing or too long"},
    {"snapshot=a:on-signal=", 21, "on-signal takes the name of a signal"},
    {"snapshot=a:on-signal=usr2", 21, "on-signal takes the name of a signal"},
    {"snapshot=a:on-signal=KILL", 21, "on-signal takes the name of a signal"},
    {"profile=a:64k:on-signal=SEGV", 24, "on-signal takes the name of a signal"},
    {"profile=a:on-signal=12", 20, "on-signal takes the name of a signal"},
    {"snapshot=:on-signal=USR2", 9, "a file's name is missing or too long"},
    {"profile=p:0", 10, "1 to 1g bytes"},
    {"limit=4m\n", 6, "\"4m \" at byte 6"},
    {"a\nb=\033[2J", 0, "unknown option: \"a b\""},
    {"nursery=\033[2J", 8, "\"\\x1B[2J\" at byte 8"},
    {"LIMIT=64m", 0, "unknown option"},
    {"compact=on", 8, "compact takes default, off or always"},
    {"parallel=on", 0, "\"parallel\" at byte 0. There are: limit, nursery, stress,"},
    {"limits=1m", 0, "snapshot, profile, hang, born"},
    {" limit=64m", 0, "unknown option"},
    {"limit=64m ", 6, "size"},
};

START_TEST(a_mistake_is_named_with_its_position_and_changes_nothing) {
  struct spgc_options before, options;
  memset(&before, 0, sizeof before);
  spgc_options_default(&before);
  before.heap_limit = 12345678;
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    struct spgc_error error;
    memcpy(&options, &before, sizeof options);
    ck_assert_int_eq(spgc_options_parse(&options, mistakes[i].text, &error),
                     SPGC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(error.code, SPGC_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(error.position == mistakes[i].position, "\"%s\": position %lu: %s",
                  mistakes[i].text, (unsigned long)error.position, error.message);
    ck_assert_msg(strstr(error.message, mistakes[i].message) != NULL, "\"%s\": %s",
                  mistakes[i].text, error.message);
    ck_assert_mem_eq(&options, &before, sizeof options);
    ck_assert_int_eq(spgc_options_parse(&options, mistakes[i].text, NULL),
                     SPGC_ERROR_INVALID_ARGUMENT);
  }
}
END_TEST

CHECK_MAIN("heap-options", the_documented_example_sets_every_field,
           options_apply_on_top_of_each_other, every_way_to_walk_has_a_word,
           stress_takes_an_interval_or_a_chance, what_is_left_out_is_named_one_by_one,
           each_word_stands_for_its_constant, growth_is_of_some_percent_or_up_to_the_limit,
           files_have_names_that_outlive_the_text, a_signal_may_ask_for_a_file, sizes_take_units,
           a_mistake_is_named_with_its_position_and_changes_nothing)
