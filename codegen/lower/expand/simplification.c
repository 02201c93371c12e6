/* After the whole optimiser, LLVM simplifies only the functions into which code was inlined since,
 * and the bodies that are still to be inlined. It would hardly change the others, and take 1/40 of
 * the lowering's time. It skips functions with `optnone`, which goes with `noinline`. */
#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

static const char grown[] = "spgc-grown";

static const struct skip {
  const char *attribute, *added;
} skips[] = {{"optnone", "spgc-added-optnone"}, {"noinline", "spgc-added-noinline"}};

enum { SKIPS = sizeof skips / sizeof *skips };

void spgc_note_inlining(LLVMValueRef function) {
  spgc_ir_add_string(function, grown);
}

void spgc_skip_simplification(struct lowering *lowering, LLVMValueRef function) {
  bool simplifies = lowering->options->optimisation < 2 ||
                    spgc_ir_string(function, grown) != NULL ||
                    spgc_ir_has_attribute(function, "alwaysinline");
  for (const struct skip *skip = skips; !simplifies && skip < skips + SKIPS; skip++)
    if (!spgc_ir_has_attribute(function, skip->attribute)) {
      spgc_ir_add_attribute(function, skip->attribute);
      spgc_ir_add_string(function, skip->added);
    }
  spgc_ir_remove_string(function, grown);
}

void spgc_end_skipping(struct lowering *lowering, LLVMValueRef function) {
  for (const struct skip *skip = skips; skip < skips + SKIPS; skip++)
    if (spgc_ir_string(function, skip->added) != NULL) {
      spgc_ir_remove_attribute(function, skip->attribute);
      spgc_ir_remove_string(function, skip->added);
    }
}
