/* ELF, 32 and 64 bits, either byte order (System V gABI, chapters 4 "ELF Header" and "Sections").
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/stackmap/elf.h"

static const char section_name[] = ".llvm_stackmaps";

bool elf_recognise(const struct image *image) {
  return image_holds(image, 0, SELFMAG) && memcmp(image->bytes, ELFMAG, SELFMAG) == 0;
}

static enum spgc_result read_identification(struct elf *elf, struct spgc_error *error) {
  const struct image *image = &elf->file->image;
  if (!image_holds(image, 0, EI_NIDENT))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, image->size,
                          "the file ends inside the ELF identification");
  unsigned class = image->bytes[EI_CLASS], data = image->bytes[EI_DATA];
  if (class != ELFCLASS32 && class != ELFCLASS64)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, EI_CLASS, "unknown ELF class %u", class);
  if (data != ELFDATA2LSB && data != ELFDATA2MSB)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, EI_DATA, "unknown ELF byte order %u", data);
  elf->wide = class == ELFCLASS64;
  elf->file->byte_order = data == ELFDATA2MSB ? SPGC_BIG_ENDIAN : SPGC_LITTLE_ENDIAN;
  if (!image_holds(image, 0, ELF_SIZE(elf, Ehdr)))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, image->size,
                          "the file ends inside the ELF header");
  uint64_t machine = ELF_FIELD(elf, Ehdr, 0, e_machine);
  elf->file->processor = machine == EM_X86_64    ? PROCESSOR_X86_64
                         : machine == EM_AARCH64 ? PROCESSOR_AARCH64
                                                 : PROCESSOR_OTHER;
  elf->is_relocatable = ELF_FIELD(elf, Ehdr, 0, e_type) == ET_REL;
  return SPGC_OK;
}

static uint64_t header_field_position(const struct elf *elf) {
  return elf_choose(elf, offsetof(Elf64_Ehdr, e_shoff), offsetof(Elf32_Ehdr, e_shoff));
}

/* If the header cannot count the section headers, the first one has their number. */
static enum spgc_result read_section_table(struct elf *elf, struct spgc_error *error) {
  const struct image *image = &elf->file->image;
  uint64_t where = header_field_position(elf);
  elf->sections = ELF_FIELD(elf, Ehdr, 0, e_shoff);
  elf->section_count = ELF_FIELD(elf, Ehdr, 0, e_shnum);
  if (elf->sections == 0)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, where,
                          "the ELF file has no section headers; its stack maps cannot be found");
  if (ELF_FIELD(elf, Ehdr, 0, e_shentsize) != ELF_SIZE(elf, Shdr))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, where,
                          "the ELF section headers have %" PRIu64 " bytes, not %u",
                          ELF_FIELD(elf, Ehdr, 0, e_shentsize), ELF_SIZE(elf, Shdr));
  if (!image_holds(image, elf->sections, ELF_SIZE(elf, Shdr)))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, where,
                          "the ELF section headers at byte %" PRIu64 " are not inside the file",
                          elf->sections);
  if (elf->section_count == 0)
    elf->section_count = ELF_FIELD(elf, Shdr, elf->sections, sh_size);
  if (elf->section_count > (image->size - elf->sections) / ELF_SIZE(elf, Shdr))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, where,
                          "the %" PRIu64 " ELF section headers at byte %" PRIu64
                          " are not inside the file",
                          elf->section_count, elf->sections);
  return SPGC_OK;
}

static enum spgc_result read_name_table(struct elf *elf, struct spgc_error *error) {
  uint64_t index = ELF_FIELD(elf, Ehdr, 0, e_shstrndx);
  if (index == SHN_XINDEX)
    index = ELF_FIELD(elf, Shdr, elf->sections, sh_link);
  if (index == SHN_UNDEF || index >= elf->section_count)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, header_field_position(elf),
                          "the ELF section names are in section %" PRIu64 " of %" PRIu64, index,
                          elf->section_count);
  uint64_t header = elf_header_of(elf, index);
  elf->names = ELF_FIELD(elf, Shdr, header, sh_offset);
  elf->names_size = ELF_FIELD(elf, Shdr, header, sh_size);
  if (ELF_FIELD(elf, Shdr, header, sh_type) == SHT_NOBITS ||
      !image_holds(&elf->file->image, elf->names, elf->names_size))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, header,
                          "the ELF section names are not inside the file");
  return SPGC_OK;
}

static enum spgc_result recognise_section(const struct elf *elf, uint64_t header, bool *is_map,
                                          struct spgc_error *error) {
  uint64_t name = ELF_FIELD(elf, Shdr, header, sh_name);
  *is_map = false;
  if (name > elf->names_size)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, header,
                          "the name of the ELF section is not among the names");
  *is_map =
      elf->names_size - name >= sizeof section_name &&
      memcmp(elf->file->image.bytes + elf->names + name, section_name, sizeof section_name) == 0;
  return SPGC_OK;
}

static enum spgc_result examine_section(struct elf *elf, uint64_t header,
                                        struct spgc_error *error) {
  bool is_map;
  enum spgc_result result = recognise_section(elf, header, &is_map, error);
  if (result != SPGC_OK || !is_map)
    return result;
  if (ELF_FIELD(elf, Shdr, header, sh_type) == SHT_NOBITS)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, header,
                          "the bytes of %s are not in this file (separate debug information?)",
                          section_name);
  if ((ELF_FIELD(elf, Shdr, header, sh_flags) & SHF_COMPRESSED) != 0)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, header,
                          "%s is compressed; use objcopy --decompress-debug-sections",
                          section_name);
  return object_file_add(elf->file, ELF_FIELD(elf, Shdr, header, sh_offset),
                         ELF_FIELD(elf, Shdr, header, sh_size), header, error);
}

static enum spgc_result name_functions(struct elf *elf, struct spgc_error *error) {
  enum spgc_result result = elf_read_functions(elf, error);
  for (uint64_t i = 1; i < elf->section_count && result == SPGC_OK; i++) {
    bool is_map;
    result = recognise_section(elf, elf_header_of(elf, i), &is_map, error);
    if (result == SPGC_OK && is_map)
      result = elf_name_functions(elf, i, error);
  }
  name_table_sort(&elf->file->places);
  free(elf->functions);
  return result;
}

enum spgc_result elf_find_maps(struct object_file *file, struct spgc_error *error) {
  struct elf elf = {.file = file};
  enum spgc_result result = read_identification(&elf, error);
  if (result == SPGC_OK)
    result = read_section_table(&elf, error);
  if (result == SPGC_OK)
    result = read_name_table(&elf, error);
  for (uint64_t i = 1; i < elf.section_count && result == SPGC_OK; i++)
    result = examine_section(&elf, elf_header_of(&elf, i), error);
  return result == SPGC_OK && file->section_count != 0 ? name_functions(&elf, error) : result;
}
