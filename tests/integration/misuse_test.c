/* Calls of libspgc-llvm that end the process with the call's name. */
#include <stdlib.h>

#include "spgc/jit.h"
#include "spgc/lower.h"
#include "tests/integration/jit_world.h"
#include "tests/support/fatal_check.h"
#include "tests/support/suite.h"

static LLVMContextRef context;
static LLVMModuleRef module;
static struct spgc_lower_options options;
static char code;
static void *address;

static LLVMMemoryBufferRef some_text(void) {
  return LLVMCreateMemoryBufferWithMemoryRangeCopy("", 0, "empty.ll");
}

static void hear(void *unused, const struct spgc_error *finding) {
}

static void set_no_defaults(void) {
  spgc_lower_options_default(NULL);
}

static void parse_in_no_context(void) {
  LLVMModuleRef parsed;
  spgc_parse_module(NULL, some_text(), &parsed, NULL);
}

static void parse_nothing(void) {
  LLVMModuleRef parsed;
  spgc_parse_module(context, NULL, &parsed, NULL);
}

static void parse_for_nobody(void) {
  spgc_parse_module(context, some_text(), NULL, NULL);
}

static void lower_nothing(void) {
  spgc_lower_module(NULL, &options, NULL);
}

static void lower_without_options(void) {
  spgc_lower_module(module, NULL, NULL);
}

static void manage_nothing(void) {
  spgc_manage_functions(NULL);
}

static void manage_all_of_nothing(void) {
  spgc_manage_all_functions(NULL);
}

static void check_nothing(void) {
  spgc_check_module(NULL, NULL);
}

static void lint_nothing(void) {
  spgc_lint_module(NULL, &options, hear, NULL, NULL);
}

static void lint_without_options(void) {
  spgc_lint_module(module, NULL, hear, NULL, NULL);
}

static void lint_for_nobody(void) {
  spgc_lint_module(module, &options, NULL, NULL, NULL);
}

static void emit_nothing(void) {
  LLVMMemoryBufferRef buffer;
  spgc_emit_module(NULL, &options, LLVMObjectFile, &buffer, NULL);
}

static void emit_without_options(void) {
  LLVMMemoryBufferRef buffer;
  spgc_emit_module(module, NULL, LLVMObjectFile, &buffer, NULL);
}

static void emit_for_nobody(void) {
  spgc_emit_module(module, &options, LLVMObjectFile, NULL, NULL);
}

static void emit_what_there_is_not(void) {
  LLVMMemoryBufferRef buffer;
  spgc_emit_module(module, &options, (LLVMCodeGenFileType)9, &buffer, NULL);
}

static void create_for_nobody(void) {
  spgc_jit_create(NULL, NULL);
}

static void listen_to_nothing(void) {
  spgc_jit_listen(NULL, SPGC_JIT_GDB, NULL);
}

static void define_nowhere(void) {
  spgc_jit_define(NULL, "name", &code, NULL);
}

static void define_no_name(void) {
  spgc_jit_define(jit_world_jit, NULL, &code, NULL);
}

static void add_nowhere(void) {
  spgc_jit_add(NULL, some_text(), NULL, NULL);
}

static void add_nothing(void) {
  spgc_jit_add(jit_world_jit, NULL, NULL, NULL);
}

static void remove_from_nowhere(void) {
  spgc_jit_remove(NULL, NULL, NULL);
}

static void look_up_nowhere(void) {
  spgc_jit_lookup(NULL, "malloc", &address, NULL);
}

static void look_up_no_name(void) {
  spgc_jit_lookup(jit_world_jit, NULL, &address, NULL);
}

static void look_up_for_nobody(void) {
  spgc_jit_lookup(jit_world_jit, "malloc", NULL, NULL);
}

static void patch_nowhere(void) {
  spgc_jit_patch_call(NULL, &code, 12, &code, NULL);
}

static void patch_without_target(void) {
  spgc_jit_patch_call(jit_world_jit, &code, 12, NULL, NULL);
}

static const struct {
  void (*body)(void);
  const char *message;
} misused[] = {
    {set_no_defaults, "spgc_lower_options_default: no options are given"},
    {parse_in_no_context, "spgc_parse_module: no context, no buffer or no place for the module"},
    {parse_nothing, "spgc_parse_module: no context, no buffer or no place for the module"},
    {parse_for_nobody, "spgc_parse_module: no context, no buffer or no place for the module"},
    {lower_nothing, "spgc_lower_module: no module is given"},
    {lower_without_options, "spgc_lower_module: no options are given"},
    {manage_nothing, "spgc_manage_functions: no module is given"},
    {manage_all_of_nothing, "spgc_manage_all_functions: no module is given"},
    {check_nothing, "spgc_check_module: no module is given"},
    {lint_nothing, "spgc_lint_module: no module or no function is given"},
    {lint_without_options, "spgc_lint_module: no options are given"},
    {lint_for_nobody, "spgc_lint_module: no module or no function is given"},
    {emit_nothing, "spgc_emit_module: no module or no place for the buffer is given"},
    {emit_without_options, "spgc_emit_module: no options are given"},
    {emit_for_nobody, "spgc_emit_module: no module or no place for the buffer is given"},
    {emit_what_there_is_not, "spgc_emit_module: there is no kind of file 9"},
    {create_for_nobody, "spgc_jit_create: no place for the JIT is given"},
    {listen_to_nothing, "spgc_jit_listen: no JIT is given"},
    {define_nowhere, "spgc_jit_define: no JIT or no name is given"},
    {define_no_name, "spgc_jit_define: no JIT or no name is given"},
    {add_nowhere, "spgc_jit_add: no JIT or no buffer is given"},
    {add_nothing, "spgc_jit_add: no JIT or no buffer is given"},
    {remove_from_nowhere, "spgc_jit_remove: no JIT is given"},
    {look_up_nowhere, "spgc_jit_lookup: no JIT, no name or no place for the address is given"},
    {look_up_no_name, "spgc_jit_lookup: no JIT, no name or no place for the address is given"},
    {look_up_for_nobody, "spgc_jit_lookup: no JIT, no name or no place for the address is given"},
    {patch_nowhere, "spgc_jit_patch_call: no JIT or no target is given"},
    {patch_without_target, "spgc_jit_patch_call: no JIT or no target is given"},
};

START_TEST(misuse_is_named) {
  spgc_lower_options_default(&options);
  jit_world_start("");
  context = LLVMContextCreate();
  module = compile_parse(context, "define void @f() {\n  ret void\n}\n");
  for (size_t i = 0; i < sizeof misused / sizeof *misused; i++)
    check_is_fatal(misused[i].body, misused[i].message);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  jit_world_stop();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-misuse");
  TCase *tests = tcase_create("misuse");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, misuse_is_named);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
