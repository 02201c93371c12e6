/* For jit_template.h. Each has a function that returns n + 1, and keeps n in an object while it
 * calls between(n). */
#ifndef SPGC_TESTS_JIT_TEXTS_H
#define SPGC_TESTS_JIT_TEXTS_H

#define TYPE "{ i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }"
#define BEGINNING                                                                                  \
  "declare ptr addrspace(1) @spgc_allocate(ptr)\n"                                                 \
  "declare i64 @between(i64)\n"

#define FUNCTION(prepare, step)                                                                    \
  "define i64 @function_00000(i64 %n) gc \"statepoint-example\" {\n"                               \
  "  %a = call ptr addrspace(1) @spgc_allocate(ptr @cell)\n"                                       \
  "  %v = getelementptr i8, ptr addrspace(1) %a, i64 16\n"                                         \
  "  store i64 %n, ptr addrspace(1) %v\n" prepare "  %b = call i64 @between(i64 %n)\n"             \
  "  %w = getelementptr i8, ptr addrspace(1) %a, i64 16\n"                                         \
  "  %x = load i64, ptr addrspace(1) %w\n" step "  ret i64 %r\n}\n"
#define CELL(linkage)                                                                              \
  "@offsets = " linkage " constant [1 x i32] [i32 8]\n"                                            \
  "@cell = " linkage " constant " TYPE " { i32 24, i32 0, i32 0, i32 1, ptr @offsets, i32 0, "     \
  "i32 0, ptr null, ptr null }\n"

/* Has its own descriptors and a global root. */
static const char jit_text_alone[] =
    BEGINNING CELL("internal") "@kept = internal global ptr addrspace(1) null\n" FUNCTION(
        "  store ptr addrspace(1) %a, ptr @kept\n", "  %r = add i64 %x, 1\n");

/* Shares descriptors, a function, a constant and a global root with its kind. */
static const char jit_text_sharing[] = BEGINNING CELL(
    "linkonce_odr") "@one = linkonce_odr constant [2 x i64] [i64 1, i64 7]\n"
                    "@last = linkonce_odr global ptr addrspace(1) null\n"
                    "define linkonce_odr i64 @helper(i64 %n) noinline gc \"statepoint-example\" {\n"
                    "  %b = call i64 @between(i64 %n)\n"
                    "  %o = load volatile i64, ptr @one\n"
                    "  %s = add i64 %n, %o\n"
                    "  ret i64 %s\n}\n" FUNCTION("  store ptr addrspace(1) %a, ptr @last\n",
                                                 "  %r = call i64 @helper(i64 %x)\n");

static const char jit_text_catching[] = BEGINNING CELL(
    "linkonce_odr") "@last = linkonce_odr global ptr addrspace(1) null\n"
                    "declare i32 @spgc_personality(...)\n"
                    "declare void @throw_out()\n"
                    "define linkonce_odr i64 @guarded(i64 %n) noinline gc \"statepoint-example\" "
                    "personality ptr @spgc_personality {\n"
                    "  %a = call ptr addrspace(1) @spgc_allocate(ptr @cell)\n"
                    "  %v = getelementptr i8, ptr addrspace(1) %a, i64 16\n"
                    "  store i64 %n, ptr addrspace(1) %v\n"
                    "  store ptr addrspace(1) %a, ptr @last\n"
                    "  invoke void @throw_out() to label %normal unwind label %handler\n"
                    "normal:\n  ret i64 0\n"
                    "handler:\n"
                    "  %pad = landingpad token catch ptr null\n"
                    "  %x = load i64, ptr addrspace(1) %v\n"
                    "  %r = add i64 %x, 1\n"
                    "  ret i64 %r\n}\n"
                    "define i64 @function_00000(i64 %n) gc \"statepoint-example\" {\n"
                    "  %r = call i64 @guarded(i64 %n)\n"
                    "  ret i64 %r\n}\n";

/* Shared descriptors, and forty calls. */
#define TEN_CALLS                                                                                  \
  "  call i64 @between(i64 1)\n  call i64 @between(i64 2)\n  call i64 @between(i64 3)\n"           \
  "  call i64 @between(i64 5)\n  call i64 @between(i64 6)\n  call i64 @between(i64 7)\n"           \
  "  call i64 @between(i64 9)\n  call i64 @between(i64 10)\n  call i64 @between(i64 11)\n"         \
  "  call i64 @between(i64 13)\n"
static const char jit_text_of_many_calls[] = BEGINNING CELL("linkonce_odr")
    FUNCTION(TEN_CALLS TEN_CALLS TEN_CALLS TEN_CALLS, "  %r = add i64 %x, 1\n");

static const char jit_text_calling[] = BEGINNING
    CELL("internal") "declare i64 @function_11111(i64) gc \"statepoint-example\"\n" FUNCTION(
        "", "  %r = call i64 @function_11111(i64 %x)\n");

static const char jit_text_thread_local[] = "@counter = thread_local global i64 7\n"
                                            "define i64 @count() {\n"
                                            "  %n = load i64, ptr @counter\n"
                                            "  ret i64 %n\n}\n";

#endif
