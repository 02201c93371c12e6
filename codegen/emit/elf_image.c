#include "codegen/emit/elf_image.h"

#include <string.h>

bool spgc_elf_read(const struct elf_image *object, uint64_t at, void *to, size_t length) {
  if (at > object->size || object->size - at < length)
    return false;
  memcpy(to, object->bytes + at, length);
  return true;
}

bool spgc_elf_section(const struct elf_image *object, uint64_t index, Elf64_Shdr *header) {
  return index < object->header_count &&
         spgc_elf_read(object, object->headers_at + index * sizeof *header, header, sizeof *header);
}

const char *spgc_elf_string(const struct elf_image *object, const Elf64_Shdr *table,
                            uint64_t offset) {
  if (table->sh_offset > object->size || object->size - table->sh_offset < table->sh_size ||
      offset >= table->sh_size)
    return NULL;
  const char *string = object->bytes + table->sh_offset + offset;
  return memchr(string, '\0', table->sh_size - offset) != NULL ? string : NULL;
}

/* With more than 0xff00 sections, the first header holds their count and the index of the names. */
bool spgc_elf_open(struct elf_image *object, const char *bytes, size_t size) {
  *object = (struct elf_image){.bytes = bytes, .size = size};
  Elf64_Ehdr file;
  if (!spgc_elf_read(object, 0, &file, sizeof file) || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
      file.e_ident[EI_CLASS] != ELFCLASS64 || file.e_shentsize != sizeof(Elf64_Shdr) ||
      file.e_shoff > size)
    return false;
  Elf64_Shdr first;
  if (!spgc_elf_read(object, file.e_shoff, &first, sizeof first))
    return false;
  object->machine = file.e_machine;
  object->headers_at = file.e_shoff;
  object->header_count = file.e_shnum != 0 ? file.e_shnum : first.sh_size;
  if (object->header_count > (size - file.e_shoff) / sizeof(Elf64_Shdr))
    return false;
  return spgc_elf_section(object, file.e_shstrndx == SHN_XINDEX ? first.sh_link : file.e_shstrndx,
                          &object->names);
}

bool spgc_elf_section_symbol(const struct elf_image *object, const Elf64_Shdr *table,
                             uint64_t section, uint64_t *number) {
  for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
    Elf64_Sym symbol;
    if (spgc_elf_read(object, table->sh_offset + i * sizeof symbol, &symbol, sizeof symbol) &&
        ELF64_ST_TYPE(symbol.st_info) == STT_SECTION && symbol.st_shndx == section) {
      *number = i;
      return true;
    }
  }
  return false;
}
