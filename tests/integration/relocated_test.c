#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "codegen/check/check.h"
#include "tests/integration/compile.h"
#include "tests/support/suite.h"

#define STATEPOINT(result, references)                                                             \
  "  " result " = call token (i64, i32, ptr, i32, i32, ...) "                                      \
  "@llvm.experimental.gc.statepoint.p0(i64 1, i32 0, ptr elementtype(void ()) @pause, i32 0, i32 " \
  "0, i32 0, i32 0) [\"gc-live\"(" references ")]\n"
#define RELOCATED(result, statepoint)                                                              \
  "  " result " = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token " statepoint       \
  ", i32 0, i32 0)\n"
#define FUNCTION                                                                                   \
  "define ptr addrspace(1) @f(i1 %c, ptr addrspace(1) %o) gc \"statepoint-example\" {\n"

#define INVOKING                                                                                   \
  "define ptr addrspace(1) @f(ptr addrspace(1) %o) gc \"statepoint-example\" personality ptr "     \
  "@personality {\n"                                                                               \
  "  %t = invoke token (i64, i32, ptr, i32, i32, ...) "                                            \
  "@llvm.experimental.gc.statepoint.p0(i64 1, i32 0, ptr elementtype(void ()) @pause, i32 0, "     \
  "i32 0, i32 0, i32 0) [\"gc-live\"(ptr addrspace(1) %o)] to label %on unwind label %pad\n"       \
  "on:\n" RELOCATED("%n", "%t") "  ret ptr addrspace(1) %n\n"

static const char prelude[] =
    "declare void @pause()\n"
    "declare void @see(ptr addrspace(1)) \"gc-leaf-function\"\n"
    "declare i32 @personality(...)\n"
    "declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, "
    "i32 immarg, ...)\n"
    "declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32 immarg, i32 immarg)\n";

