#include "frontend-demo/emit/emit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct lox_debug {
  struct lox_arena *arena;
  LLVMDIBuilderRef builder;
  LLVMMetadataRef file;
  LLVMMetadataRef type; /* the type of all functions: the source declares no types */
};

/* LLVM's DWARF 5 has .debug_names, which gdb mistakes for an index of all linked code. */
enum { DWARF_VERSION = 4 };

static void add_flag(LLVMModuleRef module, const char *name, unsigned value) {
  LLVMValueRef number =
      LLVMConstInt(LLVMInt32TypeInContext(LLVMGetModuleContext(module)), value, false);
  LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                    LLVMValueAsMetadata(number));
}

/* LLVM requires a folder for relative paths. */
static LLVMMetadataRef describe_file(LLVMDIBuilderRef builder, const char *path) {
  char folder[PATH_MAX];
  const char *known = getcwd(folder, sizeof folder) ? folder : ".";
  return LLVMDIBuilderCreateFile(builder, path, strlen(path), known, strlen(known));
}

/* With C's language number, debuggers take names as they are. */
static void describe_unit(struct lox_debug *debug) {
  static const char producer[] = "lox";
  LLVMDIBuilderCreateCompileUnit(debug->builder, LLVMDWARFSourceLanguageC, debug->file, producer,
                                 strlen(producer), true, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0,
                                 false, false, "", 0, "", 0);
}

struct lox_debug *lox_debug_begin(LLVMModuleRef module, const char *path, struct lox_arena *arena) {
  struct lox_debug *debug = lox_arena_allocate(arena, sizeof *debug);
  add_flag(module, "Debug Info Version", LLVMDebugMetadataVersion());
  add_flag(module, "Dwarf Version", DWARF_VERSION);
  debug->arena = arena;
  debug->builder = LLVMCreateDIBuilder(module);
  debug->file = describe_file(debug->builder, path);
  describe_unit(debug);
  debug->type =
      LLVMDIBuilderCreateSubroutineType(debug->builder, debug->file, NULL, 0, LLVMDIFlagZero);
  return debug;
}

void lox_debug_end(struct lox_debug *debug) {
  if (!debug)
    return;
  LLVMDIBuilderFinalize(debug->builder);
  LLVMDisposeDIBuilder(debug->builder);
}

static struct lox_string full_name(struct lox_debug *debug, const struct lox_function *function) {
  static const char script[] = "script";
  if (!function->name)
    return (struct lox_string){script, strlen(script)};
  if (!function->class_)
    return function->name->text;
  const struct lox_string *class_ = &function->class_->name->text;
  size_t size = class_->length + 1 + function->name->text.length + 1;
  char *name = lox_arena_allocate(debug->arena, size);
  snprintf(name, size, "%s.%s", class_->bytes, function->name->text.bytes);
  return (struct lox_string){name, size - 1};
}

LLVMMetadataRef lox_debug_function(struct lox_debug *debug, const struct lox_function *function,
                                   LLVMValueRef code) {
  struct lox_string name = full_name(debug, function);
  unsigned line = (unsigned)function->line;
  LLVMMetadataRef subprogram = LLVMDIBuilderCreateFunction(
      debug->builder, debug->file, name.bytes, name.length, "", 0, debug->file, line, debug->type,
      true, true, line, LLVMDIFlagZero, true);
  LLVMSetSubprogram(code, subprogram);
  return subprogram;
}
