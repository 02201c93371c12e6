/* Every calling convention and attribute of LLVM is refused with a reason, or works while
 * everything moves. SPGC_TEST_SHARE=N tries one in N, drawn by SPGC_TEST_SEED, and all accepted
 * conventions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/IRReader.h>

#include "tests/integration/jit_world.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { LEVELS = 4, CONVENTIONS = 128, GROUP = 16, RESULT = 1 + 2 + 3 + 4 + 5 };

/* Additions to @sum, its parameters and result, and its calls. */
struct variant {
  const char *convention, *function, *result, *number, *reference, *call;
  bool unmanaged;
};

/* Takes apart a list that @build made. `%s`: the variant's, in order. */
static const char program[] =
    "%%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }\n"
    "@offsets = internal constant [1 x i32] [i32 8]\n"
    "@node = internal constant %%spgc_type { i32 24, i32 0, i32 0, i32 1, ptr @offsets, i32 "
    "0, i32 0, ptr null, ptr null }\n"
    "declare ptr addrspace(1) @spgc_allocate(ptr)\n"
    "define ptr addrspace(1) @build(i64 %%n) gc \"statepoint-example\" {\n"
    "  %%end = icmp eq i64 %%n, 0\n"
    "  br i1 %%end, label %%none, label %%more\n"
    "none:\n"
    "  ret ptr addrspace(1) null\n"
    "more:\n"
    "  %%less = sub i64 %%n, 1\n"
    "  %%rest = call ptr addrspace(1) @build(i64 %%less)\n"
    "  %%o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
    "  %%link = getelementptr i8, ptr addrspace(1) %%o, i64 8\n"
    "  store ptr addrspace(1) %%rest, ptr addrspace(1) %%link\n"
    "  %%value = getelementptr i8, ptr addrspace(1) %%o, i64 16\n"
    "  store i64 %%n, ptr addrspace(1) %%value\n"
    "  ret ptr addrspace(1) %%o\n"
    "}\n"
    "define %1$s %3$s i64 @sum(i64 %4$s %%so_far, ptr addrspace(1) %5$s %%list) %2$s %7$s {\n"
    "  %%end = icmp eq ptr addrspace(1) %%list, null\n"
    "  br i1 %%end, label %%none, label %%more\n"
    "none:\n"
    "  ret i64 %%so_far\n"
    "more:\n"
    "  %%link = getelementptr i8, ptr addrspace(1) %%list, i64 8\n"
    "  %%rest = load ptr addrspace(1), ptr addrspace(1) %%link\n"
    "  %%value.at = getelementptr i8, ptr addrspace(1) %%list, i64 16\n"
    "  %%garbage = call ptr addrspace(1) @build(i64 1) %8$s\n"
    "  %%before = call %1$s %3$s i64 @sum(i64 %4$s 0, ptr addrspace(1) %5$s %%rest) %6$s\n"
    "  %%value = load i64, ptr addrspace(1) %%value.at\n"
    "  %%now = add i64 %%so_far, %%value\n"
    "  %%all = call %1$s %3$s i64 @sum(i64 %4$s %%now, ptr addrspace(1) %5$s %%rest) %6$s\n"
    "  ret i64 %%all\n"
    "}\n"
    "define i64 @run(i64 %%n) gc \"statepoint-example\" {\n"
    "  %%list = call ptr addrspace(1) @build(i64 %%n)\n"
    "  %%result = call %1$s %3$s i64 @sum(i64 %4$s 0, ptr addrspace(1) %5$s %%list) %6$s\n"
    "  %%again = call %1$s %3$s i64 @sum(i64 %4$s 0, ptr addrspace(1) %5$s %%list) %6$s\n"
    "  %%same = icmp eq i64 %%result, %%again\n"
    "  %%checked = select i1 %%same, i64 %%result, i64 -1\n"
    "  ret i64 %%checked\n"
    "}\n";

static char *text_of(const struct variant *variant) {
  char *text;
  const char *gc = variant->unmanaged ? "" : "gc \"statepoint-example\"";
  int length = asprintf(&text, program, variant->convention, variant->function, variant->result,
                        variant->number, variant->reference, variant->call, gc,
                        variant->unmanaged ? "\"gc-leaf-function\"" : "");
  ck_assert_int_gt(length, 0);
  return text;
}

/* NULL if LLVM does not know the attribute, or not there. */
static LLVMModuleRef parse(LLVMContextRef context, const char *text) {
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
  LLVMModuleRef module;
  char *message = NULL;
  if (!LLVMParseIRInContext(context, buffer, &module, &message))
    return module;
  LLVMDisposeMessage(message);
  return NULL;
}

static LLVMMemoryBufferRef compile(const char *text, unsigned level) {
  struct spgc_error error;
  struct spgc_lower_options options;
  LLVMMemoryBufferRef object = NULL;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  options.optimisation = level;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = parse(context, text);
  if (module != NULL) {
    enum spgc_result result = spgc_lower_module(module, &options, &error);
    ck_assert_msg(result == SPGC_OK || result == SPGC_ERROR_REJECTED ||
                      result == SPGC_ERROR_MALFORMED,
                  "%s in\n%s", error.message, text);
    if (result == SPGC_OK)
      ck_assert_ok(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), error);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
  return object;
}

