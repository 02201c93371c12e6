#include "codegen/emit/code_shape.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/TargetMachine.h>

#include "codegen/ir/processor.h"
#include "support/fatal.h"

enum { INSTRUCTION_TEXT = 256 };

/* True if a word of a printed instruction begins so; a mnemonic may have a prefix. */
static bool has_word(const char *text, const char *start) {
  static const char spaces[] = " \t";
  for (; *(text += strspn(text, spaces)) != '\0'; text += strcspn(text, spaces))
    if (strncmp(text, start, strlen(start)) == 0)
      return true;
  return false;
}

/* Finds calls by reading instructions from the function's start. Read backwards they would be
 * ambiguous. */
static void find_calls(LLVMDisasmContextRef disassembler, const struct processor *processor,
                       const char *code, uint64_t start, uint64_t size, struct code_shape *shape) {
  for (uint64_t at = 0; at < size;) {
    char text[INSTRUCTION_TEXT];
    uint8_t *bytes = (uint8_t *)(uintptr_t)(code + start + at);
    size_t length = LLVMDisasmInstruction(disassembler, bytes, size - at, 0, text, sizeof text);
    if (length == 0)
      return;
    at += length;
    if (has_word(text, processor->call))
      shape->call_sizes[start + at] = (uint8_t)length;
  }
}

static enum spgc_result read_functions(const struct elf_image *object, const Elf64_Shdr *symbols,
                                       uint64_t index, const char *code,
                                       LLVMDisasmContextRef disassembler, struct code_shape *shape,
                                       struct spgc_error *error) {
  const struct processor *processor = spgc_processor_of_elf(object->machine);
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    if (!spgc_elf_read(object, symbols->sh_offset + at, &symbol, sizeof symbol))
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                            "the object's symbols extend beyond it");
    if (symbol.st_shndx != index || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC)
      continue;
    if (symbol.st_value > shape->bytes || symbol.st_size > shape->bytes - symbol.st_value)
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                            "a function extends beyond its section");
    bool again = shape->function_sizes[symbol.st_value] != 0; /* an alias */
    shape->function_sizes[symbol.st_value] = (uint32_t)symbol.st_size;
    if (!again)
      find_calls(disassembler, processor, code, symbol.st_value, symbol.st_size, shape);
  }
  return SPGC_OK;
}

static LLVMDisasmContextRef create_disassembler(const struct processor *processor) {
  char *triple = LLVMNormalizeTargetTriple(processor->name);
  LLVMDisasmContextRef disassembler = LLVMCreateDisasm(triple, NULL, 0, NULL, NULL);
  LLVMDisposeMessage(triple);
  return disassembler;
}

enum spgc_result spgc_code_shape_read(const struct elf_image *object, const Elf64_Shdr *symbols,
                                      uint64_t index, struct code_shape *shape,
                                      struct spgc_error *error) {
  *shape = (struct code_shape){0};
  Elf64_Shdr section;
  if (!spgc_elf_section(object, index, &section) || (section.sh_flags & SHF_EXECINSTR) == 0 ||
      section.sh_offset > object->size || section.sh_size > object->size - section.sh_offset ||
      section.sh_size > UINT32_MAX)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                          "section %lu is not code, or extends beyond the object",
                          (unsigned long)index);
  LLVMDisasmContextRef disassembler = create_disassembler(spgc_processor_of_elf(object->machine));
  if (disassembler == NULL)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "this LLVM cannot disassemble the object's code");
  shape->bytes = section.sh_size;
  shape->function_sizes = calloc(section.sh_size + 1, sizeof *shape->function_sizes);
  shape->call_sizes = calloc(section.sh_size + 1, sizeof *shape->call_sizes);
  spgc_require(shape->function_sizes != NULL && shape->call_sizes != NULL, "out of memory");
  enum spgc_result result = read_functions(
      object, symbols, index, object->bytes + section.sh_offset, disassembler, shape, error);
  LLVMDisasmDispose(disassembler);
  return result;
}

void spgc_code_shape_free(struct code_shape *shape) {
  free(shape->function_sizes);
  free(shape->call_sizes);
}
