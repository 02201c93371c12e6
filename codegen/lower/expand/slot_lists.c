/* A safepoint lists the slots loaded after it before they are stored into (slots.c). RS4GC copies
 * the list from the call's attribute "spgc-slots"="FIRST COUNT FIRST COUNT ..." to the
 * statepoint. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/lower/expand/slots.h"
#include "spgc/stackmap_reader.h"
#include "support/fatal.h"

enum { BITS = 64 };

static const char attribute[] = "spgc-slots";

static bool is_live(const uint64_t *live, unsigned words, unsigned slot) {
  return slot / BITS < words && (live[slot / BITS] >> (slot % BITS) & 1) != 0;
}

void spgc_slots_note(LLVMValueRef safepoint, const uint64_t *live, unsigned words) {
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  spgc_require(stream != NULL, "out of memory");
  for (unsigned slot = 0, count; slot < words * BITS; slot += count + 1) {
    for (count = 0; is_live(live, words, slot + count);)
      count++;
    if (count != 0)
      fprintf(stream, "%u %u ", slot, count);
  }
  spgc_require(fclose(stream) == 0, "out of memory");
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(safepoint));
  if (length != 0)
    LLVMAddCallSiteAttribute(safepoint, IR_ON_FUNCTION,
                             LLVMCreateStringAttribute(context, attribute, sizeof attribute - 1,
                                                       text, (unsigned)length));
  free(text);
}

void spgc_slots_list(LLVMValueRef array, LLVMValueRef statepoint, struct values *operands) {
  LLVMAttributeRef noted = spgc_ir_string(statepoint, attribute);
  if (noted == NULL)
    return;
  unsigned length;
  const char *at = LLVMGetStringAttributeValue(noted, &length), *end = at + length;
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(statepoint));
  spgc_values_add(operands, array);
  spgc_values_add(operands, spgc_ir_word(context, SPGC_STACKMAP_RUN_PRIVATE));
  for (char *behind; at != end; at = behind + 1) {
    uint64_t offset = strtoul(at, &behind, 10) * IR_WORD, words = strtoul(behind, &behind, 10);
    spgc_values_add(operands,
                    spgc_ir_word(context, offset << SPGC_STACKMAP_RUN_OFFSET_SHIFT | words));
  }
  LLVMRemoveCallSiteStringAttribute(statepoint, IR_ON_FUNCTION, attribute, sizeof attribute - 1);
}

LLVMValueRef spgc_slot_array(LLVMValueRef function) {
  IR_EACH_INSTRUCTION (instruction, LLVMGetEntryBasicBlock(function))
    if (LLVMIsAAllocaInst(instruction) != NULL && spgc_is_slot_array(instruction))
      return instruction;
  return NULL;
}

/* Some of LLVM's machine passes are quadratic in a function's blocks, or a block's instructions.
 * They skip functions that are not to be optimised. */
void spgc_slots_hurry(LLVMValueRef function) {
  static const char *const contradictions[] = {"optsize", "minsize", "alwaysinline"};
  for (size_t i = 0; i < sizeof contradictions / sizeof *contradictions; i++)
    spgc_ir_remove_attribute(function, contradictions[i]);
  spgc_ir_add_attribute(function, "noinline");
  spgc_ir_add_attribute(function, "optnone");
}
