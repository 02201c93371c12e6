#include "codegen/jit/jit_names.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/emit/elf_image.h"
#include "support/fatal.h"

static void append(struct jit_names *names, struct spgc_code_name name) {
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

static void collect_functions(struct jit_names *names, const struct elf_image *image,
                              const Elf64_Shdr *table, uint64_t section, uintptr_t start) {
  Elf64_Shdr strings;
  Elf64_Sym symbol;
  if (!spgc_elf_section(image, table->sh_link, &strings))
    return;
  for (uint64_t at = 0; at + sizeof symbol <= table->sh_size; at += sizeof symbol) {
    if (!spgc_elf_read(image, table->sh_offset + at, &symbol, sizeof symbol))
      return;
    const char *name = spgc_elf_string(image, &strings, symbol.st_name);
    if (symbol.st_shndx == section && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && name != NULL)
      append(names, (struct spgc_code_name){start + symbol.st_value, symbol.st_size, name});
  }
}

void spgc_jit_names_collect(struct jit_names *names, const char *object, size_t size,
                            const char *section, uintptr_t start) {
  struct elf_image image;
  uint64_t number = spgc_elf_open(&image, object, size) ? only_section(&image, section) : 0;
  if (number == 0)
    return;
  for (uint64_t i = 0; i < image.header_count; i++) {
    Elf64_Shdr header;
    if (spgc_elf_section(&image, i, &header) && header.sh_type == SHT_SYMTAB)
      collect_functions(names, &image, &header, number, start);
  }
}

void spgc_jit_names_publish(struct jit_names *names) {
  if (names->count == 0)
    return;
  names->added = (struct spgc_code_names){.names = names->names, .count = names->count};
  spgc_code_names_add(&names->added);
}

void spgc_jit_names_drop(struct jit_names *names) {
  if (names->added.names != NULL)
    spgc_code_names_remove(&names->added);
  for (size_t i = 0; i < names->count; i++)
    free((char *)names->names[i].name);
  free(names->names);
  *names = (struct jit_names){0};
}
