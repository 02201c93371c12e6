/* Code of another version or loader, and unlowered code, are refused. */
#include <string.h>

#include <llvm-c/Object.h>
#include <llvm/Config/llvm-config.h>

#include "spgc/jit.h"
#include "spgc/module.h"
#include "spgc/version.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

/* No safepoint and no root, but a barrier. */
static const char barrier_alone[] =
    "define void @set(ptr addrspace(1) %object, ptr addrspace(1) %value) "
    "gc \"statepoint-example\" {\n"
    "  %field = getelementptr i8, ptr addrspace(1) %object, i64 8\n"
    "  store ptr addrspace(1) %value, ptr addrspace(1) %field\n"
    "  ret void\n}\n";

static const char allocates[] = "declare ptr addrspace(1) @spgc_allocate(ptr)\n"
                                "define ptr addrspace(1) @make(ptr %type) {\n"
                                "  %new = call ptr addrspace(1) @spgc_allocate(ptr %type)\n"
                                "  ret ptr addrspace(1) %new\n}\n";

static LLVMMemoryBufferRef object_of_version(uint64_t version) {
  struct spgc_lower_options options;
  struct spgc_error error;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, barrier_alone);
  ck_assert_ok(spgc_lower_module(module, &options, &error), error);
  LLVMValueRef record = LLVMGetNamedGlobal(module, "spgc.module");
  ck_assert_ptr_nonnull(record);
  LLVMValueRef fields[8], old = LLVMGetInitializer(record);
  unsigned count = (unsigned)LLVMGetNumOperands(old);
  ck_assert_uint_le(count, 8);
  for (unsigned i = 0; i < count; i++)
    fields[i] = LLVMGetOperand(old, i);
  fields[0] = LLVMConstInt(LLVMInt64TypeInContext(context), version, false);
  LLVMSetInitializer(record, LLVMConstStructInContext(context, fields, count, false));
  LLVMMemoryBufferRef object;
  ck_assert_ok(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return object;
}

START_TEST(code_that_only_marks_cards_has_a_record) {
  char *lowered = compile_lowered_at(barrier_alone, 2);
  ck_assert_times(lowered, "section \"spgc_modules\"", 1);
  ck_assert_times(lowered, "call void @spgc_module_load(ptr @spgc.module, ptr @spgc.name)", 1);
  ck_assert_times(lowered, "call void @spgc_module_unload(ptr @spgc.module)", 1);
  LLVMDisposeMessage(lowered);
}
END_TEST

START_TEST(the_jit_refuses_code_of_another_version) {
  static const uint64_t versions[] = {0, SPGC_MODULE_VERSION - 1, SPGC_MODULE_VERSION + 1,
                                      UINT64_MAX};
  jit_world_start(jit_world_hostile);
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    struct spgc_error error = {0};
    enum spgc_result result =
        spgc_jit_add(jit_world_jit, object_of_version(versions[i]), NULL, &error);
    ck_assert_int_eq(result, SPGC_ERROR_UNSUPPORTED);
    ck_assert_int_eq(error.code, SPGC_ERROR_UNSUPPORTED);
    ck_assert_msg(strstr(error.message, "lower it again") != NULL, "%s", error.message);
    void *address;
    result = spgc_jit_lookup(jit_world_jit, "set", &address, &error);
    ck_assert_int_eq(result, SPGC_ERROR_SYSTEM);
    ck_assert_ptr_null(strstr(error.message, "lower it again"));
  }
  struct spgc_jit_object *object = NULL;
  struct spgc_error error;
  ck_assert_ok(spgc_jit_add(jit_world_jit, object_of_version(SPGC_MODULE_VERSION), &object, &error),
               error);
  jit_world_remove(object);
  jit_world_stop();
}
END_TEST

START_TEST(the_jit_refuses_code_that_was_not_lowered) {
  static const char text[] = "declare void @llvm.experimental.stackmap(i64, i32, ...)\n"
                             "define void @mapped() {\n"
                             "  call void (i64, i32, ...) "
                             "@llvm.experimental.stackmap(i64 0, i32 0)\n"
                             "  ret void\n}\n"
                             "!spgc.lowered = !{}\n"; /* so that it is emitted */
  struct spgc_lower_options options;
  struct spgc_error error = {0};
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  jit_world_start(jit_world_hostile);
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, text);
  LLVMMemoryBufferRef object;
  ck_assert_ok(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  ck_assert_int_eq(spgc_jit_add(jit_world_jit, object, NULL, &error), SPGC_ERROR_MALFORMED);
  ck_assert_msg(strstr(error.message, "not lowered by spgc") != NULL, "%s", error.message);
  jit_world_stop();
}
END_TEST

START_TEST(the_jit_refuses_code_lowered_ahead_of_time) {
  static const enum spgc_code emitted_as[] = {SPGC_CODE_AHEAD_OF_TIME, SPGC_CODE_JIT};
  jit_world_start(jit_world_hostile);
  for (size_t i = 0; i < sizeof emitted_as / sizeof *emitted_as; i++) {
    struct spgc_lower_options options;
    struct spgc_error error = {0};
    spgc_lower_options_default(&options);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = compile_parse(context, barrier_alone);
    ck_assert_ok(spgc_lower_module(module, &options, &error), error);
    options.code = emitted_as[i];
    LLVMMemoryBufferRef object;
    ck_assert_ok(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), error);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    ck_assert_int_eq(spgc_jit_add(jit_world_jit, object, NULL, &error),
                     SPGC_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(strstr(error.message, "SPGC_CODE_JIT") != NULL, "%s", error.message);
  }
  jit_world_stop();
}
END_TEST