static const struct body {
  const char *name, *text;
  bool is_late;
} bodies[] = {
    {"a relocated argument",
     FUNCTION STATEPOINT("%t", "ptr addrspace(1) %o")
         RELOCATED("%n", "%t") "  ret ptr addrspace(1) %n\n}\n",
     false},
    {"an argument", FUNCTION STATEPOINT("%t", "ptr addrspace(1) %o") "  ret ptr addrspace(1) %o\n}",
     true},
    {"an argument before and behind the safepoint",
     FUNCTION "  call void @see(ptr addrspace(1) %o)\n" STATEPOINT(
         "%t", "ptr addrspace(1) %o") "  call void @see(ptr addrspace(1) %o)\n  ret ptr "
                                      "addrspace(1) null\n}",
     true},
    {"a second statepoint",
     FUNCTION STATEPOINT("%t", "ptr addrspace(1) %o") STATEPOINT("%u", "ptr addrspace(1) %o")
         RELOCATED("%n", "%u") "  ret ptr addrspace(1) %n\n}",
     true},
    {"an address in an object",
     FUNCTION "  %at = getelementptr i8, ptr addrspace(1) %o, i64 8\n" STATEPOINT(
         "%t", "ptr addrspace(1) %o") "  %w = load i64, ptr addrspace(1) %at\n"
                                      "  ret ptr addrspace(1) null\n}",
     true},
    {"a path without a safepoint",
     FUNCTION "  br i1 %c, label %a, label %b\na:\n" STATEPOINT("%t", "ptr addrspace(1) %o")
         RELOCATED("%n", "%t") "  br label %end\nb:\n  br label %end\n"
                               "end:\n  %r = phi ptr addrspace(1) [ %n, %a ], [ %o, %b ]\n"
                               "  ret ptr addrspace(1) %r\n}",
     false},
    {"one of two paths",
     FUNCTION "  br i1 %c, label %a, label %b\na:\n" STATEPOINT(
         "%t", "ptr addrspace(1) %o") "  br label %end\nb:\n  br label %end\n"
                                      "end:\n  ret ptr addrspace(1) %o\n}",
     true},
    {"what comes into a phi",
     FUNCTION "  br i1 %c, label %a, label %b\na:\n" STATEPOINT(
         "%t", "ptr addrspace(1) %o") "  br label %end\nb:\n  br label %end\n"
                                      "end:\n  %r = phi ptr addrspace(1) [ %o, %a ], [ %o, %b ]\n"
                                      "  ret ptr addrspace(1) %r\n}",
     true},
    {"the next round of a loop",
     FUNCTION "  br label %loop\nloop:\n  call void @see(ptr addrspace(1) %o)\n" STATEPOINT(
         "%t", "ptr addrspace(1) %o") "  br i1 %c, label %loop, label %end\n"
                                      "end:\n  ret ptr addrspace(1) null\n}",
     true},
    {"a loop that carries the reference",
     FUNCTION "  br label %loop\nloop:\n"
              "  %p = phi ptr addrspace(1) [ %o, %0 ], [ %n, %loop ]\n" STATEPOINT(
                  "%t", "ptr addrspace(1) %p")
                  RELOCATED("%n", "%t") "  br i1 %c, label %loop, label %end\n"
                                        "end:\n  ret ptr addrspace(1) %n\n}",
     false},
    {"a loop that carries the old reference",
     FUNCTION "  br label %loop\nloop:\n"
              "  %p = phi ptr addrspace(1) [ %o, %0 ], [ %p, %loop ]\n" STATEPOINT(
                  "%t", "ptr addrspace(1) %p") "  br i1 %c, label %loop, label %end\n"
                                               "end:\n  ret ptr addrspace(1) null\n}",
     true},
    {"a loop of blocks between definition and use",
     FUNCTION "  br label %head\nhead:\n  br i1 %c, label %body, label %end\nbody:\n" STATEPOINT(
         "%t", "") "  br label %head\nend:\n  ret ptr addrspace(1) %o\n}",
     true},
    {"a loop without safepoints",
     FUNCTION "  br label %head\nhead:\n  call void @see(ptr addrspace(1) %o)\n"
              "  br i1 %c, label %head, label %end\nend:\n" STATEPOINT("%t", "ptr addrspace(1) %o")
                  RELOCATED("%n", "%t") "  ret ptr addrspace(1) %n\n}",
     false},
    {"both ends of an invoke",
     INVOKING
     "pad:\n  %l = landingpad token cleanup\n" RELOCATED("%m", "%l") "  ret ptr addrspace(1) %m\n}",
     false},
    {"the unwinding end of an invoke",
     INVOKING "pad:\n  %l = landingpad token cleanup\n"
              "  ret ptr addrspace(1) %o\n}",
     true},
    {"a vector",
     FUNCTION
     "  %v = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %o, "
     "i64 0\n" STATEPOINT(
         "%t", "ptr addrspace(1) %o") "  %e = extractelement <2 x ptr addrspace(1)> %v, i64 0\n"
                                      "  ret ptr addrspace(1) %e\n}",
     true},
    {"a structure",
     FUNCTION
     "  %s = insertvalue { i64, ptr addrspace(1) } zeroinitializer, ptr addrspace(1) %o, "
     "1\n" STATEPOINT("%t",
                      "ptr addrspace(1) %o") "  %e = extractvalue { i64, ptr addrspace(1) } %s, 1\n"
                                             "  ret ptr addrspace(1) %e\n}",
     true},
    {"a choice between constants",
     FUNCTION "  %k = select i1 %c, ptr addrspace(1) null, ptr addrspace(1) inttoptr (i64 8 to ptr "
              "addrspace(1))\n" STATEPOINT("%t", "") "  ret ptr addrspace(1) %k\n}",
     false},
    {"a choice between a constant and an object",
     FUNCTION "  %k = select i1 %c, ptr addrspace(1) null, ptr addrspace(1) %o\n" STATEPOINT(
         "%t", "") "  ret ptr addrspace(1) %k\n}",
     true},
};

START_TEST(a_use_behind_a_safepoint_is_seen) {
  const struct body *body = &bodies[_i];
  char *text;
  struct spgc_error error = {.code = SPGC_OK};
  struct lowering lowering = {.module = NULL};
  ck_assert_int_ne(asprintf(&text, "%s%s", prelude, body->text), -1);
  LLVMContextRef context = LLVMContextCreate();
  lowering.module = compile_parse(context, text);
  enum spgc_result expected = body->is_late ? SPGC_ERROR_REJECTED : SPGC_OK;
  ck_assert_msg(spgc_check_relocated(&lowering, &error) == expected, "%s: %s", body->name,
                error.message);
  if (body->is_late)
    ck_assert_msg(strstr(error.message, "function 'f'") != NULL, "%s: %s", body->name,
                  error.message);
  LLVMDisposeModule(lowering.module);
  LLVMContextDispose(context);
  free(text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-relocated");
  TCase *tests = tcase_create("relocated");
  tcase_add_loop_test(tests, a_use_behind_a_safepoint_is_seen, 0, sizeof bodies / sizeof *bodies);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
