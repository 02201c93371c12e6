#include "codegen/jit/jit_names.h"

#include <stdlib.h>
#include <string.h>

/* A kind of symbol in one part. */
struct wanted {
  unsigned type;
  enum jit_part part;
};

/* The section of a symbol of this kind; NULL for other symbols. */
static const struct jit_section *section_of(const struct jit_image *image, const Elf64_Sym *symbol,
                                            struct wanted wanted) {
  const struct jit_section *section = spgc_jit_image_section_of(image, symbol);
  return section != NULL && section->part == wanted.part &&
                 ELF64_ST_TYPE(symbol->st_info) == wanted.type
             ? section
             : NULL;
}

static size_t measure(const struct jit_image *image, struct wanted wanted, size_t *text_bytes) {
  size_t count = 0;
  *text_bytes = 0;
  for (uint64_t i = 1; i < image->symbol_count; i++) {
    Elf64_Sym symbol = spgc_jit_image_symbol(image, i);
    if (section_of(image, &symbol, wanted) == NULL)
      continue;
    count++;
    *text_bytes += strlen(spgc_jit_image_symbol_name(image, &symbol)) + 1;
  }
  return count;
}

/* The array and the text are one allocation. */
static bool collect(struct spgc_code_names *names, const struct jit_image *image,
                    struct wanted wanted) {
  size_t text_bytes, count = measure(image, wanted, &text_bytes);
  if (count == 0)
    return true;
  struct spgc_code_name *array = malloc(count * sizeof *array + text_bytes);
  if (array == NULL)
    return false;
  char *text = (char *)(array + count);
  *names = (struct spgc_code_names){.names = array};
  for (uint64_t i = 1; i < image->symbol_count; i++) {
    Elf64_Sym symbol = spgc_jit_image_symbol(image, i);
    const struct jit_section *section = section_of(image, &symbol, wanted);
    if (section == NULL)
      continue;
    const char *name = spgc_jit_image_symbol_name(image, &symbol);
    array[names->count++] =
        (struct spgc_code_name){section->address + symbol.st_value, symbol.st_size, text};
    text = stpcpy(text, name) + 1;
  }
  return true;
}

bool spgc_jit_names_collect(struct jit_names *names, const struct jit_image *image) {
  if (collect(&names->functions, image, (struct wanted){STT_FUNC, JIT_CODE}) &&
      collect(&names->variables, image, (struct wanted){STT_OBJECT, JIT_DATA}))
    return true;
  free((void *)names->functions.names);
  *names = (struct jit_names){0};
  return false;
}

void spgc_jit_names_publish(struct jit_names *names) {
  if (names->functions.names != NULL)
    spgc_code_names_add(&names->functions);
  if (names->variables.names != NULL)
    spgc_variable_names_add(&names->variables);
}

void spgc_jit_names_drop(struct jit_names *names) {
  if (names->functions.names != NULL)
    spgc_code_names_remove(&names->functions);
  if (names->variables.names != NULL)
    spgc_variable_names_remove(&names->variables);
  free((void *)names->functions.names);
  free((void *)names->variables.names);
  *names = (struct jit_names){0};
}
