#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spgc/allocate.h"
#include "spgc/handle.h"
#include "spgc/jit.h"
#include "spgc/snapshot.h"
#include "spgc/thread.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

START_TEST(collects_while_jit_frames_are_active) {
  jit_world_start("nursery=64k");
  jit_world_load_file("list.ll", (unsigned)_i);
  ck_assert_int_eq(jit_world_run("managed_run", 20000), 20000LL * 20001 / 2);
  struct spgc_statistics statistics = jit_world_finish();
  ck_assert_uint_gt(statistics.minor_collections, 0);
  ck_assert_uint_gt(statistics.moved_objects, 0);
  jit_world_stop();
}
END_TEST

START_TEST(moves_every_object_at_every_safepoint) {
  jit_world_start(jit_world_hostile);
  jit_world_load_file("list.ll", (unsigned)_i);
  ck_assert_int_eq(jit_world_run("managed_run", 60), 60 * 61 / 2);
  struct spgc_statistics statistics = jit_world_finish();
  ck_assert_uint_gt(statistics.moved_objects, 1000);
  ck_assert_uint_gt(statistics.registers_rewritten, 0);
  jit_world_stop();
}
END_TEST

START_TEST(tail_calls_go_ten_million_deep) {
  jit_world_start("nursery=64k");
  jit_world_load_file("tail_calls.ll", (unsigned)_i);
  ck_assert_int_eq(jit_world_run("managed_run", 10000000), 10000000);
  ck_assert_uint_gt(jit_world_finish().moved_objects, 0);
  jit_world_stop();
}
END_TEST

static char *numbered_module(int number) {
  static const char format[] =
      "%%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }\n"
      "@node = internal constant %%spgc_type { i32 16, i32 0, i32 0, i32 0, ptr null, i32 0, "
      "i32 0, ptr null, ptr null }\n"
      "declare ptr addrspace(1) @spgc_allocate(ptr)\n"
      "declare i64 @between(i64)\n"
      "@kept = internal global ptr addrspace(1) null\n"
      "define i64 @function_%d(i64 %%n) gc \"statepoint-example\" {\n"
      "  %%o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
      "  %%field = getelementptr i8, ptr addrspace(1) %%o, i64 8\n"
      "  store i64 %d, ptr addrspace(1) %%field\n"
      "  %%k = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
      "  %%kept.field = getelementptr i8, ptr addrspace(1) %%k, i64 8\n"
      "  store i64 %%n, ptr addrspace(1) %%kept.field\n"
      "  store ptr addrspace(1) %%k, ptr @kept\n"
      "  %%r = call i64 @between(i64 %%n)\n"
      "  %%again = getelementptr i8, ptr addrspace(1) %%o, i64 8\n"
      "  %%v = load i64, ptr addrspace(1) %%again\n"
      "  %%global = load ptr addrspace(1), ptr @kept\n"
      "  %%global.field = getelementptr i8, ptr addrspace(1) %%global, i64 8\n"
      "  %%g = load i64, ptr addrspace(1) %%global.field\n"
      "  %%d = sub i64 %%g, %%n\n"
      "  %%s = add i64 %%r, %%v\n"
      "  %%t = add i64 %%s, %%d\n"
      "  ret i64 %%t\n}\n";
  char *text;
  ck_assert_int_ne(asprintf(&text, format, number, number), -1);
  return text;
}

static struct spgc_jit_object *load_numbered(int number) {
  char *text = numbered_module(number);
  struct spgc_jit_object *object = jit_world_load_text(text, 1);
  free(text);
  return object;
}

static int64_t call_numbered(int number, int64_t argument) {
  char name[32];
  snprintf(name, sizeof name, "function_%d", number);
  return ((number_function *)(uintptr_t)jit_world_lookup(name))(argument);
}

static int64_t collect_between(int64_t n) {
  spgc_collect(SPGC_COLLECTION_MINOR);
  return 0;
}

enum { OBJECTS = 40 };

