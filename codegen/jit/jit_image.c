#include "codegen/jit/jit_image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/ir/processor.h"
#include "spgc/module.h"
#include "support/fatal.h"

/* LLVM leaves the end of a list of frame descriptions to the linker. */
enum { FRAMES_END_BYTES = 4 };

static enum spgc_result malformed(const char *what, uint64_t number, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "%s %" PRIu64 " of the object is broken",
                        what, number);
}

static enum spgc_result refuse(const struct jit_section *section, enum spgc_result result,
                               const char *why, struct spgc_error *error) {
  return spgc_error_set(error, result, 0, "section %s of the object: %s", section->name, why);
}

static enum spgc_result no_memory(struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "cannot read an object: out of memory");
}

static bool begins_with(const char *text, const char *beginning) {
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_stackmap(const char *name) {
  return strcmp(name, ".llvm_stackmaps") == 0;
}

static bool is_frames(const char *name) {
  return strcmp(name, ".eh_frame") == 0;
}

static bool is_record(const char *name) {
  return strcmp(name, "spgc_modules") == 0;
}

static bool is_table(const char *name) {
  return begins_with(name, ".gcc_except_table") || begins_with(name, ".rodata.cst");
}

static bool runs_at_start(const struct jit_section *section) {
  uint32_t type = section->header.sh_type;
  return type == SHT_INIT_ARRAY || type == SHT_FINI_ARRAY || type == SHT_PREINIT_ARRAY ||
         begins_with(section->name, ".ctors") || begins_with(section->name, ".dtors");
}

/* Constants with relocations are in a writable section for the system's loader. */
static bool is_written(const struct jit_section *section) {
  return (section->header.sh_flags & SHF_WRITE) != 0 && !begins_with(section->name, ".data.rel.ro");
}

/* Names before flags, because the loader reads and writes such sections itself. */
static enum jit_part part_of(const struct jit_section *section) {
  return is_stackmap(section->name)                        ? JIT_PARSED
         : is_frames(section->name)                        ? JIT_TABLES
         : is_record(section->name)                        ? JIT_DATA
         : (section->header.sh_flags & SHF_EXECINSTR) != 0 ? JIT_CODE
         : is_written(section)                             ? JIT_DATA
         : is_table(section->name)                         ? JIT_TABLES
                                                           : JIT_CONSTANTS;
}

static enum spgc_result choose_part(struct jit_section *section, struct spgc_error *error) {
  uint64_t flags = section->header.sh_flags;
  section->part = JIT_NOT_LOADED;
  uint32_t type = section->header.sh_type;
  if ((flags & SHF_ALLOC) == 0 || type == SHT_NOTE || type == SHT_NULL)
    return SPGC_OK;
  if (runs_at_start(section))
    return refuse(section, SPGC_ERROR_UNSUPPORTED,
                  "the JIT runs no constructors and destructors: call the function", error);
  if (flags & SHF_TLS) /* its symbols are refused by name */
    return SPGC_OK;
  if ((flags & SHF_EXECINSTR) && (flags & SHF_WRITE))
    return refuse(section, SPGC_ERROR_UNSUPPORTED, "code must not be writable", error);
  section->part = part_of(section);
  return SPGC_OK;
}

enum spgc_result spgc_jit_image_place(struct jit_image *image, enum jit_part part, uint64_t size,
                                      uint64_t alignment, const char *name, size_t *offset,
                                      struct spgc_error *error) {
  const uint64_t most = UINT64_C(1) << 40; /* no sum of these overflows */
  if (alignment == 0)
    alignment = 1;
  if ((alignment & (alignment - 1)) != 0)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                          "%s is aligned to %" PRIu64 " bytes, which is not a power of two", name,
                          alignment);
  if (alignment > most || size > most || image->sizes[part] > most)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "%s has %" PRIu64 " bytes, aligned to %" PRIu64
                          ": more than the JIT's arena has",
                          name, size, alignment);
  *offset = (image->sizes[part] + alignment - 1) & ~(size_t)(alignment - 1);
  image->sizes[part] = *offset + size;
  if (alignment > image->alignments[part])
    image->alignments[part] = alignment;
  return SPGC_OK;
}