static void run(LLVMMemoryBufferRef object, const char *text, unsigned level) {
  struct spgc_error error;
  struct spgc_jit_object *loaded;
  jit_world_start(jit_world_hostile);
  ck_assert_ok(spgc_jit_add(jit_world_jit, object, &loaded, &error), error);
  int64_t result = jit_world_run("run", 5);
  ck_assert_msg(result == RESULT, "%ld at -O%u of\n%s", (long)result, level, text);
  ck_assert_uint_gt(jit_world_finish().moved_objects, 0);
  jit_world_stop();
}

/* `broken`: it cannot run here, or may give any result. */
static bool try(const struct variant *variant, unsigned level, bool broken) {
  struct spgc_error error;
  char *text = text_of(variant);
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  LLVMMemoryBufferRef object = compile(text, level);
  if (object != NULL && broken)
    LLVMDisposeMemoryBuffer(object);
  else if (object != NULL)
    run(object, text, level);
  free(text);
  return object != NULL;
}

static struct random draw;
static uint64_t share = 1;

static bool is_drawn(uint64_t number) {
  struct random of_number = {draw.state + 2 * number};
  random_next(&of_number);
  return random_below(&of_number, share) == 0;
}

static const struct variant plain = {"", "", "", "", "", "", false};

static bool is_walkable(int convention) {
  return convention == 0 || convention == 8 || convention == 16 || convention == 18 ||
         convention == 20 || convention == 78;
}

/* LLVM ends the process for others, such as HiPE's. */
static bool has_code(int convention) {
  static const int others[] = {9, 10, 14, 15, 17, 21, 64, 65, 70, 79, 80, 92};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i] == convention)
      return true;
  return is_walkable(convention);
}

static void try_convention(int convention, bool unmanaged) {
  char name[16];
  struct variant variant = plain;
  snprintf(name, sizeof name, "cc %d", convention);
  variant.convention = name;
  variant.call = unmanaged ? "\"gc-leaf-function\"" : "";
  variant.unmanaged = unmanaged;
  for (unsigned level = 0; level < LEVELS; level += 2) {
    bool accepted = try(&variant, level, unmanaged);
    ck_assert_msg(unmanaged || accepted == is_walkable(convention), "convention %d at -O%u",
                  convention, level);
  }
}

START_TEST(a_convention_works_or_is_refused) {
  for (int i = 0; i < GROUP; i++)
    if (is_walkable(_i * GROUP + i) || is_drawn((uint64_t)(_i * GROUP + i)))
      try_convention(_i * GROUP + i, false);
}
END_TEST

START_TEST(a_convention_of_unmanaged_code_works) {
  for (int i = 0; i < GROUP; i++)
    if (has_code(_i * GROUP + i) && is_drawn((uint64_t)(CONVENTIONS + _i * GROUP + i)))
      try_convention(_i * GROUP + i, true);
}
END_TEST

/* In Attributes.td of LLVM 19 to 22. A star: the program breaks its promise, or needs another
 * runtime. */