START_TEST(objects_come_and_go_in_any_order) {
  struct spgc_error error;
  struct spgc_jit_object *objects[OBJECTS];
  jit_world_start("verify=full,poison=on,move=always,walk=differential,seed=3,limit=64m");
  jit_world_define("between", (void *)collect_between);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  for (int i = 0; i < OBJECTS; i++)
    objects[i] = load_numbered(i);
  for (int round = 0; round < 3; round++) {
    for (int i = round % 2; i < OBJECTS; i += 2)
      jit_world_remove(objects[i]);
    for (int i = round % 2; i < OBJECTS; i += 2)
      objects[i] = load_numbered(i);
    for (int i = 0; i < OBJECTS; i++)
      ck_assert_int_eq(call_numbered(i, i), i);
  }
  struct spgc_statistics statistics = jit_world_finish();
  ck_assert_uint_ge(statistics.moved_objects, 3 * OBJECTS);
  jit_world_stop();
}
END_TEST

static bool file_has(const char *path, const char *text) {
  static char bytes[1 << 20];
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return memmem(bytes, size, text, strlen(text)) != NULL;
}

START_TEST(snapshots_show_variables_by_their_symbols_while_they_are_loaded) {
  struct spgc_error error;
  char path[40];
  snprintf(path, sizeof path, "jit-%d.heapsnapshot", (int)getpid());
  jit_world_start("verify=full,move=always,limit=64m");
  jit_world_define("between", (void *)collect_between);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  struct spgc_jit_object *object = load_numbered(1);
  call_numbered(1, 1);
  ck_assert_ok(spgc_snapshot_write(path, &error), error);
  ck_assert(file_has(path, "\"kept\""));
  jit_world_remove(object);
  ck_assert_ok(spgc_snapshot_write(path, &error), error);
  ck_assert(!file_has(path, "\"kept\""));
  unlink(path);
  jit_world_finish();
  jit_world_stop();
}
END_TEST

static int64_t churn_between(int64_t n) {
  for (int i = 100; i < 100 + n; i++) {
    struct spgc_jit_object *object = load_numbered(i);
    spgc_collect(SPGC_COLLECTION_MINOR);
    jit_world_remove(object);
    spgc_collect(SPGC_COLLECTION_MINOR);
  }
  return 0;
}

START_TEST(a_frame_is_walked_while_other_objects_come_and_go) {
  struct spgc_error error;
  jit_world_start("verify=full,poison=on,move=always,walk=differential,seed=4,limit=64m");
  jit_world_define("between", (void *)churn_between);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  load_numbered(1);
  ck_assert_int_eq(call_numbered(1, 12), 1);
  struct spgc_statistics statistics = jit_world_finish();
  ck_assert_uint_ge(statistics.moved_objects, 24);
  ck_assert_uint_ge(statistics.frames_walked, 24);
  jit_world_stop();
}
END_TEST

static int64_t descend_between(int64_t n) {
  spgc_collect(SPGC_COLLECTION_MINOR);
  int64_t result = n > 0 ? call_numbered((int)n - 1, n - 1) : 0;
  spgc_collect(SPGC_COLLECTION_MINOR);
  return result;
}

START_TEST(one_walk_crosses_frames_of_many_objects) {
  struct spgc_error error;
  jit_world_start("verify=full,poison=on,move=always,walk=differential,seed=5,limit=64m");
  jit_world_define("between", (void *)descend_between);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  for (int i = 0; i < OBJECTS; i++)
    load_numbered(i);
  ck_assert_int_eq(call_numbered(OBJECTS - 1, OBJECTS - 1), OBJECTS * (OBJECTS - 1) / 2);
  struct spgc_statistics statistics = jit_world_finish();
  ck_assert_uint_gt(statistics.frames_walked, OBJECTS * OBJECTS / 2);
  jit_world_stop();
}
END_TEST

START_TEST(objects_share_functions_that_both_define) {
  jit_world_start(jit_world_hostile);
  jit_world_load_file("shared_second.ll", (unsigned)_i);
  jit_world_load_file("shared_first.ll", (unsigned)_i);
  ck_assert_int_eq(jit_world_run("managed_run", 20), 20 * 21);
  struct spgc_statistics statistics = jit_world_finish();
  ck_assert_uint_gt(statistics.moved_objects, 1000);
  ck_assert_uint_gt(statistics.registers_rewritten, 0);
  jit_world_stop();
}
END_TEST

static const char with_descriptor[] =
    "@kept = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }"
    "  { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null }\n"
    "declare ptr addrspace(1) @spgc_allocate(ptr)\n"
    "define ptr addrspace(1) @make() gc \"statepoint-example\" {\n"
    "  %object = call ptr addrspace(1) @spgc_allocate(ptr @kept)\n"
    "  ret ptr addrspace(1) %object\n"
    "}\n";

