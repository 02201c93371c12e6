#include "codegen/emit/object_file.h"

#include <string.h>

#include "codegen/emit/elf_image.h"
#include "support/fatal.h"

enum spgc_result spgc_object_file_make_writable(char *bytes, size_t size, const char *section,
                                                struct spgc_error *error) {
  struct elf_image object;
  if (!spgc_elf_open(&object, bytes, size))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "not a 64-bit ELF object");
  for (uint64_t i = 0; i < object.header_count; i++) {
    Elf64_Shdr header;
    const char *name = spgc_elf_section(&object, i, &header)
                           ? spgc_elf_string(&object, &object.names, header.sh_name)
                           : NULL;
    if (name == NULL)
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "section %lu has no name",
                            (unsigned long)i);
    if (strcmp(name, section) != 0)
      continue;
    header.sh_flags |= SHF_WRITE;
    memcpy(bytes + object.headers_at + i * sizeof header, &header, sizeof header);
  }
  return SPGC_OK;
}

struct references {
  struct elf_image object;
  char *bytes;
  Elf64_Shdr table, symbols;
  uint64_t section, section_symbol; /* the previous symbol's */
};

static bool refer_to_section(struct references *references, uint64_t at) {
  Elf64_Rela entry;
  Elf64_Sym symbol;
  if (!spgc_elf_read(&references->object, at, &entry, sizeof entry) ||
      !spgc_elf_read(&references->object,
                     references->symbols.sh_offset + ELF64_R_SYM(entry.r_info) * sizeof symbol,
                     &symbol, sizeof symbol) ||
      symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
    return false;
  if (symbol.st_shndx != references->section &&
      !spgc_elf_section_symbol(&references->object, &references->symbols, symbol.st_shndx,
                               &references->section_symbol))
    return false;
  references->section = symbol.st_shndx;
  entry.r_info = ELF64_R_INFO(references->section_symbol, ELF64_R_TYPE(entry.r_info));
  entry.r_addend += (int64_t)symbol.st_value;
  memcpy(references->bytes + at, &entry, sizeof entry);
  return true;
}

static bool refer_to_sections(struct references *references) {
  if (!spgc_elf_section(&references->object, references->table.sh_link, &references->symbols))
    return false;
  for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= references->table.sh_size;
       at += sizeof(Elf64_Rela))
    if (!refer_to_section(references, references->table.sh_offset + at))
      return false;
  return true;
}

enum spgc_result spgc_object_file_refer_locally(char *bytes, size_t size, const char *section,
                                                struct spgc_error *error) {
  struct references references = {.bytes = bytes};
  if (!spgc_elf_open(&references.object, bytes, size))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "not a 64-bit ELF object");
  for (uint64_t i = 0; i < references.object.header_count; i++) {
    Elf64_Shdr target;
    const char *name = NULL;
    if (spgc_elf_section(&references.object, i, &references.table) &&
        references.table.sh_type == SHT_RELA &&
        spgc_elf_section(&references.object, references.table.sh_info, &target))
      name = spgc_elf_string(&references.object, &references.object.names, target.sh_name);
    if (name != NULL && strcmp(name, section) == 0 && !refer_to_sections(&references))
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                            "a relocation of %s names a symbol that the object does not define",
                            section);
  }
  return SPGC_OK;
}
