/* An ELF object in memory (System V ABI, 64 bits, little endian). Every access is checked. */
#ifndef SPGC_CODEGEN_EMIT_ELF_IMAGE_H
#define SPGC_CODEGEN_EMIT_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_image {
  const char *bytes;
  size_t size;
  uint64_t headers_at;
  uint64_t header_count;
  uint16_t machine;
  Elf64_Shdr names; /* strings */
};

bool spgc_elf_open(struct elf_image *image, const char *bytes, size_t size);

bool spgc_elf_read(const struct elf_image *image, uint64_t at, void *to, size_t length);
bool spgc_elf_section(const struct elf_image *image, uint64_t index, Elf64_Shdr *header);

/* NULL if the string exceeds the table or the object. */
const char *spgc_elf_string(const struct elf_image *image, const Elf64_Shdr *table,
                            uint64_t offset);

bool spgc_elf_section_symbol(const struct elf_image *image, const Elf64_Shdr *table,
                             uint64_t section, uint64_t *number);

#endif
