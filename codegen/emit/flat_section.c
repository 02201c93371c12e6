#include "codegen/emit/flat_section.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/emit/code_shape.h"
#include "codegen/ir/processor.h"
#include "spgc/flat_stackmap.h"
#include "support/fatal.h"

/* The names have the same length, and the object contains the first one once, as the end of
 * ".rela.llvm_stackmaps". */
static const char llvm_name[] = ".llvm_stackmaps", flat_name[] = ".spgc_stackmaps";
_Static_assert(sizeof llvm_name == sizeof flat_name,
               "the section is renamed where its name stands");

/* During the conversion, a function's address consists of its section's number and the offset in
 * the section. */
enum { SECTION_SHIFT = 32 };

/* The object, and the data added at its end. */
struct flattening {
  struct elf_image object;
  const struct processor *processor;
  uint64_t maps_index, relocations_index; /* section numbers */
  Elf64_Shdr maps, relocations, symbols;
  char *relocated;    /* stack maps, with addresses as above */
  uint64_t *sections; /* sections of code with stack maps, each once */
  char *flat;
  Elf64_Rela *entries; /* one for each flat map */
  size_t section_count, flat_size;
  struct spgc_error *error;
};

static enum spgc_result malformed(const struct flattening *flattening, const char *what) {
  return spgc_error_set(flattening->error, SPGC_ERROR_MALFORMED, 0, "%s", what);
}

static void *grown(void *memory, size_t count, size_t size) {
  void *larger = reallocarray(memory, count, size);
  spgc_require(larger != NULL, "out of memory");
  return larger;
}

static bool is_inside(const struct elf_image *object, const Elf64_Shdr *section) {
  return section->sh_offset <= object->size &&
         section->sh_size <= object->size - section->sh_offset;
}

/* maps_index stays 0 if the object has no stack maps; section 0 is not a section. */
static enum spgc_result find_sections(struct flattening *flattening) {
  const struct elf_image *object = &flattening->object;
  for (uint64_t i = 0; i < object->header_count; i++) {
    Elf64_Shdr header;
    const char *name = spgc_elf_section(object, i, &header)
                           ? spgc_elf_string(object, &object->names, header.sh_name)
                           : NULL;
    if (name == NULL)
      return malformed(flattening, "a section without a name");
    if (strcmp(name, llvm_name) == 0) {
      flattening->maps_index = i;
      flattening->maps = header;
    }
  }
  for (uint64_t i = 0; i < object->header_count && flattening->maps_index != 0; i++) {
    Elf64_Shdr header;
    if (spgc_elf_section(object, i, &header) && header.sh_type == SHT_RELA &&
        header.sh_info == flattening->maps_index) {
      flattening->relocations_index = i;
      flattening->relocations = header;
    }
  }
  if (flattening->maps_index == 0)
    return SPGC_OK;
  bool complete = flattening->relocations_index != 0 && is_inside(object, &flattening->maps) &&
                  spgc_elf_section(object, flattening->relocations.sh_link, &flattening->symbols) &&
                  is_inside(object, &flattening->symbols);
  return complete ? SPGC_OK : malformed(flattening, "stack maps without relocations or symbols");
}

static void note_section(struct flattening *flattening, uint64_t section) {
  for (size_t i = 0; i < flattening->section_count; i++)
    if (flattening->sections[i] == section)
      return;
  flattening->sections =
      grown(flattening->sections, flattening->section_count + 1, sizeof *flattening->sections);
  flattening->sections[flattening->section_count++] = section;
}

