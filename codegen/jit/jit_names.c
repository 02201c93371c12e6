#include "codegen/jit/jit_names.h"

#include <stdlib.h>
#include <string.h>

#include "support/fatal.h"

enum kind { IS_FUNCTION = 1, IS_VARIABLE = 2, IS_EXPORT = 4 };

static unsigned kind_of(const struct jit_image *image, uint64_t number) {
  Elf64_Sym symbol = spgc_jit_image_symbol(image, number);
  const struct jit_section *section = spgc_jit_image_section_of(image, &symbol);
  unsigned type = ELF64_ST_TYPE(symbol.st_info), kind = 0;
  if (!image->targets[number].is_own || type == STT_FILE || type == STT_SECTION)
    return 0;
  if (section != NULL && section->part == JIT_CODE && type == STT_FUNC)
    kind = IS_FUNCTION;
  if (section != NULL && section->part == JIT_DATA && section != image->record &&
      type == STT_OBJECT)
    kind = IS_VARIABLE;
  return jit_symbol_is_exported(&symbol) ? kind | IS_EXPORT : kind;
}

struct counts {
  size_t exports, functions, variables, text_bytes;
};

static struct counts count_names(const struct jit_image *image) {
  struct counts counts = {.text_bytes = strlen(image->source) + 1};
  for (uint64_t i = 1; i < image->symbol_count; i++) {
    Elf64_Sym symbol = spgc_jit_image_symbol(image, i);
    unsigned kind = kind_of(image, i);
    counts.exports += (kind & IS_EXPORT) != 0;
    counts.functions += (kind & IS_FUNCTION) != 0;
    counts.variables += (kind & IS_VARIABLE) != 0;
    if (kind != 0)
      counts.text_bytes += strlen(spgc_jit_image_symbol_name(image, &symbol)) + 1;
  }
  return counts;
}

struct room {
  struct jit_symbol *exports;
  struct spgc_code_name *functions, *variables;
  char *text;
};

static size_t list_bytes(size_t count) {
  return count != 0 ? sizeof(struct spgc_code_names) + count * sizeof(struct spgc_code_name) : 0;
}

/* Advances `*memory`. Returns the first name. */
static struct spgc_code_name *make_list(char **memory, size_t count,
                                        struct spgc_code_names **list) {
  if (count == 0)
    return NULL;
  *list = (struct spgc_code_names *)(void *)*memory;
  struct spgc_code_name *first = (struct spgc_code_name *)(void *)(*list + 1);
  **list = (struct spgc_code_names){.names = first, .count = count};
  *memory += list_bytes(count);
  return first;
}

static bool allocate(struct jit_names *names, const struct counts *counts, struct room *room) {
  size_t export_bytes = counts->exports * sizeof *names->exports;
  char *memory = calloc(1, export_bytes + list_bytes(counts->functions) +
                               list_bytes(counts->variables) + counts->text_bytes);
  if (memory == NULL)
    return false;
  *names = (struct jit_names){.exports = (struct jit_symbol *)(void *)memory,
                              .export_count = (uint32_t)counts->exports};
  memory += export_bytes;
  *room = (struct room){.exports = names->exports};
  room->functions = make_list(&memory, counts->functions, &names->functions);
  room->variables = make_list(&memory, counts->variables, &names->variables);
  room->text = memory;
  return true;
}

static const char *add_text(struct room *room, const char *text) {
  char *copy = room->text;
  room->text = stpcpy(copy, text) + 1;
  return copy;
}

/* The size in a symbol may be wrong. */
static size_t size_of(const struct jit_image *image, const Elf64_Sym *symbol) {
  uint64_t rest = spgc_jit_image_section_of(image, symbol)->header.sh_size - symbol->st_value;
  return symbol->st_size < rest ? symbol->st_size : rest;
}

static void append(struct spgc_code_name **next, struct spgc_code_name name) {
  spgc_require(*next != NULL, "the name %s was not counted", name.name);
  *(*next)++ = name;
}

static void add_name(struct room *room, const struct jit_image *image, uint64_t number) {
  Elf64_Sym symbol = spgc_jit_image_symbol(image, number);
  uintptr_t address = image->targets[number].address;
  unsigned kind = kind_of(image, number);
  if (kind == 0)
    return;
  const char *name = add_text(room, spgc_jit_image_symbol_name(image, &symbol));
  if (kind & IS_FUNCTION)
    append(&room->functions, (struct spgc_code_name){address, size_of(image, &symbol), name});
  if (kind & IS_VARIABLE)
    append(&room->variables, (struct spgc_code_name){address, size_of(image, &symbol), name});
  if (kind & IS_EXPORT)
    *room->exports++ = (struct jit_symbol){
        .name = name, .address = address, .is_weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK};
}

bool spgc_jit_names_collect(struct jit_names *names, const struct jit_image *image) {
  struct room room;
  const struct counts counts = count_names(image);
  if (!allocate(names, &counts, &room))
    return false;
  for (uint64_t i = 1; i < image->symbol_count; i++)
    add_name(&room, image, i);
  bool has_source = image->source[0] != '\0' || names->export_count == 0;
  names->object = has_source ? add_text(&room, image->source) : names->exports[0].name;
  return true;
}

void spgc_jit_names_publish(struct jit_names *names) {
  if (names->functions != NULL)
    spgc_code_names_add(names->functions);
  if (names->variables != NULL)
    spgc_variable_names_add(names->variables);
  names->is_published = true;
}

void spgc_jit_names_withdraw(struct jit_names *names) {
  if (names->is_published && names->functions != NULL)
    spgc_code_names_remove(names->functions);
  if (names->is_published && names->variables != NULL)
    spgc_variable_names_remove(names->variables);
  names->is_published = false;
}

void spgc_jit_names_free(struct jit_names *names) {
  free(names->exports);
  *names = (struct jit_names){0};
}
