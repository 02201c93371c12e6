/* A relocatable ELF object for this processor, checked first, so that later accesses are inside the
 * file. */
#ifndef SPGC_CODEGEN_JIT_JIT_IMAGE_H
#define SPGC_CODEGEN_JIT_JIT_IMAGE_H

#include "codegen/emit/elf_image.h"
#include "codegen/jit/jit_arena.h"

/* Each except the last is one span. */
enum jit_part {
  JIT_CODE,
  JIT_TABLES,    /* read-only; unwinders read them as long as there is code */
  JIT_CONSTANTS, /* read-only; may contain type descriptors */
  JIT_DATA,      /* may contain type descriptors */
  JIT_SPANS,
  JIT_PARSED = JIT_SPANS, /* stack maps, which the runtime copies */
  JIT_PARTS,
  JIT_NOT_LOADED = JIT_PARTS
};

static inline enum jit_access jit_access_of(enum jit_part part) {
  return part == JIT_CODE ? JIT_EXECUTABLE : part == JIT_DATA ? JIT_WRITABLE : JIT_READ_ONLY;
}

struct jit_section {
  Elf64_Shdr header;
  const char *name;
  enum jit_part part;
  size_t offset;
  uint8_t *bytes;    /* the place to write it to, while it is loaded */
  uintptr_t address; /* final */
};

struct jit_symbol;
struct jit_link;

struct jit_target {
  uintptr_t address;
  struct jit_symbol *symbol; /* NULL: the image's own, or the process's */
  uintptr_t in_process;      /* 0: the process has no such dynamic symbol, or was not asked */
  bool is_unknown;           /* the process is asked */
  bool is_own, needs_stub, needs_slot;
  size_t common;               /* offset of a common variable in the data */
  size_t stub, slot;           /* offsets in the code and in the tables */
  const struct jit_link *link; /* used instead of both, or NULL */
};

struct jit_image {
  struct elf_image elf;
  struct jit_section *sections; /* elf.header_count */
  Elf64_Shdr symbols, strings;
  uint64_t symbol_count;
  struct jit_target *targets; /* one per symbol */
  const char *source;         /* the module's source, or "" */
  size_t sizes[JIT_PARTS], alignments[JIT_PARTS];
  struct jit_section *stackmaps, *frames, *record; /* NULL if absent */
};

/* Errors as for spgc_jit_add. The image refers to the bytes; close it, whatever the result. */
enum spgc_result spgc_jit_image_open(struct jit_image *image, const char *bytes, size_t size,
                                     struct spgc_error *error);
void spgc_jit_image_close(struct jit_image *image);

/* `name` is for messages. */
enum spgc_result spgc_jit_image_place(struct jit_image *image, enum jit_part part, uint64_t size,
                                      uint64_t alignment, const char *name, size_t *offset,
                                      struct spgc_error *error);

Elf64_Sym spgc_jit_image_symbol(const struct jit_image *image, uint64_t number);

const char *spgc_jit_image_symbol_name(const struct jit_image *image, const Elf64_Sym *symbol);

/* NULL for an undefined or absolute symbol, and for one in a section that is not loaded. */
struct jit_section *spgc_jit_image_section_of(const struct jit_image *image,
                                              const Elf64_Sym *symbol);

static inline bool jit_symbol_is_exported(const Elf64_Sym *symbol) {
  return ELF64_ST_BIND(symbol->st_info) != STB_LOCAL && symbol->st_shndx != SHN_UNDEF;
}

#endif