/* A megabyte makes the JIT look for users of removed data. */
static const char with_megabyte[] = "@space = global [1048576 x i8] zeroinitializer\n";

static void *remove_it(void *object) {
  jit_world_remove(object);
  return NULL;
}

static struct spgc_ref make_by(struct spgc_jit_object **code) {
  *code = jit_world_load_text(with_descriptor, 2);
  return ((struct spgc_ref(*)(void))(uintptr_t)jit_world_lookup("make"))();
}

START_TEST(descriptors_outlive_their_code_as_long_as_their_objects) {
  enum { REMOVERS = 3 };
  struct spgc_error error;
  struct spgc_jit_object *code;
  struct spgc_handle kept[REMOVERS];
  uintptr_t descriptors[REMOVERS];
  pthread_t thread;
  jit_world_start(_i == 0 ? "limit=64m,verify=full" : jit_world_hostile);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  struct spgc_scope scope = spgc_scope_open();
  for (int remover = 0; remover < REMOVERS; remover++) {
    jit_world_remove(jit_world_load_text(with_megabyte, 0));
    kept[remover] = spgc_handle_make(make_by(&code));
    descriptors[remover] = *(const uintptr_t *)spgc_ref_memory(spgc_handle_get(kept[remover]));
    if (remover == 0)
      jit_world_remove(code);
    else if (remover == 1)
      spgc_call_blocking(remove_it, code);
    else
      ck_assert_int_eq(pthread_create(&thread, NULL, remove_it, code), 0);
  }
  while (pthread_tryjoin_np(thread, NULL) != 0)
    spgc_collect(SPGC_COLLECTION_MINOR);
  for (int i = 0; i < REMOVERS; i++) {
    ck_assert_uint_eq(*(const uintptr_t *)spgc_ref_memory(spgc_handle_get(kept[i])),
                      descriptors[i]);
    ck_assert_uint_eq(*(const uint32_t *)descriptors[i], 24);
    ck_assert(descriptors[i] != descriptors[(i + 1) % REMOVERS]);
  }
  spgc_scope_close(scope);
  jit_world_remove(jit_world_load_text(with_megabyte, 0)); /* and the others' leftovers */
  ck_assert_uint_eq(*(const uintptr_t *)spgc_ref_memory(make_by(&code)), descriptors[0]);
  ck_assert_uint_gt(jit_world_finish().full_collections, 0);
  jit_world_stop();
}
END_TEST

START_TEST(memory_of_removed_objects_is_used_again) {
  jit_world_start("limit=64m");
  jit_world_define("between", (void *)collect_between);
  struct spgc_jit_object *object = load_numbered(7);
  void *first = jit_world_lookup("function_7");
  for (int i = 0; i < 100; i++) {
    jit_world_remove(object);
    object = load_numbered(7);
  }
  ck_assert_ptr_eq(jit_world_lookup("function_7"), first);
  jit_world_stop();
}
END_TEST

START_TEST(an_undefined_symbol_is_an_error_that_names_it) {
  jit_world_start("limit=64m");
  struct spgc_error error = {0};
  char *text = numbered_module(1);
  struct spgc_jit_object *object = NULL;
  ck_assert_int_eq(spgc_jit_add(jit_world_jit, compile_for_jit(text, 1), &object, &error),
                   SPGC_ERROR_SYSTEM);
  ck_assert_msg(strstr(error.message, "between") != NULL, "%s", error.message);
  ck_assert_ptr_null(object);
  jit_world_define("between", (void *)collect_between);
  ck_assert_ptr_nonnull(jit_world_load_text(text, 1));
  free(text);
  jit_world_stop();
}
END_TEST

START_TEST(a_symbol_defined_twice_is_an_error_that_names_it) {
  jit_world_start("limit=64m");
  jit_world_define("between", (void *)collect_between);
  load_numbered(1);
  char *text = numbered_module(1);
  struct spgc_error error = {0};
  ck_assert_int_eq(spgc_jit_add(jit_world_jit, compile_for_jit(text, 1), NULL, &error),
                   SPGC_ERROR_SYSTEM);
  ck_assert_msg(strstr(error.message, "function_1") != NULL, "%s", error.message);
  free(text);
  jit_world_stop();
}
END_TEST

