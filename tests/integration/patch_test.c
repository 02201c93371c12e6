/* Call sites patched at any time, and their code as LLVM reads it. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "codegen/jit/patch_code.h"
#include "spgc/stackmap.h"
#include "spgc/thread.h"
#include "tests/integration/jit_template.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"
#include "tests/support/system_calls.h"

enum { SITE_ID = 4711, SLED = 24, OBJECT = 21000 };

static void *site;

static void patch(number_function *target) {
  struct spgc_error error;
  ck_assert_ok(spgc_jit_patch_call(jit_world_jit, site, SLED, (void *)(uintptr_t)target, &error),
               error);
}

static int64_t nobody(int64_t n) {
  return -1;
}

static void start(const char *options, unsigned level) {
  uintptr_t found[2];
  jit_world_start(options);
  jit_world_define("nobody", (void *)nobody);
  jit_world_load_file("patchable.ll", level);
  ck_assert_uint_eq(spgc_stackmap_call_sites(SITE_ID, found, 2), 1);
  site = (void *)found[0];
}

static int64_t twice(int64_t n) {
  spgc_collect(SPGC_COLLECTION_MINOR);
  return 2 * n;
}

static int64_t redirect(int64_t n) {
  spgc_collect(SPGC_COLLECTION_MINOR);
  patch(twice);
  spgc_collect(SPGC_COLLECTION_FULL);
  return n + 1;
}

START_TEST(a_call_is_redirected_while_its_callee_collects) {
  struct spgc_error error;
  start(jit_world_hostile, (unsigned)_i);
  patch(redirect);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  number_function *call = (number_function *)(uintptr_t)jit_world_lookup("call_through_sled");
  ck_assert_int_eq(call(7), OBJECT + 8);
  ck_assert_int_eq(call(7), OBJECT + 14);
  patch(redirect);
  ck_assert_int_eq(call(8), OBJECT + 9);
  ck_assert_uint_ge(jit_world_finish().moved_objects, 5);
  jit_world_stop();
}
END_TEST

static atomic_bool done;

static int64_t one(int64_t n) {
  return 1;
}

static int64_t two(int64_t n) {
  return 2;
}

static void *redirect_often(void *unused) {
  for (unsigned i = 0; !atomic_load(&done); i++)
    patch(i % 2 == 0 ? one : two);
  return NULL;
}

START_TEST(a_call_is_redirected_while_another_thread_makes_it) {
  enum { CALLS = 200000 };
  struct spgc_error error;
  uint64_t answers[3] = {0};
  pthread_t thread;
  start("nursery=64k", 2);
  patch(one);
  number_function *call = (number_function *)(uintptr_t)jit_world_lookup("call_through_sled");
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  ck_assert_int_eq(pthread_create(&thread, NULL, redirect_often, NULL), 0);
  for (int i = 0; i < CALLS || answers[1] == 0 || answers[2] == 0; i++) {
    int64_t answer = call(0) - OBJECT;
    ck_assert(answer == 1 || answer == 2);
    answers[answer]++;
  }
  atomic_store(&done, true);
  pthread_join(thread, NULL);
  jit_world_finish();
  jit_world_stop();
}
END_TEST

static bool is_writable_code(const char *line) {
  const char *permissions = strchr(line, ' ');
  return permissions != NULL && permissions[2] == 'w' &&
         (permissions[3] == 'x' || strstr(line, "memfd:spgc-jit") != NULL);
}

static bool is_code(const char *line) {
  const char *permissions = strchr(line, ' ');
  return permissions != NULL && permissions[3] == 'x' && strstr(line, "memfd:spgc-jit") != NULL;
}

START_TEST(no_memory_is_writable_and_executable) {
  start("limit=64m", 2);
  patch(one);
  patch(two);
  FILE *maps = fopen("/proc/self/maps", "r");
  ck_assert_ptr_nonnull(maps);
  char line[512];
  int code_mappings = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    ck_assert_msg(!is_writable_code(line), "%s", line);
    code_mappings += is_code(line);
  }
  fclose(maps);
  ck_assert_int_eq(code_mappings, 1);
  jit_world_stop();
}
END_TEST

START_TEST(only_sleds_are_patched) {
  struct spgc_error error;
  start("limit=64m", 2);
  char *end = site;
  void *target = (void *)(uintptr_t)one;
  ck_assert_int_eq(spgc_jit_patch_call(jit_world_jit, end, SLED + 4, target, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_jit_patch_call(jit_world_jit, end + 3, SLED, target, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_jit_patch_call(jit_world_jit, end, 5, target, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_jit_patch_call(jit_world_jit, &error, SLED, target, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  patch(one);
  ck_assert_int_eq(jit_world_run("call_through_sled", 7), OBJECT + 1);
  jit_world_finish();
  jit_world_stop();
}
END_TEST

START_TEST(a_patched_object_is_removed_and_loaded_again) {
  jit_world_start("limit=64m");
  jit_world_define("nobody", (void *)nobody);
  struct jit_template template;
  char *text = compile_read("patchable.ll");
  jit_template_compile_at(&template, text, 0);
  free(text);
  for (int round = 0; round < 520; round++) { /* a page has fewer slots */
    uintptr_t found[2];
    struct spgc_jit_object *object;
    struct spgc_error error;
    ck_assert_ok(spgc_jit_add(jit_world_jit, jit_template_copy(&template, 0, 0), &object, &error),
                 error);
    ck_assert_uint_eq(spgc_stackmap_call_sites(SITE_ID, found, 2), 1);
    site = (void *)found[0];
    patch(round % 2 == 0 ? one : two);
    ck_assert_int_eq(jit_world_run("call_through_sled", 7), OBJECT + 1 + round % 2);
    jit_world_finish();
    jit_world_remove(object);
  }
  jit_template_free(&template);
  jit_world_stop();
}
END_TEST