static struct jit_section **place_of_kind(struct jit_image *image, const char *name) {
  if (is_stackmap(name))
    return &image->stackmaps;
  if (is_frames(name))
    return &image->frames;
  return is_record(name) ? &image->record : NULL;
}

static enum spgc_result note_kind(struct jit_image *image, struct jit_section *section,
                                  struct spgc_error *error) {
  struct jit_section **place = place_of_kind(image, section->name);
  if (place == NULL)
    return SPGC_OK;
  if (section->header.sh_type == SHT_NOBITS)
    return refuse(section, SPGC_ERROR_MALFORMED, "it has no bytes", error);
  if (*place != NULL)
    return refuse(section, SPGC_ERROR_UNSUPPORTED, "the object has another such section", error);
  *place = section;
  return SPGC_OK;
}

static enum spgc_result read_section(struct jit_image *image, uint64_t number,
                                     struct spgc_error *error) {
  struct jit_section *section = &image->sections[number];
  if (!spgc_elf_section(&image->elf, number, &section->header))
    return malformed("section", number, error);
  const Elf64_Shdr *header = &section->header;
  section->name = spgc_elf_string(&image->elf, &image->elf.names, header->sh_name);
  bool is_inside = header->sh_type == SHT_NOBITS || header->sh_type == SHT_NULL ||
                   (header->sh_offset <= image->elf.size &&
                    header->sh_size <= image->elf.size - header->sh_offset);
  if (section->name == NULL || !is_inside)
    return malformed("section", number, error);
  enum spgc_result result = choose_part(section, error);
  if (result != SPGC_OK || section->part == JIT_NOT_LOADED)
    return result;
  result = note_kind(image, section, error);
  if (result != SPGC_OK)
    return result;
  uint64_t end = section == image->frames ? FRAMES_END_BYTES : 0;
  return spgc_jit_image_place(image, section->part, header->sh_size + end, header->sh_addralign,
                              section->name, &section->offset, error);
}

/* Asked first, because its constructors would be refused. */
static bool is_lowered_ahead_of_time(const struct jit_image *image) {
  for (uint64_t i = 1; i < image->elf.header_count; i++) {
    Elf64_Shdr header;
    const char *name = spgc_elf_section(&image->elf, i, &header)
                           ? spgc_elf_string(&image->elf, &image->elf.names, header.sh_name)
                           : NULL;
    if (name != NULL && strcmp(name, SPGC_MODULE_NOTE_SECTION) == 0)
      return true;
  }
  return false;
}

static enum spgc_result note_symbols(struct jit_image *image, uint64_t number,
                                     struct spgc_error *error) {
  if (image->symbol_count != 0)
    return refuse(&image->sections[number], SPGC_ERROR_MALFORMED,
                  "the object has another symbol table", error);
  image->symbols = image->sections[number].header;
  image->symbol_count = image->symbols.sh_size / sizeof(Elf64_Sym);
  return spgc_elf_section(&image->elf, image->symbols.sh_link, &image->strings)
             ? SPGC_OK
             : malformed("section", number, error);
}

static enum spgc_result read_sections(struct jit_image *image, struct spgc_error *error) {
  if (is_lowered_ahead_of_time(image))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "the object was lowered ahead of time: lower it with "
                          "options.code = SPGC_CODE_JIT, and emit it with the same options");
  enum spgc_result result = SPGC_OK;
  for (uint64_t i = 1; i < image->elf.header_count && result == SPGC_OK; i++) {
    result = read_section(image, i, error);
    if (result == SPGC_OK && image->sections[i].header.sh_type == SHT_SYMTAB)
      result = note_symbols(image, i, error);
  }
  return result;
}

Elf64_Sym spgc_jit_image_symbol(const struct jit_image *image, uint64_t number) {
  Elf64_Sym symbol = {0};
  spgc_elf_read(&image->elf, image->symbols.sh_offset + number * sizeof symbol, &symbol,
                sizeof symbol);
  return symbol;
}

struct jit_section *spgc_jit_image_section_of(const struct jit_image *image,
                                              const Elf64_Sym *symbol) {
  if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= image->elf.header_count ||
      symbol->st_shndx >= SHN_LORESERVE)
    return NULL;
  struct jit_section *section = &image->sections[symbol->st_shndx];
  return section->part != JIT_NOT_LOADED ? section : NULL;
}

