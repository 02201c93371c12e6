#include "codegen/jit/jit_names.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/emit/elf_image.h"
#include "support/fatal.h"

static void append(struct jit_name_list *names, struct spgc_code_name name) {
  if (names->count == names->capacity) {
    names->capacity = names->capacity == 0 ? 16 : 2 * names->capacity;
    names->names = reallocarray(names->names, names->capacity, sizeof *names->names);
  }
  name.name = strdup(name.name);
  spgc_require(names->names != NULL && name.name != NULL, "out of memory");
  names->names[names->count++] = name;
}

static bool has_name(const struct elf_image *image, uint64_t section, const char *name) {
  Elf64_Shdr header;
  const char *found = spgc_elf_section(image, section, &header)
                          ? spgc_elf_string(image, &image->names, header.sh_name)
                          : NULL;
  return found != NULL && strcmp(found, name) == 0;
}

/* The section's index; 0 unless there is exactly one of that name. */
static uint64_t only_section(const struct elf_image *image, const char *name) {
  uint64_t only = 0;
  for (uint64_t i = 1; i < image->header_count; i++) {
    if (!has_name(image, i, name))
      continue;
    if (only != 0)
      return 0;
    only = i;
  }
  return only;
}

/* A kind of symbol in one section, and where the section was loaded. */
struct wanted {
  uint64_t section;
  unsigned type;
  uintptr_t start;
};

static void collect_symbols(struct jit_name_list *names, const struct elf_image *image,
                            const Elf64_Shdr *table, const struct wanted *wanted) {
  Elf64_Shdr strings;
  Elf64_Sym symbol;
  if (!spgc_elf_section(image, table->sh_link, &strings))
    return;
  for (uint64_t at = 0; at + sizeof symbol <= table->sh_size; at += sizeof symbol) {
    if (!spgc_elf_read(image, table->sh_offset + at, &symbol, sizeof symbol))
      return;
    const char *name = spgc_elf_string(image, &strings, symbol.st_name);
    if (symbol.st_shndx == wanted->section && ELF64_ST_TYPE(symbol.st_info) == wanted->type &&
        name != NULL)
      append(names, (struct spgc_code_name){wanted->start + symbol.st_value, symbol.st_size, name});
  }
}

static void collect(struct jit_name_list *names, const char *object, size_t size,
                    const char *section, struct wanted wanted) {
  struct elf_image image;
  wanted.section = spgc_elf_open(&image, object, size) ? only_section(&image, section) : 0;
  if (wanted.section == 0)
    return;
  for (uint64_t i = 0; i < image.header_count; i++) {
    Elf64_Shdr header;
    if (spgc_elf_section(&image, i, &header) && header.sh_type == SHT_SYMTAB)
      collect_symbols(names, &image, &header, &wanted);
  }
}

void spgc_jit_names_collect_functions(struct jit_names *names, const char *object, size_t size,
                                      const char *section, uintptr_t start) {
  collect(&names->functions, object, size, section,
          (struct wanted){.type = STT_FUNC, .start = start});
}

void spgc_jit_names_collect_variables(struct jit_names *names, const char *object, size_t size,
                                      const char *section, uintptr_t start) {
  collect(&names->variables, object, size, section,
          (struct wanted){.type = STT_OBJECT, .start = start});
}

/* Whether the list has names to give to the runtime. */
static bool make_record(struct jit_name_list *list) {
  list->added = (struct spgc_code_names){.names = list->names, .count = list->count};
  return list->count != 0;
}

void spgc_jit_names_publish(struct jit_names *names) {
  if (make_record(&names->functions))
    spgc_code_names_add(&names->functions.added);
  if (make_record(&names->variables))
    spgc_variable_names_add(&names->variables.added);
}

static void free_list(struct jit_name_list *list) {
  for (size_t i = 0; i < list->count; i++)
    free((char *)list->names[i].name);
  free(list->names);
}

void spgc_jit_names_drop(struct jit_names *names) {
  if (names->functions.added.names != NULL)
    spgc_code_names_remove(&names->functions.added);
  if (names->variables.added.names != NULL)
    spgc_variable_names_remove(&names->variables.added);
  free_list(&names->functions);
  free_list(&names->variables);
  *names = (struct jit_names){0};
}