START_TEST(nothing_is_emitted_that_was_not_lowered) {
  static const char *const texts[] = {barrier_alone, allocates};
  struct spgc_lower_options options;
  struct spgc_error error = {0};
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  spgc_lower_options_default(&options);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = compile_parse(context, texts[i]);
    LLVMMemoryBufferRef object = NULL;
    ck_assert_int_eq(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error),
                     SPGC_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(strstr(error.message, "spgc_lower_module") != NULL, "%s", error.message);
    ck_assert_ptr_null(object);
    spgc_manage_functions(module);
    ck_assert_ok(spgc_lower_module(module, &options, &error), error);
    ck_assert_ok(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), error);
    LLVMDisposeMemoryBuffer(object);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
  }
}
END_TEST

static bool has_section(LLVMMemoryBufferRef object, const char *name) {
  LLVMContextRef context = LLVMContextCreate();
  char *message = NULL;
  LLVMBinaryRef binary = LLVMCreateBinary(object, context, &message);
  ck_assert_msg(binary != NULL, "%s", message);
  bool has = false;
  LLVMSectionIteratorRef at = LLVMObjectFileCopySectionIterator(binary);
  for (; !LLVMObjectFileIsSectionIteratorAtEnd(binary, at); LLVMMoveToNextSection(at))
    has |= LLVMGetSectionName(at) != NULL && strcmp(LLVMGetSectionName(at), name) == 0;
  LLVMDisposeSectionIterator(at);
  LLVMDisposeBinary(binary);
  LLVMContextDispose(context);
  return has;
}

START_TEST(a_note_leads_to_the_record_unless_a_loader_finds_it) {
  struct spgc_lower_options options;
  struct spgc_error error;
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  spgc_lower_options_default(&options);
  LLVMMemoryBufferRef ahead = compile_object(barrier_alone, &options),
                      loaded = compile_for_jit(barrier_alone, 2);
  ck_assert(has_section(ahead, SPGC_MODULE_NOTE_SECTION));
  ck_assert(!has_section(loaded, SPGC_MODULE_NOTE_SECTION));
  LLVMDisposeMemoryBuffer(ahead);
  LLVMDisposeMemoryBuffer(loaded);
}
END_TEST

START_TEST(the_lowering_says_its_version_and_that_of_llvm) {
  const struct spgc_llvm_version *version = spgc_llvm_version();
  ck_assert_uint_eq(version->size, sizeof *version);
  ck_assert_str_eq(version->text, SPGC_VERSION);
  ck_assert_str_eq(version->llvm, LLVM_VERSION_STRING);
}
END_TEST

START_TEST(functions_are_managed_that_have_references_or_all) {
  static const char text[] = "define i64 @plain(i64 %n) {\n  ret i64 %n\n}\n"
                             "define void @takes(ptr addrspace(1) %object) {\n  ret void\n}\n";
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef some = compile_parse(context, text), all = compile_parse(context, text);
  ck_assert_uint_eq(spgc_manage_functions(some), 1);
  ck_assert_ptr_null(LLVMGetGC(LLVMGetNamedFunction(some, "plain")));
  ck_assert_str_eq(LLVMGetGC(LLVMGetNamedFunction(some, "takes")), "statepoint-example");
  ck_assert_uint_eq(spgc_manage_all_functions(all), 2);
  ck_assert_str_eq(LLVMGetGC(LLVMGetNamedFunction(all, "plain")), "statepoint-example");
  ck_assert_uint_eq(spgc_manage_all_functions(all), 0);
  LLVMDisposeModule(some);
  LLVMDisposeModule(all);
  LLVMContextDispose(context);
}
END_TEST

START_TEST(llvm_has_to_be_initialised) {
  struct spgc_lower_options options;
  struct spgc_error error = {0};
  struct spgc_jit *jit = NULL;
  spgc_lower_options_default(&options);
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, barrier_alone);
  ck_assert_int_eq(spgc_lower_module(module, &options, &error), SPGC_ERROR_STATE);
  ck_assert_msg(strstr(error.message, "spgc_llvm_initialise") != NULL, "%s", error.message);
  ck_assert_int_eq(spgc_jit_create(&jit, &error), SPGC_ERROR_STATE);
  ck_assert_msg(strstr(error.message, "spgc_llvm_initialise") != NULL, "%s", error.message);
  ck_assert_ptr_null(jit);
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  ck_assert_ok(spgc_lower_module(module, &options, &error), error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-version");
  TCase *tests = tcase_create("version");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, code_that_only_marks_cards_has_a_record);
  tcase_add_test(tests, the_jit_refuses_code_of_another_version);
  tcase_add_test(tests, the_jit_refuses_code_that_was_not_lowered);
  tcase_add_test(tests, the_jit_refuses_code_lowered_ahead_of_time);
  tcase_add_test(tests, nothing_is_emitted_that_was_not_lowered);
  tcase_add_test(tests, a_note_leads_to_the_record_unless_a_loader_finds_it);
  tcase_add_test(tests, the_lowering_says_its_version_and_that_of_llvm);
  tcase_add_test(tests, functions_are_managed_that_have_references_or_all);
  tcase_add_test(tests, llvm_has_to_be_initialised);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