/* A filter ends the process at the system call that tells them. */
START_TEST(other_cores_are_told_of_patched_code) {
  static const int synchronise[] = {SYS_membarrier};
  start("limit=64m", 2);
  system_calls_filter(synchronise, 1, false);
  patch(one);
}
END_TEST

START_TEST(a_sandbox_may_refuse_to_tell_other_cores) {
  static const int synchronise[] = {SYS_membarrier};
  start("limit=64m", 2);
  system_calls_refuse(synchronise, 1, EPERM);
  patch(one);
  ck_assert_int_eq(jit_world_run("call_through_sled", 7), OBJECT + 1);
  jit_world_finish();
  jit_world_stop();
}
END_TEST

enum { CODE_BYTES = 64, TEXT_BYTES = 128 };

static uint8_t code[CODE_BYTES] __attribute__((aligned(CODE_BYTES)));

struct reading {
  LLVMDisasmContextRef disassembler;
  uint8_t *at;
};

static void read_instruction(struct reading *reading, char text[TEXT_BYTES]) {
  size_t length = LLVMDisasmInstruction(reading->disassembler, reading->at,
                                        (uint64_t)(code + CODE_BYTES - reading->at),
                                        (uintptr_t)reading->at, text, TEXT_BYTES);
  ck_assert_uint_gt(length, 0);
  reading->at += length;
}

static void expect(struct reading *reading, const char *instruction) {
  char text[TEXT_BYTES];
  read_instruction(reading, text);
  ck_assert_str_eq(text, instruction);
}

static uintptr_t expect_number(struct reading *reading, const char *before, const char *after) {
  char text[TEXT_BYTES], *end;
  read_instruction(reading, text);
  ck_assert_msg(strncmp(text, before, strlen(before)) == 0, "%s", text);
  long number = strtol(text + strlen(before), &end, 0);
  ck_assert_msg(strcmp(end, after) == 0, "%s", text);
  return (uintptr_t)number;
}

static struct reading patched(const struct patch_code *written, const char *triple,
                              uintptr_t slot) {
  LLVMInitializeX86Disassembler();
  LLVMInitializeAArch64Disassembler();
  struct reading reading = {LLVMCreateDisasm(triple, NULL, 0, NULL, NULL), code};
  ck_assert_ptr_nonnull(reading.disassembler);
  written->write_call(code + CODE_BYTES, CODE_BYTES, (uintptr_t)(code + CODE_BYTES), slot);
  while (reading.at < code + CODE_BYTES - written->call_bytes)
    expect(&reading, "\tnop");
  return reading;
}

