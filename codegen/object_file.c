#include "codegen/object_file.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "support/fatal.h"

/* An object's bytes and its section headers; every access is checked against `size`. */
struct object {
  const char *bytes;
  size_t size;
  uint64_t headers_at;
  uint64_t header_count;
  Elf64_Shdr names;
};

static bool read_at(const struct object *object, uint64_t at, void *to, size_t length) {
  if (at > object->size || object->size - at < length)
    return false;
  memcpy(to, object->bytes + at, length);
  return true;
}

static bool read_header(const struct object *object, uint64_t index, Elf64_Shdr *header) {
  return index < object->header_count &&
         read_at(object, object->headers_at + index * sizeof *header, header, sizeof *header);
}

/* A NUL-terminated string in a string table; NULL when it leaves the table or the object. */
static const char *string_at(const struct object *object, const Elf64_Shdr *table, uint64_t offset) {
  if (table->sh_offset > object->size || object->size - table->sh_offset < table->sh_size || offset >= table->sh_size)
    return NULL;
  const char *string = object->bytes + table->sh_offset + offset;
  return memchr(string, '\0', table->sh_size - offset) != NULL ? string : NULL;
}

/* With more than 0xff00 sections, the first header holds the count and the index of the names. */
static bool open_object(struct object *object, const char *bytes, size_t size) {
  *object = (struct object){.bytes = bytes, .size = size};
  Elf64_Ehdr file;
  if (!read_at(object, 0, &file, sizeof file) || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
      file.e_ident[EI_CLASS] != ELFCLASS64 || file.e_shentsize != sizeof(Elf64_Shdr) || file.e_shoff > size)
    return false;
  Elf64_Shdr first;
  if (!read_at(object, file.e_shoff, &first, sizeof first))
    return false;
  object->headers_at = file.e_shoff;
  object->header_count = file.e_shnum != 0 ? file.e_shnum : first.sh_size;
  if (object->header_count > (size - file.e_shoff) / sizeof(Elf64_Shdr))
    return false;
  return read_header(object, file.e_shstrndx == SHN_XINDEX ? first.sh_link : file.e_shstrndx, &object->names);
}

enum spgc_result object_file_make_writable(char *bytes, size_t size, const char *section, struct spgc_error *error) {
  struct object object;
  if (!open_object(&object, bytes, size))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "not a 64-bit ELF object");
  for (uint64_t i = 0; i < object.header_count; i++) {
    Elf64_Shdr header;
    const char *name = read_header(&object, i, &header) ? string_at(&object, &object.names, header.sh_name) : NULL;
    if (name == NULL)
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "section %lu has no name", (unsigned long)i);
    if (strcmp(name, section) != 0)
      continue;
    header.sh_flags |= SHF_WRITE;
    memcpy(bytes + object.headers_at + i * sizeof header, &header, sizeof header);
  }
  return SPGC_OK;
}

static bool is_exported(const Elf64_Sym *symbol) {
  return ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL && symbol->st_shndx != SHN_UNDEF &&
         symbol->st_shndx != SHN_COMMON && ELF64_ST_VISIBILITY(symbol->st_other) == STV_DEFAULT;
}

/* The first exported symbol of a symbol table, in `name`; false when the table is broken. */
static bool find_exported(const struct object *object, const Elf64_Shdr *table, const char **name) {
  Elf64_Shdr strings;
  if (!read_header(object, table->sh_link, &strings))
    return false;
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size && *name == NULL; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    if (!read_at(object, table->sh_offset + at, &symbol, sizeof symbol))
      return false;
    if (!is_exported(&symbol))
      continue;
    *name = string_at(object, &strings, symbol.st_name);
    if (*name == NULL)
      return false;
  }
  return true;
}

enum spgc_result object_file_exported_symbol(const char *bytes, size_t size, const char **name,
                                             struct spgc_error *error) {
  *name = NULL;
  struct object object;
  if (!open_object(&object, bytes, size))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "not a 64-bit ELF object");
  for (uint64_t i = 0; i < object.header_count && *name == NULL; i++) {
    Elf64_Shdr header;
    if (!read_header(&object, i, &header) || (header.sh_type == SHT_SYMTAB && !find_exported(&object, &header, name)))
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "section %lu is broken", (unsigned long)i);
  }
  return SPGC_OK;
}
