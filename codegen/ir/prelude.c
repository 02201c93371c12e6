#include "codegen/ir/prelude.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/processor.h"
#include "spgc/thread.h"
#include "spgc/type.h"
#include "support/fatal.h"

_Static_assert(offsetof(struct spgc_type, size) == 0 && sizeof(((struct spgc_type *)0)->size) == 4,
               "prelude.ll reads the size as an i32 at 0");
_Static_assert(offsetof(struct spgc_type, element_size) == 4 &&
                   sizeof(((struct spgc_type *)0)->element_size) == 4,
               "prelude.ll reads the element size as an i32 at 4");
_Static_assert(SPGC_CARD_SHIFT == 7 && SPGC_GROUP_CARD_SHIFT == 13 && SPGC_CARD_DIRTY == 1,
               "prelude.ll shifts by 7 and 13, and stores 1");
_Static_assert(SPGC_STORE_BUFFER_BYTES == 131072 && SPGC_MOST_GROUP_STORES == 8,
               "prelude.ll compares with these and 131064");

extern const char spgc_prelude_text[];

static void write_space_accessor(FILE *out, const char *name, ptrdiff_t offset, unsigned space) {
  fprintf(out,
          "define ptr addrspace(%u) @spgc.thread.%s() alwaysinline {\n"
          "  ret ptr addrspace(%u) inttoptr (i64 %td to ptr addrspace(%u))\n}\n",
          space, name, space, offset, space);
}

static void write_accessor(FILE *out, const char *name, const char *thread, ptrdiff_t offset) {
  fprintf(out,
          "define ptr @spgc.thread.%s() alwaysinline {\n"
          "  %%thread = call ptr @llvm.%s\n"
          "  %%word = getelementptr i8, ptr %%thread, i64 %td\n"
          "  ret ptr %%word\n}\n",
          name, thread, offset);
}

static void write_accessors(FILE *out, enum spgc_code code, unsigned space) {
  if (code == SPGC_CODE_JIT) {
    ptrdiff_t thread = spgc_thread_offset();
    if (space == 0)
      fputs("declare ptr @llvm.thread.pointer()\n", out);
#define SPGC_THREAD_FIELD(name, type, offset, writer)                                              \
  if (space != 0)                                                                                  \
    write_space_accessor(out, #name, thread + (offset), space);                                    \
  else                                                                                             \
    write_accessor(out, #name, "thread.pointer()", thread + (offset));
    SPGC_THREAD_FIELDS(SPGC_THREAD_FIELD)
#undef SPGC_THREAD_FIELD
    return;
  }
  fprintf(out,
          "@spgc_thread = external thread_local(initialexec) global [%zu x i8], align 8\n"
          "declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)\n",
          sizeof(struct spgc_thread));
#define SPGC_THREAD_FIELD(name, type, offset, writer)                                              \
  write_accessor(out, #name, "threadlocal.address.p0(ptr @spgc_thread)", (offset));
  SPGC_THREAD_FIELDS(SPGC_THREAD_FIELD)
#undef SPGC_THREAD_FIELD
}

/* `addrspace(0)` in prelude.ll stands for the thread's words. */
static void write_bodies(FILE *out, enum spgc_code code, unsigned space) {
  static const char mark[] = "addrspace(0)";
  const char *rest = spgc_prelude_text;
  for (const char *at; code == SPGC_CODE_JIT && (at = strstr(rest, mark)) != NULL;
       rest = at + sizeof mark - 1)
    fprintf(out, "%.*saddrspace(%u)", (int)(at - rest), rest, space);
  fputs(rest, out);
}

/* LLVM reads no text while the context discards the names of values. */
static LLVMModuleRef parse(LLVMContextRef context, const char *text, size_t length) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(text, length, "prelude", true);
  LLVMModuleRef prelude;
  char *message = NULL;
  LLVMBool discards_names = LLVMContextShouldDiscardValueNames(context);
  LLVMContextSetDiscardValueNames(context, false);
  LLVMBool failed = LLVMParseIRInContext(context, buffer, &prelude, &message);
  LLVMContextSetDiscardValueNames(context, discards_names);
  spgc_require(!failed, "the prelude does not parse: %s", message);
  return prelude;
}

enum spgc_result spgc_prelude_link(struct lowering *lowering, struct spgc_error *error) {
  LLVMModuleRef module = lowering->module;
  enum spgc_code code = lowering->options->code;
  const struct processor *processor = spgc_processor_of_module(module);
  char *text;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  spgc_require(stream != NULL, "out of memory");
  write_accessors(stream, code, processor->thread_space);
  write_bodies(stream, code, processor->thread_space);
  fprintf(stream, "!2 = !{!\"%s\"}\n", processor->stack_pointer);
  spgc_require(fclose(stream) == 0, "out of memory");
  LLVMModuleRef prelude = parse(LLVMGetModuleContext(module), text, length);
  free(text);
  LLVMSetDataLayout(prelude, LLVMGetDataLayoutStr(module));
  LLVMSetTarget(prelude, LLVMGetTarget(module));
  LLVMBool failed = LLVMLinkModules2(module, prelude);
  spgc_require(!failed, "the prelude does not link");
  return SPGC_OK;
}

static LLVMValueRef prelude_function(LLVMModuleRef module, const char *name) {
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  spgc_require(function != NULL, "the prelude lacks %s", name);
  return function;
}

void spgc_prelude_redirect(LLVMValueRef call, const char *name) {
  LLVMValueRef function = prelude_function(spgc_ir_module_of(call), name);
  spgc_require(LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(function),
               "%s has another type", name);
  spgc_ir_call_set_callee(call, function);
  spgc_ir_remove_attribute(call, "noinline");
}

void spgc_prelude_call_after(LLVMValueRef instruction, const char *name, LLVMValueRef *arguments,
                             unsigned count) {
  LLVMValueRef function = prelude_function(spgc_ir_module_of(instruction), name);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(instruction)));
  spgc_ir_position_after(builder, instruction);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
  LLVMDisposeBuilder(builder);
}

static bool is_prelude_value(LLVMValueRef value) {
  return spgc_ir_name_starts_with(value, PRELUDE_PREFIX);
}

static bool remove_unused_functions(LLVMModuleRef module) {
  bool removed = false;
  IR_EACH_FUNCTION (function, module) {
    if (!is_prelude_value(function))
      continue;
    LLVMSetLinkage(function, LLVMInternalLinkage);
    if (LLVMGetFirstUse(function) == NULL) {
      LLVMDeleteFunction(function);
      removed = true;
    }
  }
  return removed;
}

/* The prelude's constants are private; the module's record is not. */
static void remove_unused_constants(LLVMModuleRef module) {
  for (LLVMValueRef global = LLVMGetFirstGlobal(module), next; global != NULL; global = next) {
    next = LLVMGetNextGlobal(global);
    if (is_prelude_value(global) && LLVMGetLinkage(global) == LLVMPrivateLinkage &&
        LLVMGetFirstUse(global) == NULL)
      LLVMDeleteGlobal(global);
  }
}

enum spgc_result spgc_prelude_unlink(struct lowering *lowering, struct spgc_error *error) {
  while (remove_unused_functions(lowering->module))
    ;
  remove_unused_constants(lowering->module);
  return SPGC_OK;
}