static const intptr_t distances[] = {8, 4088, 4096, 1L << 30, -8, -4096, -4104, -(1L << 30)};
enum { DISTANCES = sizeof distances / sizeof *distances };

START_TEST(a_call_on_x86_64_loads_its_target_from_the_slot) {
  struct spgc_error error;
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  uintptr_t slot = (uintptr_t)code + (uintptr_t)distances[_i];
  struct reading reading = patched(&spgc_patch_code_x86_64, "x86_64-linux-gnu", slot);
  uintptr_t distance = expect_number(&reading, "\tcallq\t*", "(%rip)");
  ck_assert_ptr_eq(reading.at, code + CODE_BYTES);
  ck_assert_uint_eq((uintptr_t)reading.at + distance, slot);
  LLVMDisasmDispose(reading.disassembler);
}
END_TEST

START_TEST(a_call_on_aarch64_loads_its_target_from_the_slot) {
  struct spgc_error error;
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  uintptr_t slot = (uintptr_t)code + (uintptr_t)distances[_i], found;
  struct reading reading = patched(&spgc_patch_code_aarch64, "aarch64-linux-gnu", slot);
  found = (uintptr_t)reading.at & ~(uintptr_t)0xFFF;
  found += expect_number(&reading, "\tadrp\tx16, #", "");
  if (slot % 4096 == 0)
    expect(&reading, "\tldr\tx16, [x16]");
  else
    found += expect_number(&reading, "\tldr\tx16, [x16, #", "]");
  expect(&reading, "\tblr\tx16");
  ck_assert_ptr_eq(reading.at, code + CODE_BYTES);
  ck_assert_uint_eq(found, slot);
  LLVMDisasmDispose(reading.disassembler);
}
END_TEST

START_TEST(a_sled_on_aarch64_has_whole_nops_only) {
  static const uint8_t nop[] = {0x1F, 0x20, 0x03, 0xD5};
  for (size_t at = 0; at < CODE_BYTES; at++)
    code[at] = nop[at % sizeof nop];
  ck_assert(spgc_patch_code_aarch64.is_sled(code, CODE_BYTES));
  ck_assert(!spgc_patch_code_aarch64.is_sled(code + 2, CODE_BYTES - 4));
  ck_assert(!spgc_patch_code_aarch64.is_sled(code, CODE_BYTES - 2));
  code[CODE_BYTES - 4]++;
  ck_assert(!spgc_patch_code_aarch64.is_sled(code, CODE_BYTES));
  ck_assert(spgc_patch_code_aarch64.is_sled(code, CODE_BYTES - 4));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-patch");
  TCase *tests = tcase_create("patch");
  tcase_set_timeout(tests, 120);
  compile_add_levels(tests, a_call_is_redirected_while_its_callee_collects);
  tcase_add_test(tests, a_call_is_redirected_while_another_thread_makes_it);
  tcase_add_test(tests, no_memory_is_writable_and_executable);
  tcase_add_test(tests, only_sleds_are_patched);
  tcase_add_test(tests, a_patched_object_is_removed_and_loaded_again);
  tcase_add_loop_test(tests, a_call_on_x86_64_loads_its_target_from_the_slot, 0, DISTANCES);
  tcase_add_loop_test(tests, a_call_on_aarch64_loads_its_target_from_the_slot, 0, DISTANCES);
  tcase_add_test(tests, a_sled_on_aarch64_has_whole_nops_only);
  suite_add_tcase(suite, tests);
  TCase *filtered = tcase_create("filtered");
  tcase_set_tags(filtered, "seccomp");
  tcase_add_test_raise_signal(filtered, other_cores_are_told_of_patched_code, SIGSYS);
  tcase_add_test(filtered, a_sandbox_may_refuse_to_tell_other_cores);
  suite_add_tcase(suite, filtered);
  return suite_run(suite);
}
