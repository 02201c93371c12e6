#include "codegen/emit/module_note.h"

#include <stdbool.h>
#include <stddef.h>

#include "spgc/module.h"

_Static_assert(offsetof(struct spgc_module_note, record) == 20 &&
                   sizeof(struct spgc_module_note) == 24,
               "the members are listed in order below");

static LLVMValueRef address_of(LLVMValueRef global, LLVMTypeRef i64, LLVMTypeRef i8,
                               uint64_t offset) {
  LLVMValueRef index = LLVMConstInt(i64, offset, false);
  return LLVMConstPtrToInt(LLVMConstInBoundsGEP2(i8, global, &index, 1), i64);
}

void spgc_module_note_add(LLVMModuleRef module) {
  static const char note_name[] = "spgc.note";
  LLVMValueRef record = LLVMGetNamedGlobal(module, "spgc.module");
  bool is_ahead_of_time = LLVMGetNamedFunction(module, "spgc.arrive") != NULL;
  if (record == NULL || !is_ahead_of_time || LLVMGetNamedGlobal(module, note_name) != NULL)
    return;
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef i8 = LLVMInt8TypeInContext(context), i32 = LLVMInt32TypeInContext(context);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
  char name[sizeof((struct spgc_module_note *)0)->name] = SPGC_MODULE_NOTE_NAME;
  LLVMTypeRef types[] = {i32, i32, i32, LLVMArrayType2(i8, sizeof name), i32};
  enum { MEMBERS = sizeof types / sizeof *types };
  LLVMTypeRef type = LLVMStructTypeInContext(context, types, MEMBERS, false);
  LLVMValueRef note = LLVMAddGlobal(module, type, note_name);
  LLVMValueRef distance =
      LLVMConstSub(address_of(record, i64, i8, 0),
                   address_of(note, i64, i8, offsetof(struct spgc_module_note, record)));
  LLVMValueRef members[] = {
      LLVMConstInt(i32, sizeof SPGC_MODULE_NOTE_NAME, false),
      LLVMConstInt(i32, sizeof(int32_t), false), LLVMConstInt(i32, SPGC_MODULE_NOTE, false),
      LLVMConstStringInContext(context, name, sizeof name, true), LLVMConstTrunc(distance, i32)};
  LLVMSetInitializer(note, LLVMConstStructInContext(context, members, MEMBERS, false));
  LLVMSetLinkage(note, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(note, true);
  LLVMSetSection(note, SPGC_MODULE_NOTE_SECTION);
  LLVMSetAlignment(note, sizeof(uint32_t));
}