static enum spgc_result apply(struct flattening *flattening, const Elf64_Rela *entry) {
  Elf64_Sym symbol;
  uint64_t at = flattening->symbols.sh_offset + ELF64_R_SYM(entry->r_info) * sizeof symbol;
  if (ELF64_R_TYPE(entry->r_info) != flattening->processor->relocation_absolute ||
      flattening->maps.sh_size < sizeof(uint64_t) ||
      entry->r_offset > flattening->maps.sh_size - sizeof(uint64_t) ||
      !spgc_elf_read(&flattening->object, at, &symbol, sizeof symbol) ||
      symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
    return malformed(flattening,
                     "a relocation of the stack maps that does not name a function of the object");
  uint64_t address =
      ((uint64_t)symbol.st_shndx << SECTION_SHIFT) + symbol.st_value + (uint64_t)entry->r_addend;
  memcpy(flattening->relocated + entry->r_offset, &address, sizeof address);
  note_section(flattening, symbol.st_shndx);
  return SPGC_OK;
}

static enum spgc_result relocate(struct flattening *flattening) {
  flattening->relocated = grown(NULL, flattening->maps.sh_size + 1, 1);
  memcpy(flattening->relocated, flattening->object.bytes + flattening->maps.sh_offset,
         flattening->maps.sh_size);
  enum spgc_result result = SPGC_OK;
  for (uint64_t at = 0;
       at + sizeof(Elf64_Rela) <= flattening->relocations.sh_size && result == SPGC_OK;
       at += sizeof(Elf64_Rela)) {
    Elf64_Rela entry;
    if (!spgc_elf_read(&flattening->object, flattening->relocations.sh_offset + at, &entry,
                       sizeof entry))
      return malformed(flattening, "the stack maps' relocations extend beyond the object");
    result = apply(flattening, &entry);
  }
  return result;
}

static uint32_t function_size(void *context, uint64_t function) {
  const struct code_shape *shape = context;
  uint32_t offset = (uint32_t)function;
  return offset < shape->bytes ? shape->function_sizes[offset] : 0;
}

static uint8_t call_size(void *context, uint64_t return_address) {
  const struct code_shape *shape = context;
  uint32_t offset = (uint32_t)return_address;
  return offset <= shape->bytes ? shape->call_sizes[offset] : 0;
}

static void append_map(struct flattening *flattening, size_t index,
                       const struct spgc_flat_header *map, uint64_t symbol) {
  flattening->flat = grown(flattening->flat, flattening->flat_size + map->bytes, 1);
  memcpy(flattening->flat + flattening->flat_size, map, map->bytes);
  flattening->entries[index] =
      (Elf64_Rela){.r_offset = flattening->flat_size + offsetof(struct spgc_flat_header, code),
                   .r_info = ELF64_R_INFO(symbol, flattening->processor->relocation_relative)};
  flattening->flat_size += map->bytes;
}

static enum spgc_result flatten_section(struct flattening *flattening, size_t index) {
  uint64_t section = flattening->sections[index], symbol = 0;
  struct code_shape shape;
  struct spgc_flat_header *map = NULL;
  enum spgc_result result = spgc_code_shape_read(&flattening->object, &flattening->symbols, section,
                                                 &shape, flattening->error);
  const struct spgc_flat_code code = {section << SECTION_SHIFT, shape.bytes, &shape, function_size,
                                      call_size};
  if (result == SPGC_OK)
    result = spgc_flat_stackmap_make(flattening->relocated, flattening->maps.sh_size, &code, &map,
                                     flattening->error);
  if (result == SPGC_OK &&
      !spgc_elf_section_symbol(&flattening->object, &flattening->symbols, section, &symbol))
    result = malformed(flattening, "a section of code without a symbol");
  if (result == SPGC_OK)
    append_map(flattening, index, map, symbol);
  free(map);
  spgc_code_shape_free(&shape);
  return result;
}

static enum spgc_result flatten_sections(struct flattening *flattening) {
  enum spgc_result result = SPGC_OK;
  flattening->entries = grown(NULL, flattening->section_count + 1, sizeof *flattening->entries);
  for (size_t i = 0; i < flattening->section_count && result == SPGC_OK; i++)
    result = flatten_section(flattening, i);
  if (result == SPGC_OK && flattening->flat_size > UINT32_MAX)
    result = spgc_error_set(flattening->error, SPGC_ERROR_UNSUPPORTED, 0,
                            "flat stack maps of %zu bytes", flattening->flat_size);
  if (result == SPGC_OK && flattening->section_count != 0) {
    uint32_t size = (uint32_t)flattening->flat_size;
    memcpy(flattening->flat + offsetof(struct spgc_flat_header, section_bytes), &size, sizeof size);
  }
  return result;
}

static size_t aligned(size_t position) {
  return (position + SPGC_FLAT_ALIGNMENT - 1) & ~(size_t)(SPGC_FLAT_ALIGNMENT - 1);
}

static void place_section(char *bytes, const struct flattening *flattening, uint64_t index,
                          Elf64_Shdr header, size_t offset, const void *content, size_t size) {
  header.sh_offset = offset;
  header.sh_size = size;
  memcpy(bytes + flattening->object.headers_at + index * sizeof header, &header, sizeof header);
  if (size != 0)
    memcpy(bytes + offset, content, size);
}

/* Copies the object, with its stack maps' sections pointing to the data added at the end. */
static LLVMMemoryBufferRef assemble(const struct flattening *flattening) {
  size_t maps_at = aligned(flattening->object.size),
         relocations_at = aligned(maps_at + flattening->flat_size);
  size_t relocations_size = flattening->section_count * sizeof(Elf64_Rela);
  size_t size = relocations_at + relocations_size;
  char *bytes = calloc(1, size);
  spgc_require(bytes != NULL, "out of memory");
  memcpy(bytes, flattening->object.bytes, flattening->object.size);
  memcpy(bytes + flattening->object.names.sh_offset + flattening->maps.sh_name, flat_name,
         sizeof flat_name);
  place_section(bytes, flattening, flattening->maps_index, flattening->maps, maps_at,
                flattening->flat, flattening->flat_size);
  place_section(bytes, flattening, flattening->relocations_index, flattening->relocations,
                relocations_at, flattening->entries, relocations_size);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "object");
  free(bytes);
  return buffer;
}

static enum spgc_result flatten(struct flattening *flattening) {
  enum spgc_result result = find_sections(flattening);
  if (result != SPGC_OK || flattening->maps_index == 0)
    return result;
  result = relocate(flattening);
  return result == SPGC_OK ? flatten_sections(flattening) : result;
}

enum spgc_result spgc_flat_section_make(LLVMMemoryBufferRef *buffer, struct spgc_error *error) {
  struct flattening flattening = {.error = error};
  if (!spgc_elf_open(&flattening.object, LLVMGetBufferStart(*buffer), LLVMGetBufferSize(*buffer)))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "not a 64-bit ELF object");
  flattening.processor = spgc_processor_of_elf(flattening.object.machine);
  if (flattening.processor == NULL)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0, "an object of ELF machine %u",
                          flattening.object.machine);
  if (flattening.processor != spgc_processor_of_host())
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "flat stack maps are made only for the processor of this machine; this "
                          "object is for %s: leave its stack maps as LLVM writes them",
                          flattening.processor->name);
  enum spgc_result result = flatten(&flattening);
  if (result == SPGC_OK && flattening.maps_index != 0) {
    LLVMMemoryBufferRef flat = assemble(&flattening);
    LLVMDisposeMemoryBuffer(*buffer);
    *buffer = flat;
  }
  free(flattening.relocated);
  free(flattening.sections);
  free(flattening.flat);
  free(flattening.entries);
  return result;
}