START_TEST(bytes_that_are_no_object_are_malformed) {
  jit_world_start("limit=64m");
  struct spgc_error error = {0};
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy("\177ELF and then nothing", 20, "bytes");
  ck_assert_int_eq(spgc_jit_add(jit_world_jit, buffer, NULL, &error), SPGC_ERROR_MALFORMED);
  jit_world_stop();
}
END_TEST

START_TEST(a_truncated_object_is_an_error) {
  jit_world_start("limit=64m");
  jit_world_define("between", (void *)collect_between);
  char *text = numbered_module(1);
  LLVMMemoryBufferRef whole = compile_for_jit(text, 1);
  for (size_t size = 0; size < LLVMGetBufferSize(whole); size += 97) {
    struct spgc_error error = {0};
    LLVMMemoryBufferRef part =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(whole), size, "part");
    ck_assert_int_ne(spgc_jit_add(jit_world_jit, part, NULL, &error), SPGC_OK);
    ck_assert_str_ne(error.message, "");
  }
  LLVMDisposeMemoryBuffer(whole);
  free(text);
  jit_world_stop();
}
END_TEST

START_TEST(a_process_has_one_jit_at_a_time) {
  jit_world_start("limit=64m");
  struct spgc_jit *second = NULL;
  struct spgc_error error;
  ck_assert_int_eq(spgc_jit_create(&second, &error), SPGC_ERROR_STATE);
  ck_assert_ptr_null(second);
  spgc_jit_destroy(jit_world_jit);
  ck_assert_ok(spgc_jit_create(&jit_world_jit, &error), error);
  jit_world_stop();
}
END_TEST

START_TEST(an_unknown_listener_is_an_invalid_argument) {
  static const char *const wrong[] = {"gbd", "gdb,", "perf,", ",gdb", "gdb perf", "perf,gdb,x"};
  struct spgc_error error;
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct spgc_jit *jit;
    setenv("SPGC_JIT_LISTENERS", wrong[i], true);
    ck_assert_int_eq(spgc_jit_create(&jit, &error), SPGC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "neither gdb nor perf"));
  }
}
END_TEST

/* gdb's interface. */
extern struct {
  uint32_t version, action;
  void *relevant, *first;
} __jit_debug_descriptor;

static off_t perf_dump_bytes(const char *folder) {
  char pattern[64];
  glob_t found;
  struct stat dump;
  snprintf(pattern, sizeof pattern, "%s/.debug/jit/*/jit-%d.dump", folder, getpid());
  ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
  ck_assert_int_eq(stat(found.gl_pathv[0], &dump), 0);
  globfree(&found);
  return dump.st_size;
}

