/* An object file that is to be loaded (ELF, relocatable, for this processor), read and checked
 * before anything is allocated for it: every later access is inside the file. */
#ifndef SPGC_CODEGEN_JIT_JIT_IMAGE_H
#define SPGC_CODEGEN_JIT_JIT_IMAGE_H

#include "codegen/emit/elf_image.h"
#include "codegen/jit/jit_arena.h"

/* The parts of a loaded object. Each but the last is one span. */
enum jit_part {
  JIT_CODE,
  JIT_TABLES,    /* read-only, and read by the runtime and unwinders as long as there is code */
  JIT_CONSTANTS, /* read-only; may have type descriptors */
  JIT_DATA,      /* may also have type descriptors */
  JIT_SPANS,
  JIT_PARSED = JIT_SPANS, /* stack maps that the runtime reads when they are registered */
  JIT_PARTS,
  JIT_NOT_LOADED = JIT_PARTS
};

/* The access of a part that is a span. */
static inline enum jit_access jit_access_of(enum jit_part part) {
  return part == JIT_CODE ? JIT_EXECUTABLE : part == JIT_DATA ? JIT_WRITABLE : JIT_READ_ONLY;
}

struct jit_section {
  Elf64_Shdr header;
  const char *name;
  enum jit_part part;
  size_t offset;     /* in the part */
  uint8_t *bytes;    /* while it is loaded: to be written here */
  uintptr_t address; /* where it will be */
};

struct jit_symbol;

/* The meaning of a symbol of the image, found while it is loaded. */
struct jit_target {
  uintptr_t address;
  struct jit_symbol *symbol; /* of the table, that it is bound to; NULL: it is the image's own, or
                                the process's */
  bool is_own, needs_stub, needs_slot;
  size_t common;     /* the place of a common variable in the data */
  size_t stub, slot; /* their places in the code and in the tables */
};

struct jit_image {
  struct elf_image elf;
  struct jit_section *sections; /* elf.header_count */
  Elf64_Shdr symbols, strings;
  uint64_t symbol_count;
  struct jit_target *targets; /* of each symbol */
  const char *source;         /* the name of the module's source; "" if it has none */
  size_t sizes[JIT_PARTS], alignments[JIT_PARTS];
  struct jit_section *stackmaps, *frames, *record; /* NULL: there is none */
};

/* Errors as those of spgc_jit_add. The image refers to the bytes; it must be closed, whatever the
 * result. */
enum spgc_result spgc_jit_image_open(struct jit_image *image, const char *bytes, size_t size,
                                     struct spgc_error *error);
void spgc_jit_image_close(struct jit_image *image);

/* Gives bytes that `name` describes a place in a part. */
enum spgc_result spgc_jit_image_place(struct jit_image *image, enum jit_part part, uint64_t size,
                                      uint64_t alignment, const char *name, size_t *offset,
                                      struct spgc_error *error);

Elf64_Sym spgc_jit_image_symbol(const struct jit_image *image, uint64_t number);

/* The symbol's name, or that of the section for a section's own symbol. */
const char *spgc_jit_image_symbol_name(const struct jit_image *image, const Elf64_Sym *symbol);

/* The section that the symbol is defined in; NULL for one that is undefined or absolute, or in a
 * section that is not loaded. */
struct jit_section *spgc_jit_image_section_of(const struct jit_image *image,
                                              const Elf64_Sym *symbol);

static inline bool jit_symbol_is_exported(const Elf64_Sym *symbol) {
  return ELF64_ST_BIND(symbol->st_info) != STB_LOCAL && symbol->st_shndx != SHN_UNDEF;
}

#endif