const char *spgc_jit_image_symbol_name(const struct jit_image *image, const Elf64_Sym *symbol) {
  const struct jit_section *section = spgc_jit_image_section_of(image, symbol);
  if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION && section != NULL)
    return section->name;
  return spgc_elf_string(&image->elf, &image->strings, symbol->st_name);
}

static bool is_broken_export(const Elf64_Sym *symbol, const struct jit_section *section,
                             const char *name) {
  return jit_symbol_is_exported(symbol) &&
         (name[0] == '\0' ||
          (section == NULL && symbol->st_shndx != SHN_ABS && symbol->st_shndx != SHN_COMMON));
}

/* A part with only an empty function's symbol also needs an address. */
static void make_place(struct jit_image *image, const struct jit_section *section, unsigned type) {
  if (section != NULL && type != STT_SECTION && image->sizes[section->part] == 0)
    image->sizes[section->part] = 1;
}

static enum spgc_result read_symbol(struct jit_image *image, uint64_t number,
                                    struct spgc_error *error) {
  Elf64_Sym symbol = spgc_jit_image_symbol(image, number);
  const struct jit_section *section = spgc_jit_image_section_of(image, &symbol);
  const char *name = spgc_jit_image_symbol_name(image, &symbol);
  unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (name == NULL || (section != NULL && symbol.st_value > section->header.sh_size))
    return malformed("symbol", number, error);
  make_place(image, section, type);
  if (symbol.st_shndx == SHN_XINDEX)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "symbol %s: the object has more than 65,279 sections", name);
  if (type == STT_TLS)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "the JIT has no thread-local variables: %s; let a function of the "
                          "runtime return the variable's address",
                          name);
  if (type == STT_GNU_IFUNC)
    return spgc_error_set(
        error, SPGC_ERROR_UNSUPPORTED, 0,
        "the JIT does not support functions that are chosen when they are loaded (ifunc): %s",
        name);
  if (is_broken_export(&symbol, section, name))
    return malformed("symbol", number, error);
  if (type == STT_FILE)
    image->source = name;
  return SPGC_OK;
}

static enum spgc_result read_symbols(struct jit_image *image, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  image->targets = calloc(image->symbol_count + 1, sizeof *image->targets);
  if (image->targets == NULL)
    return no_memory(error);
  for (uint64_t i = 0; i < image->symbol_count && result == SPGC_OK; i++)
    result = read_symbol(image, i, error);
  return result;
}

static enum spgc_result check_record(const struct jit_image *image, struct spgc_error *error) {
  if (image->record == NULL && image->stackmaps != NULL)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                          "the object has a stack map and was not lowered by spgc");
  if (image->record != NULL && image->record->part != JIT_DATA)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                          "the object's module record is not writable");
  return SPGC_OK;
}

enum spgc_result spgc_jit_image_open(struct jit_image *image, const char *bytes, size_t size,
                                     struct spgc_error *error) {
  Elf64_Ehdr file;
  *image = (struct jit_image){.source = ""};
  for (int i = 0; i < JIT_PARTS; i++)
    image->alignments[i] = 1;
  if (!spgc_elf_open(&image->elf, bytes, size) ||
      !spgc_elf_read(&image->elf, 0, &file, sizeof file) || file.e_type != ET_REL ||
      file.e_ident[EI_DATA] != ELFDATA2LSB)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                          "not a 64-bit ELF object that can be linked");
  if (image->elf.machine != spgc_processor_of_host()->elf_machine)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "the object was compiled for another processor (ELF machine %u)",
                          image->elf.machine);
  image->sections = calloc(image->elf.header_count + 1, sizeof *image->sections);
  if (image->sections == NULL)
    return no_memory(error);
  image->sections[0].part = JIT_NOT_LOADED;
  enum spgc_result result = read_sections(image, error);
  if (result == SPGC_OK)
    result = read_symbols(image, error);
  return result == SPGC_OK ? check_record(image, error) : result;
}

void spgc_jit_image_close(struct jit_image *image) {
  free(image->sections);
  free(image->targets);
}