static const char *const attributes[] = {
    "align 8",
    "allocalign*",
    "allocptr*",
    "allockind(\"alloc\")*",
    "allocsize(0)*",
    "alwaysinline",
    "argmemonly*",
    "builtin",
    "byref(i64)",
    "byval(i64)",
    "captures(none)*",
    "cold",
    "convergent",
    "coro_only_destroy_when_complete",
    "coro_elide_safe",
    "dead_on_return*",
    "dead_on_unwind",
    "dereferenceable(16)*",
    "dereferenceable_or_null(16)",
    "disable_sanitizer_instrumentation",
    "elementtype(i64)",
    "fn_ret_thunk_extern*",
    "hot",
    "hybrid_patchable",
    "immarg",
    "inalloca(i64)",
    "initializes((0, 8))*",
    "inlinehint",
    "inreg",
    "jumptable",
    "memory(none)*",
    "memory(read)*",
    "memory(argmem: readwrite)*",
    "minsize",
    "mustprogress",
    "naked*",
    "nest",
    "noalias*",
    "nobuiltin",
    "nocallback",
    "nocapture*",
    "nocf_check",
    "nocreateundeforpoison",
    "nodivergencesource",
    "noduplicate",
    "noext",
    "nofpclass(nan)",
    "nofree*",
    "noimplicitfloat",
    "noinline",
    "nomerge",
    "nonlazybind",
    "nonnull*",
    "noprofile",
    "norecurse*",
    "noredzone",
    "noreturn*",
    "nosanitize_bounds",
    "nosanitize_coverage",
    "nosync",
    "noundef",
    "nounwind",
    "null_pointer_is_valid",
    "optdebug",
    "optforfuzzing",
    "optnone noinline",
    "optsize",
    "preallocated(i64)",
    "presplitcoroutine",
    "range(i64 -1, 100)",
    "readnone*",
    "readonly*",
    "returned*",
    "returns_twice",
    "safestack",
    "sanitize_address",
    "sanitize_hwaddress",
    "sanitize_memory",
    "sanitize_memtag",
    "sanitize_numerical_stability",
    "sanitize_realtime",
    "sanitize_realtime_blocking",
    "sanitize_thread",
    "sanitize_type",
    "shadowcallstack",
    "signext",
    "skipprofile",
    "speculatable*",
    "speculative_load_hardening",
    "sret(i64)",
    "ssp",
    "sspreq",
    "sspstrong",
    "strictfp",
    "swiftasync",
    "swifterror",
    "swiftself",
    "uwtable",
    "uwtable(async)",
    "vscale_range(1,16)*",
    "willreturn",
    "writable",
    "writeonly*",
    "zeroext",
    "\"frame-pointer\"=\"all\"",
    "\"frame-pointer\"=\"none\"",
    "\"stackrealign\"",
    "\"split-stack\"*",
    "\"probe-stack\"=\"inline-asm\"",
    "\"stack-probe-size\"=\"64\"",
    "\"patchable-function\"=\"prologue-short-redirect\"",
    "\"patchable-function-entry\"=\"4\"",
    "\"target-features\"=\"+avx2\"",
    "\"target-cpu\"=\"skylake-avx512\"",
    "\"target-features\"=\"-sse2\"",
    "\"target-features\"=\"+soft-float\"",
    "\"no_caller_saved_registers\"",
    "\"no_callee_saved_registers\"",
    "\"interrupt\"=\"yes\"",
    "\"thunk\"",
    "\"xray-instruction-threshold\"=\"1\"",
    "\"function-instrument\"=\"xray-always\"",
    "\"instrument-function-entry\"=\"mcount\"*",
    "\"fentry-call\"=\"true\"",
    "\"no-jump-tables\"=\"true\"",
    "\"use-soft-float\"=\"true\"",
    "\"unsafe-fp-math\"=\"true\"",
    "\"disable-tail-calls\"=\"true\"",
    "\"guard_nocf\"",
    "\"indirect-tls-seg-refs\"",
    "\"warn-stack-size\"=\"1\"",
    "\"zero-call-used-regs\"=\"all\"",
    "\"zero-call-used-regs\"=\"used-gpr\"",
    "\"hotpatch\"",
    "\"nooutline\"",
    "\"prefer-vector-width\"=\"128\"",
    "\"denormal-fp-math\"=\"ieee\"",
    "\"no-inline-line-tables\"",
    "\"sign-return-address\"=\"all\"",
    "\"gc-leaf-function\"*",
    "\"statepoint-id\"=\"x\"",
    "\"statepoint-num-patch-bytes\"=\"16\"*",
    "\"deopt-lowering\"=\"live-in\"*",
    "\"coroutine.presplit\"=\"0\"",
    "\"min-legal-vector-width\"=\"512\"",
    "prefix i64 1",
    "prologue i8 -112",
    "section \"x\"",
    "align 16",
    "unnamed_addr",
    "comdat",
    "gc \"hipe\"",
    "gc \"erlang\"",
    "gc \"shadow-stack\"",
    "gc \"ocaml\"",
};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes, NAME = 128 };

static bool attribute_name(int i, char name[NAME]) {
  snprintf(name, NAME, "%s", attributes[i]);
  char *star = strchr(name, '*');
  if (star != NULL)
    *star = '\0';
  return star == NULL;
}

static void try_attribute(int i) {
  char name[NAME];
  bool broken = !attribute_name(i, name);
  struct variant variants[] = {plain, plain, plain, plain, plain};
  variants[0].function = variants[1].result = variants[2].number = variants[3].reference =
      variants[4].call = name;
  enum { PLACES = sizeof variants / sizeof *variants };
  for (int v = 0; v < PLACES; v++)
    if (is_drawn((uint64_t)(2 * CONVENTIONS + i * PLACES + v)))
      for (unsigned level = 0; level < LEVELS; level += 2)
        try(&variants[v], level, broken);
}

START_TEST(an_attribute_works_or_is_refused) {
  for (int i = _i * GROUP; i < (_i + 1) * GROUP && i < ATTRIBUTES; i++)
    try_attribute(i);
}
END_TEST

int main(void) {
  const char *given = getenv("SPGC_TEST_SHARE");
  draw = random_start("codegen-convention");
  share = given != NULL ? strtoull(given, NULL, 10) : 1;
  if (share == 0) {
    fputs("SPGC_TEST_SHARE is a number above 0\n", stderr);
    return EXIT_FAILURE;
  }
  Suite *suite = suite_create("codegen-convention");
  TCase *tests = tcase_create("convention");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, a_convention_works_or_is_refused, 0, CONVENTIONS / GROUP);
  tcase_add_loop_test(tests, a_convention_of_unmanaged_code_works, 0, CONVENTIONS / GROUP);
  tcase_add_loop_test(tests, an_attribute_works_or_is_refused, 0, (ATTRIBUTES + GROUP - 1) / GROUP);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
