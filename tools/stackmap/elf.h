#ifndef SPGC_TOOLS_STACKMAP_ELF_H
#define SPGC_TOOLS_STACKMAP_ELF_H

#include <elf.h>
#include <stddef.h>

#include "tools/stackmap/object_file.h"

struct elf_function {
  uint64_t section; /* 0 unless the file is relocatable: symbols then count from their sections */
  uint64_t value;
  const char *name;
  unsigned rank; /* the least rank wins at one place */
};

struct elf {
  struct object_file *file;
  bool wide;           /* ELFCLASS64 */
  bool is_relocatable; /* ET_REL */
  uint64_t sections, section_count;
  uint64_t names, names_size;     /* inside the file */
  struct elf_function *functions; /* from malloc, sorted */
  size_t function_count;
};

static inline unsigned elf_choose(const struct elf *elf, size_t wide, size_t narrow) {
  return (unsigned)(elf->wide ? wide : narrow);
}

#define ELF_SIZE(elf, structure)                                                                   \
  elf_choose(elf, sizeof(Elf64_##structure), sizeof(Elf32_##structure))
#define ELF_FIELD(elf, structure, position, field)                                                 \
  image_number(&(elf)->file->image,                                                                \
               (position) + elf_choose(elf, offsetof(Elf64_##structure, field),                    \
                                       offsetof(Elf32_##structure, field)),                        \
               elf_choose(elf, sizeof(((Elf64_##structure *)0)->field),                            \
                          sizeof(((Elf32_##structure *)0)->field)),                                \
               (elf)->file->byte_order)

static inline uint64_t elf_header_of(const struct elf *elf, uint64_t index) {
  return elf->sections + index * ELF_SIZE(elf, Shdr);
}

/* A missing symbol table is not an error. */
enum spgc_result elf_read_functions(struct elf *elf, struct spgc_error *error);

/* The addresses are in the stack maps of section `index`. */
enum spgc_result elf_name_functions(struct elf *elf, uint64_t index, struct spgc_error *error);

#endif
