/* Names of functions, from ELF symbol tables and relocations (System V gABI, chapters 4 "Symbol
 * Table" and "Relocation").
 *
 * The linker or loader relocates the addresses in a stack map. So a function has the name of its
 * relocation's symbol, or of the symbol at the resulting address; without a relocation, of the
 * symbol at the address in the file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/stackmap/elf.h"

/* A section with entries of one size, inside the file. */
struct table {
  uint64_t position, count;
  unsigned entry_bytes;
};

static enum spgc_result read_extent(const struct elf *elf, uint64_t header, uint64_t *position,
                                    uint64_t *size, struct spgc_error *error) {
  *position = ELF_FIELD(elf, Shdr, header, sh_offset);
  *size = ELF_FIELD(elf, Shdr, header, sh_size);
  if (image_holds(&elf->file->image, *position, *size))
    return SPGC_OK;
  return spgc_error_set(error, SPGC_ERROR_MALFORMED, header,
                        "an ELF table of symbols, relocations or names is not inside the file");
}

static enum spgc_result read_table(const struct elf *elf, uint64_t header, unsigned entry_bytes,
                                   struct table *table, struct spgc_error *error) {
  uint64_t size;
  enum spgc_result result = read_extent(elf, header, &table->position, &size, error);
  table->entry_bytes = entry_bytes;
  table->count = size / entry_bytes;
  if (result == SPGC_OK && ELF_FIELD(elf, Shdr, header, sh_entsize) != entry_bytes)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, header,
                          "the entries of an ELF table have %" PRIu64 " bytes, not %u",
                          ELF_FIELD(elf, Shdr, header, sh_entsize), entry_bytes);
  return result;
}

static uint64_t entry_of(const struct table *table, uint64_t index) {
  return table->position + index * table->entry_bytes;
}

/* The section's sh_link. */
static enum spgc_result find_link(const struct elf *elf, uint64_t header, uint64_t *linked,
                                  struct spgc_error *error) {
  uint64_t index = ELF_FIELD(elf, Shdr, header, sh_link);
  if (index >= elf->section_count)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, header,
                          "an ELF table refers to section %" PRIu64 " of %" PRIu64, index,
                          elf->section_count);
  *linked = elf_header_of(elf, index);
  return SPGC_OK;
}

struct symbols {
  struct table table;
  uint64_t names, names_size;
};

static enum spgc_result open_symbols(const struct elf *elf, uint64_t header,
                                     struct symbols *symbols, struct spgc_error *error) {
  uint64_t names = 0;
  enum spgc_result result = read_table(elf, header, ELF_SIZE(elf, Sym), &symbols->table, error);
  if (result == SPGC_OK)
    result = find_link(elf, header, &names, error);
  if (result == SPGC_OK)
    result = read_extent(elf, names, &symbols->names, &symbols->names_size, error);
  return result;
}

static enum spgc_result read_name(const struct elf *elf, const struct symbols *symbols,
                                  uint64_t symbol, const char **name, struct spgc_error *error) {
  uint64_t offset = ELF_FIELD(elf, Sym, symbol, st_name);
  const char *names = (const char *)elf->file->image.bytes + symbols->names;
  if (offset >= symbols->names_size ||
      memchr(names + offset, 0, symbols->names_size - offset) == NULL)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, symbol,
                          "the name of an ELF symbol is not among the names");
  *name = names + offset;
  return SPGC_OK;
}

/* Both widths have type and binding in one byte. */
static unsigned type_of(const struct elf *elf, uint64_t symbol) {
  return ELF64_ST_TYPE(ELF_FIELD(elf, Sym, symbol, st_info));
}