static bool take_perf_dump(const char *folder) {
  char pattern[64];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/.debug/jit/*/jit-%d.dump", folder, getpid());
  bool has = glob(pattern, 0, NULL, &found) == 0;
  for (char *path = has ? found.gl_pathv[0] : NULL; path != NULL && strcmp(path, folder) != 0;
       *strrchr(path, '/') = '\0')
    ck_assert_int_eq(remove(path), 0);
  globfree(&found);
  return has;
}

START_TEST(listeners_hear_of_objects_loaded_since) {
  char folder[] = "/tmp/spgc-listen-XXXXXX";
  struct spgc_error error;
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("JITDUMPDIR", folder, true);
  jit_world_start("limit=64m");
  jit_world_load_text("define i64 @before() {\n  ret i64 1\n}\n", 2);
  ck_assert_ptr_null(__jit_debug_descriptor.first);
  ck_assert(!take_perf_dump(folder));
  ck_assert_int_eq(spgc_jit_listen(jit_world_jit, SPGC_JIT_GDB | 1u << 9, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_ok(spgc_jit_listen(jit_world_jit, SPGC_JIT_GDB | SPGC_JIT_PERF, &error), error);
  struct spgc_jit_object *object =
      jit_world_load_text("define i64 @after() {\n  ret i64 2\n}\n", 2);
  ck_assert_ptr_nonnull(__jit_debug_descriptor.first);
  ck_assert(take_perf_dump(folder));
  ck_assert_int_eq(rmdir(folder), 0);
  jit_world_remove(object);
  ck_assert_ptr_null(__jit_debug_descriptor.first);
  jit_world_stop();
}
END_TEST

/* perf's format (tools/perf/Documentation/jitdump-specification.txt). */
enum { DUMP_HEADER = 40, DEBUG_INFO = 2 };
struct dump_record {
  uint32_t kind, size;
  uint64_t time;
};
struct dump_lines {
  struct dump_record record;
  uint64_t address, count;
};
struct dump_line {
  uint64_t address;
  uint32_t line, discriminator;
};

/* A bit for each line of a function's record, all in the file. */
static unsigned lines_of_record(const char *record, const char *path) {
  struct dump_lines head;
  unsigned lines = 0;
  memcpy(&head, record, sizeof head);
  record += sizeof head;
  for (uint64_t i = 0; i < head.count; i++, record += strlen(record) + 1) {
    struct dump_line line;
    memcpy(&line, record, sizeof line);
    record += sizeof line;
    ck_assert_str_eq(record, path);
    ck_assert_uint_lt(line.line, 32);
    lines |= 1u << line.line;
  }
  return lines;
}

static unsigned lines_of_dump(const char *folder, const char *path) {
  char pattern[64], bytes[4096];
  glob_t found;
  unsigned lines = 0;
  snprintf(pattern, sizeof pattern, "%s/.debug/jit/*/jit-%d.dump", folder, getpid());
  ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
  FILE *file = fopen(found.gl_pathv[0], "r");
  ck_assert_ptr_nonnull(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  ck_assert_uint_lt(size, sizeof bytes);
  fclose(file);
  globfree(&found);
  for (size_t at = DUMP_HEADER; at < size;) {
    struct dump_record record;
    memcpy(&record, bytes + at, sizeof record);
    if (record.kind == DEBUG_INFO)
      lines |= lines_of_record(bytes + at, path);
    at += record.size;
  }
  return lines;
}

/* Only version 5 has the checksum. */
static const struct {
  const char *checksum;
  unsigned version;
} line_tables[] = {
    {"", 2},
    {"", 3},
    {"", 4},
    {"", 5},
    {", checksumkind: CSK_MD5, checksum: \"000102030405060708090a0b0c0d0e0f\"", 5},
};

START_TEST(a_dump_for_perf_has_the_lines_of_each_version_of_dwarf) {
  char folder[] = "/tmp/spgc-lines-XXXXXX", *text;
  struct spgc_error error;
  ck_assert_int_ne(
      asprintf(&text,
               "define i64 @after(i64 %%n) !dbg !5 {\n  %%m = mul i64 %%n, 3, !dbg !6\n"
               "  ret i64 %%m, !dbg !7\n}\n"
               "!llvm.module.flags = !{!0, !1}\n!llvm.dbg.cu = !{!2}\n"
               "!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
               "!1 = !{i32 2, !\"Dwarf Version\", i32 %u}\n"
               "!2 = distinct !DICompileUnit(language: DW_LANG_C, file: !8, emissionKind: "
               "FullDebug)\n"
               "!3 = !DISubroutineType(types: !4)\n!4 = !{}\n"
               "!5 = distinct !DISubprogram(name: \"after\", file: !9, line: 5, type: !3, unit: "
               "!2, spFlags: DISPFlagDefinition)\n"
               "!6 = !DILocation(line: 6, column: 9, scope: !5)\n"
               "!7 = !DILocation(line: 17, column: 3, scope: !5)\n"
               "!8 = !DIFile(filename: \"unit.c\", directory: \"/unit\"%s)\n"
               "!9 = !DIFile(filename: \"tree.c\", directory: \"/source\"%s)\n",
               line_tables[_i].version, line_tables[_i].checksum, line_tables[_i].checksum),
      -1);
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("JITDUMPDIR", folder, true);
  jit_world_start("limit=64m");
  ck_assert_ok(spgc_jit_listen(jit_world_jit, SPGC_JIT_PERF, &error), error);
  jit_world_load_text(text, 0);
  unsigned lines = lines_of_dump(folder, "/source/tree.c"), wanted = 1u << 6 | 1u << 17;
  ck_assert_uint_eq(lines & wanted, wanted);
  ck_assert(take_perf_dump(folder));
  ck_assert_int_eq(rmdir(folder), 0);
  jit_world_stop();
  free(text);
}
END_TEST

START_TEST(a_forked_child_adds_nothing_to_the_dump) {
  char folder[] = "/tmp/spgc-forked-XXXXXX";
  struct spgc_error error;
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("JITDUMPDIR", folder, true);
  jit_world_start("limit=64m");
  ck_assert_ok(spgc_jit_listen(jit_world_jit, SPGC_JIT_PERF, &error), error);
  jit_world_load_text("define i64 @both() {\n  ret i64 1\n}\n", 2);
  off_t before = perf_dump_bytes(folder);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    jit_world_load_text("define i64 @child() {\n  ret i64 2\n}\n", 2);
    _exit(0);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  ck_assert_int_eq(perf_dump_bytes(folder), before);
  jit_world_load_text("define i64 @parent() {\n  ret i64 3\n}\n", 2);
  ck_assert_int_gt(perf_dump_bytes(folder), before);
  ck_assert(take_perf_dump(folder));
  ck_assert_int_eq(rmdir(folder), 0);
  jit_world_stop();
}
END_TEST

START_TEST(a_dump_that_cannot_be_written_is_an_error) {
  struct spgc_error error;
  setenv("JITDUMPDIR", "/dev/null", true);
  jit_world_start("limit=64m");
  ck_assert_int_eq(spgc_jit_listen(jit_world_jit, SPGC_JIT_PERF, &error), SPGC_ERROR_SYSTEM);
  ck_assert_ptr_nonnull(strstr(error.message, "cannot write a dump of generated code for perf"));
  jit_world_stop();
}
END_TEST

START_TEST(a_module_with_constructors_is_rejected) {
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  struct spgc_error error;
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  ck_assert_int_eq(compile_result("@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] "
                                  "[{ i32, ptr, ptr } { i32 65535, ptr @own, ptr null }]\n"
                                  "define void @own() {\n  ret void\n}\n",
                                  &options, &error),
                   SPGC_ERROR_REJECTED);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-jit");
  TCase *collect = tcase_create("collect");
  tcase_set_timeout(collect, 120);
  compile_add_levels(collect, collects_while_jit_frames_are_active);
  compile_add_levels(collect, moves_every_object_at_every_safepoint);
  compile_add_levels(collect, objects_share_functions_that_both_define);
  compile_add_levels(collect, tail_calls_go_ten_million_deep);
  suite_add_tcase(suite, collect);
  TCase *objects = tcase_create("objects");
  tcase_set_timeout(objects, 120);
  tcase_add_test(objects, objects_come_and_go_in_any_order);
  tcase_add_test(objects, a_frame_is_walked_while_other_objects_come_and_go);
  tcase_add_test(objects, one_walk_crosses_frames_of_many_objects);
  tcase_add_loop_test(objects, descriptors_outlive_their_code_as_long_as_their_objects, 0, 2);
  tcase_add_test(objects, memory_of_removed_objects_is_used_again);
  suite_add_tcase(suite, objects);
  TCase *snapshots = tcase_create("snapshots");
  tcase_set_tags(snapshots, "snapshot");
  tcase_add_test(snapshots, snapshots_show_variables_by_their_symbols_while_they_are_loaded);
  suite_add_tcase(suite, snapshots);
  TCase *errors = tcase_create("errors");
  tcase_set_timeout(errors, 60);
  tcase_add_test(errors, an_undefined_symbol_is_an_error_that_names_it);
  tcase_add_test(errors, a_symbol_defined_twice_is_an_error_that_names_it);
  tcase_add_test(errors, bytes_that_are_no_object_are_malformed);
  tcase_add_test(errors, a_truncated_object_is_an_error);
  tcase_add_test(errors, a_process_has_one_jit_at_a_time);
  tcase_add_test(errors, listeners_hear_of_objects_loaded_since);
  tcase_add_loop_test(errors, a_dump_for_perf_has_the_lines_of_each_version_of_dwarf, 0,
                      sizeof line_tables / sizeof line_tables[0]);
  tcase_add_test(errors, a_forked_child_adds_nothing_to_the_dump);
  tcase_add_test(errors, a_dump_that_cannot_be_written_is_an_error);
  tcase_add_test(errors, an_unknown_listener_is_an_invalid_argument);
  tcase_add_test(errors, a_module_with_constructors_is_rejected);
  suite_add_tcase(suite, errors);
  return suite_run(suite);
}
