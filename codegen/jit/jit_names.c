#include "codegen/jit/jit_names.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_SHIFT = 12 };

struct jit_name_list {
  struct spgc_code_names names;
  struct spgc_code_name entries[];
};

static bool open_lists(struct jit_name_lists *lists, const struct jit_area *area) {
  lists->area = area;
  lists->pages = (struct jit_name_list **)calloc(area->size >> PAGE_SHIFT, sizeof *lists->pages);
  return lists->pages != NULL;
}

bool spgc_jit_names_open(struct jit_names *names, const struct jit_arena *arena) {
  *names = (struct jit_names){
      .arena = arena,
      .functions = {.add = spgc_code_names_add, .remove = spgc_code_names_remove},
      .variables = {.add = spgc_variable_names_add, .remove = spgc_variable_names_remove}};
  return open_lists(&names->functions, &arena->areas[JIT_EXECUTABLE]) &&
         open_lists(&names->variables, &arena->areas[JIT_WRITABLE]);
}

void spgc_jit_names_close(struct jit_names *names) {
  free((void *)names->functions.pages);
  free((void *)names->variables.pages);
}

static size_t page_of(const struct jit_name_lists *lists, uintptr_t address) {
  return (address - (uintptr_t)lists->area->base) >> PAGE_SHIFT;
}

struct range {
  uintptr_t start;
  size_t size;
};

static bool is_in(struct range range, const struct spgc_code_name *name) {
  return name->start - range.start < range.size;
}

static size_t count_others(const struct jit_name_list *list, struct range gone) {
  size_t count = 0;
  for (size_t i = 0; list != NULL && i < list->names.count; i++)
    count += !is_in(gone, &list->entries[i]);
  return count;
}

/* Both may be the same. */
static void copy_others(struct jit_name_list *to, const struct jit_name_list *from,
                        struct range gone) {
  size_t count = 0;
  for (size_t i = 0; from != NULL && i < from->names.count; i++)
    if (!is_in(gone, &from->entries[i]))
      to->entries[count++] = from->entries[i];
  to->names = (struct spgc_code_names){.names = to->entries, .count = count};
}

static struct jit_name_list *create_list(size_t count) {
  return malloc(sizeof(struct jit_name_list) + count * sizeof(struct spgc_code_name));
}

static bool add_name(struct jit_name_lists *lists, struct spgc_code_name name) {
  struct jit_name_list **place = &lists->pages[page_of(lists, name.start)], *old = *place;
  const struct range nothing = {0};
  struct jit_name_list *list = create_list(count_others(old, nothing) + 1);
  if (list == NULL)
    return false;
  copy_others(list, old, nothing);
  list->entries[list->names.count++] = name;
  lists->add(&list->names);
  if (old != NULL)
    lists->remove(&old->names);
  free(old);
  *place = list;
  return true;
}

/* Without memory, the others' names are unknown for a moment. */
static void remove_names(const struct jit_name_lists *lists, size_t page, struct range gone) {
  struct jit_name_list *old = lists->pages[page];
  size_t count = count_others(old, gone);
  if (old == NULL || count == old->names.count)
    return;
  struct jit_name_list *list = count != 0 ? create_list(count) : NULL;
  if (list != NULL) {
    copy_others(list, old, gone);
    lists->add(&list->names);
  }
  lists->remove(&old->names);
  lists->pages[page] = list;
  if (list != NULL || count == 0) {
    free(old);
    return;
  }
  copy_others(old, old, gone);
  lists->add(&old->names);
  lists->pages[page] = old;
}

static void withdraw(const struct jit_name_lists *lists, struct range gone) {
  for (size_t page = page_of(lists, gone.start);
       gone.size != 0 && page <= page_of(lists, gone.start + gone.size - 1); page++)
    remove_names(lists, page, gone);
}

static struct range range_of(const struct jit_names *names, struct jit_span span) {
  return (struct range){(uintptr_t)jit_span_start(names->arena, span), span.size};
}

void spgc_jit_names_withdraw(struct jit_names *names, struct jit_span code, struct jit_span data) {
  withdraw(&names->functions, range_of(names, code));
  withdraw(&names->variables, range_of(names, data));
}

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

struct jit_name_counts spgc_jit_names_count(const struct jit_image *image) {
  struct jit_name_counts counts = {0};
  for (uint64_t i = 1; i < image->symbol_count; i++) {
    Elf64_Sym symbol = spgc_jit_image_symbol(image, i);
    unsigned kind = kind_of(image, i);
    counts.exports += (kind & IS_EXPORT) != 0;
    if (kind != 0)
      counts.text_bytes += strlen(spgc_jit_image_symbol_name(image, &symbol)) + 1;
  }
  return counts;
}

/* The size in a symbol may be wrong. */
static size_t size_of(const struct jit_image *image, const Elf64_Sym *symbol) {
  uint64_t rest = spgc_jit_image_section_of(image, symbol)->header.sh_size - symbol->st_value;
  return symbol->st_size < rest ? symbol->st_size : rest;
}

/* The runtime needs no name without bytes. */
static bool tell_runtime(struct jit_names *names, unsigned kind, struct spgc_code_name name) {
  if ((kind & (IS_FUNCTION | IS_VARIABLE)) == 0 || name.size == 0)
    return true;
  return add_name(kind & IS_FUNCTION ? &names->functions : &names->variables, name);
}

bool spgc_jit_names_add(struct jit_names *names, const struct jit_image *image,
                        struct jit_symbol *exports, char *text) {
  for (uint64_t i = 1; i < image->symbol_count; i++) {
    Elf64_Sym symbol = spgc_jit_image_symbol(image, i);
    uintptr_t address = image->targets[i].address;
    unsigned kind = kind_of(image, i);
    const char *name = text;
    if (kind == 0)
      continue;
    text = stpcpy(text, spgc_jit_image_symbol_name(image, &symbol)) + 1;
    if (kind & IS_EXPORT)
      *exports++ = (struct jit_symbol){
          .name = name, .address = address, .is_weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK};
    size_t size = kind != IS_EXPORT ? size_of(image, &symbol) : 0;
    if (!tell_runtime(names, kind, (struct spgc_code_name){address, size, name}))
      return false;
  }
  return true;
}