static unsigned rank_of(const struct elf *elf, uint64_t symbol) {
  unsigned binding = ELF64_ST_BIND(ELF_FIELD(elf, Sym, symbol, st_info));
  return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

static enum spgc_result add_functions(struct elf *elf, const struct symbols *symbols,
                                      struct spgc_error *error) {
  size_t most = elf->function_count + symbols->table.count;
  struct elf_function *functions = reallocarray(elf->functions, most + 1, sizeof *functions);
  if (functions == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, symbols->table.position,
                          "cannot list the functions: out of memory");
  elf->functions = functions;
  for (uint64_t i = 0; i < symbols->table.count; i++) {
    uint64_t symbol = entry_of(&symbols->table, i);
    uint64_t section = ELF_FIELD(elf, Sym, symbol, st_shndx);
    if (type_of(elf, symbol) != STT_FUNC || section == SHN_UNDEF)
      continue;
    struct elf_function *function = &functions[elf->function_count++];
    *function =
        (struct elf_function){elf->is_relocatable ? section : 0,
                              ELF_FIELD(elf, Sym, symbol, st_value), "", rank_of(elf, symbol)};
    enum spgc_result result = read_name(elf, symbols, symbol, &function->name, error);
    if (result != SPGC_OK)
      return result;
  }
  return SPGC_OK;
}

static int compare_places(const struct elf_function *a, const struct elf_function *b) {
  if (a->section != b->section)
    return a->section < b->section ? -1 : 1;
  return a->value != b->value ? a->value < b->value ? -1 : 1 : 0;
}

/* Compares names last, so that the order does not depend on qsort. */
static int compare_functions(const void *first, const void *second) {
  const struct elf_function *a = first, *b = second;
  int places = compare_places(a, b);
  if (places != 0)
    return places;
  return a->rank != b->rank ? a->rank < b->rank ? -1 : 1 : strcmp(a->name, b->name);
}

/* Of several names, the first counts. */
static enum spgc_result list_addresses(struct elf *elf, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (size_t i = 0; i < elf->function_count && result == SPGC_OK; i++)
    if (i == 0 || compare_places(&elf->functions[i - 1], &elf->functions[i]) != 0)
      result = name_table_add(&elf->file->addresses, elf->functions[i].value,
                              elf->functions[i].name, error);
  return result;
}

enum spgc_result elf_read_functions(struct elf *elf, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (uint64_t i = 1; i < elf->section_count && result == SPGC_OK; i++) {
    uint64_t header = elf_header_of(elf, i), type = ELF_FIELD(elf, Shdr, header, sh_type);
    struct symbols symbols;
    if (type != SHT_SYMTAB && type != SHT_DYNSYM)
      continue;
    result = open_symbols(elf, header, &symbols, error);
    if (result == SPGC_OK)
      result = add_functions(elf, &symbols, error);
  }
  if (elf->function_count != 0)
    qsort(elf->functions, elf->function_count, sizeof *elf->functions, compare_functions);
  return result != SPGC_OK || elf->is_relocatable ? result : list_addresses(elf, error);
}

static const char *find_function(const struct elf *elf, uint64_t section, uint64_t value) {
  const struct elf_function place = {.section = section, .value = value};
  size_t first = 0, end = elf->function_count;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (compare_places(&elf->functions[middle], &place) < 0)
      first = middle + 1;
    else
      end = middle;
  }
  bool found = first < elf->function_count && compare_places(&elf->functions[first], &place) == 0;
  return found ? elf->functions[first].name : NULL;
}

/* NULL: no function is there. */
static enum spgc_result name_target(const struct elf *elf, const struct symbols *symbols,
                                    uint64_t relocation, const char **name,
                                    struct spgc_error *error) {
  uint64_t info = ELF_FIELD(elf, Rela, relocation, r_info);
  uint64_t index = elf->wide ? ELF64_R_SYM(info) : ELF32_R_SYM(info);
  uint64_t addend = ELF_FIELD(elf, Rela, relocation, r_addend);
  *name = index == 0 ? find_function(elf, 0, addend) : NULL;
  if (index == 0)
    return SPGC_OK;
  if (index >= symbols->table.count)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, relocation,
                          "an ELF relocation refers to symbol %" PRIu64 " of %" PRIu64, index,
                          symbols->table.count);
  uint64_t symbol = entry_of(&symbols->table, index);
  if (type_of(elf, symbol) == STT_SECTION)
    *name = find_function(elf, ELF_FIELD(elf, Sym, symbol, st_shndx), addend);
  else if (addend == 0)
    return read_name(elf, symbols, symbol, name, error);
  return SPGC_OK;
}

/* Whether they may be about the stack maps in section `index`. */
static bool relocates(const struct elf *elf, uint64_t relocations, uint64_t index) {
  return ELF_FIELD(elf, Shdr, relocations, sh_type) == SHT_RELA &&
         (!elf->is_relocatable || ELF_FIELD(elf, Shdr, relocations, sh_info) == index);
}

/* Offsets count from the section in a relocatable file, else from address 0. */
static enum spgc_result name_relocated(struct elf *elf, uint64_t map, uint64_t relocations,
                                       struct spgc_error *error) {
  struct table table;
  struct symbols symbols = {.names = 0}; /* stays zero without symbols, when relocations are linked
                                          * to no table */
  uint64_t linked = 0, start = elf->is_relocatable ? 0 : ELF_FIELD(elf, Shdr, map, sh_addr);
  enum spgc_result result = read_table(elf, relocations, ELF_SIZE(elf, Rela), &table, error);
  if (result == SPGC_OK)
    result = find_link(elf, relocations, &linked, error);
  if (result == SPGC_OK && linked != elf_header_of(elf, SHN_UNDEF))
    result = open_symbols(elf, linked, &symbols, error);
  for (uint64_t i = 0; result == SPGC_OK && i < table.count; i++) {
    uint64_t relocation = entry_of(&table, i);
    uint64_t offset = ELF_FIELD(elf, Rela, relocation, r_offset) - start;
    const char *name;
    if (offset >= ELF_FIELD(elf, Shdr, map, sh_size))
      continue;
    result = name_target(elf, &symbols, relocation, &name, error);
    if (result == SPGC_OK && name != NULL)
      result = name_table_add(&elf->file->places, ELF_FIELD(elf, Shdr, map, sh_offset) + offset,
                              name, error);
  }
  return result;
}

enum spgc_result elf_name_functions(struct elf *elf, uint64_t index, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (uint64_t i = 1; i < elf->section_count && result == SPGC_OK; i++)
    if (relocates(elf, elf_header_of(elf, i), index))
      result = name_relocated(elf, elf_header_of(elf, index), elf_header_of(elf, i), error);
  return result;
}
