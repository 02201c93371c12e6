#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/jit/jit_object.h"
#include "codegen/jit/jit_relocation.h"
#include "support/fatal.h"

struct loading {
  struct jit_memory *memory;
  struct jit_image *image;
  const struct jit_relocator *relocator;
  uint8_t *staged[JIT_PARTS];
  struct spgc_jit_object *object;
  struct spgc_error *error;
};

static enum spgc_result no_memory(const struct loading *loading) {
  return spgc_error_set(loading->error, SPGC_ERROR_NO_MEMORY, 0,
                        "cannot load an object: out of memory");
}

static enum spgc_result bind_defined(struct loading *loading, const Elf64_Sym *symbol,
                                     const char *name, struct jit_target *target) {
  struct jit_symbol *known = jit_symbol_is_exported(symbol)
                                 ? spgc_jit_symbols_find(&loading->memory->symbols, name)
                                 : NULL;
  bool is_weak = ELF64_ST_BIND(symbol->st_info) == STB_WEAK;
  target->is_own = known == NULL;
  if (known == NULL)
    return SPGC_OK;
  if (!is_weak)
    return spgc_error_set(loading->error, SPGC_ERROR_SYSTEM, 0,
                          "%s is defined twice: in %s and in %s", name,
                          known->owner != NULL ? jit_object_name(known->owner) : "the program",
                          loading->image->source);
  target->symbol = known;
  target->address = known->address;
  return SPGC_OK;
}

static enum spgc_result bind_undefined(struct loading *loading, const Elf64_Sym *symbol,
                                       const char *name, struct jit_target *target) {
  target->symbol = spgc_jit_symbols_find(&loading->memory->symbols, name);
  target->address = target->symbol != NULL ? target->symbol->address : target->in_process;
  if (target->address == 0 && ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
    return spgc_error_set(loading->error, SPGC_ERROR_SYSTEM, 0,
                          "undefined symbol %s in %s: define it by spgc_jit_define, or load the "
                          "object that does first",
                          name, loading->image->source);
  return SPGC_OK;
}

static enum spgc_result bind_symbol(struct loading *loading, uint64_t number) {
  Elf64_Sym symbol = spgc_jit_image_symbol(loading->image, number);
  const char *name = spgc_jit_image_symbol_name(loading->image, &symbol);
  struct jit_target *target = &loading->image->targets[number];
  if (number == 0 || ELF64_ST_TYPE(symbol.st_info) == STT_FILE)
    return SPGC_OK;
  if (symbol.st_shndx == SHN_UNDEF)
    return bind_undefined(loading, &symbol, name, target);
  enum spgc_result result = bind_defined(loading, &symbol, name, target);
  if (symbol.st_shndx == SHN_COMMON && target->is_own && result == SPGC_OK)
    result = spgc_jit_image_place(loading->image, JIT_DATA, symbol.st_size, symbol.st_value, name,
                                  &target->common, loading->error);
  return result;
}

static enum spgc_result bind_symbols(struct loading *loading) {
  enum spgc_result result = SPGC_OK;
  for (uint64_t i = 0; i < loading->image->symbol_count && result == SPGC_OK; i++)
    result = bind_symbol(loading, i);
  return result;
}

enum { CREL = 0x40000014 }; /* SHT_CREL, LLVM's compact tables */

struct relocation {
  Elf64_Rela entry;
  struct jit_section *section;
  uint64_t symbol;
};

typedef enum spgc_result relocation_visitor(struct loading *loading,
                                            const struct relocation *relocation);

static const char *name_of(const struct loading *loading, uint64_t number) {
  Elf64_Sym symbol = spgc_jit_image_symbol(loading->image, number);
  return spgc_jit_image_symbol_name(loading->image, &symbol);
}

static enum spgc_result refuse(const struct loading *loading, const struct relocation *relocation,
                               enum spgc_result code, const char *why) {
  return spgc_error_set(loading->error, code, relocation->entry.r_offset,
                        "section %s refers to %s at byte %" PRIu64 " by relocation %" PRIu64 ": %s",
                        relocation->section->name, name_of(loading, relocation->symbol),
                        relocation->entry.r_offset,
                        (uint64_t)ELF64_R_TYPE(relocation->entry.r_info), why);
}

static enum spgc_result visit_relocation(struct loading *loading, uint64_t at,
                                         struct jit_section *section, relocation_visitor *visit) {
  struct relocation relocation = {.section = section};
  spgc_elf_read(&loading->image->elf, at, &relocation.entry, sizeof relocation.entry);
  relocation.symbol = ELF64_R_SYM(relocation.entry.r_info);
  if (relocation.symbol >= loading->image->symbol_count ||
      relocation.entry.r_offset > section->header.sh_size || section->header.sh_type == SHT_NOBITS)
    return spgc_error_set(loading->error, SPGC_ERROR_MALFORMED, at,
                          "a relocation of section %s is broken", section->name);
  return visit(loading, &relocation);
}

static enum spgc_result visit_table(struct loading *loading, const Elf64_Shdr *table,
                                    relocation_visitor *visit) {
  if (table->sh_info >= loading->image->elf.header_count)
    return spgc_error_set(loading->error, SPGC_ERROR_MALFORMED, 0,
                          "a table of relocations is broken");
  struct jit_section *section = &loading->image->sections[table->sh_info];
  if (section->part == JIT_NOT_LOADED)
    return SPGC_OK;
  if (table->sh_type != SHT_RELA)
    return spgc_error_set(loading->error, SPGC_ERROR_UNSUPPORTED, 0,
                          "section %s has relocations of another format than RELA", section->name);
  enum spgc_result result = SPGC_OK;
  for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Rela) && result == SPGC_OK; i++)
    result = visit_relocation(loading, table->sh_offset + i * sizeof(Elf64_Rela), section, visit);
  return result;
}

static enum spgc_result visit_relocations(struct loading *loading, relocation_visitor *visit) {
  enum spgc_result result = SPGC_OK;
  for (uint64_t i = 1; i < loading->image->elf.header_count && result == SPGC_OK; i++) {
    const Elf64_Shdr *header = &loading->image->sections[i].header;
    if (header->sh_type == SHT_RELA || header->sh_type == SHT_REL || header->sh_type == CREL)
      result = visit_table(loading, header, visit);
  }
  return result;
}

static enum spgc_result note_need(struct loading *loading, const struct relocation *relocation) {
  struct jit_target *target = &loading->image->targets[relocation->symbol];
  const struct jit_section *section = relocation->section;
  uint64_t offset = relocation->entry.r_offset;
  const struct jit_fixup fixup = {
      .type = (uint32_t)ELF64_R_TYPE(relocation->entry.r_info),
      .at = (uint8_t *)(uintptr_t)(loading->image->elf.bytes + section->header.sh_offset + offset),
      .offset = offset,
      .room = section->header.sh_size - offset};
  Elf64_Sym symbol = spgc_jit_image_symbol(loading->image, relocation->symbol);
  bool is_near = target->is_own ? symbol.st_shndx != SHN_ABS
                                : jit_arena_contains(&loading->memory->arena, target->address);
  enum jit_need need = loading->relocator->need(&fixup, is_near);
  if (need == JIT_UNSUPPORTED)
    return refuse(loading, relocation, SPGC_ERROR_UNSUPPORTED, "the JIT does not support it");
  target->needs_stub |= need == JIT_NEED_STUB;
  target->needs_slot |= need == JIT_NEED_SLOT || need == JIT_NEED_STUB;
  return SPGC_OK;
}

static enum spgc_result link_program(struct loading *loading, struct jit_target *target) {
  struct jit_program_symbol *program = (struct jit_program_symbol *)target->symbol;
  target->link = &program->link;
  return spgc_jit_link_make(&loading->memory->links, &loading->memory->arena, target->address,
                            &program->link, loading->error);
}

static enum spgc_result place_helper(struct loading *loading, struct jit_target *target) {
  enum spgc_result result = SPGC_OK;
  if (target->needs_slot && target->symbol != NULL && target->symbol->owner == NULL)
    return link_program(loading, target);
  if (target->needs_stub)
    result = spgc_jit_image_place(loading->image, JIT_CODE, loading->relocator->stub_bytes, 8,
                                  "a call's stub", &target->stub, loading->error);
  if (result == SPGC_OK && target->needs_slot)
    result = spgc_jit_image_place(loading->image, JIT_TABLES, sizeof(uintptr_t), sizeof(uintptr_t),
                                  "a slot", &target->slot, loading->error);
  return result;
}

static enum spgc_result place_helpers(struct loading *loading) {
  enum spgc_result result = SPGC_OK;
  for (uint64_t i = 0; i < loading->image->symbol_count && result == SPGC_OK; i++)
    result = place_helper(loading, &loading->image->targets[i]);
  return result;
}

static uint8_t *memory_of(const struct loading *loading, enum jit_part part) {
  return part == JIT_PARSED ? loading->staged[part]
                            : jit_span_start(&loading->memory->arena, loading->object->spans[part]);
}

static uintptr_t start_of(const struct loading *loading, enum jit_part part) {
  return (uintptr_t)memory_of(loading, part);
}

static uintptr_t stub_of(const struct loading *loading, const struct jit_target *target) {
  if (!target->needs_stub)
    return 0;
  return target->link != NULL ? (uintptr_t)loading->memory->arena.base + target->link->stub
                              : start_of(loading, JIT_CODE) + target->stub;
}

static uintptr_t slot_of(const struct loading *loading, const struct jit_target *target) {
  if (!target->needs_slot)
    return 0;
  return target->link != NULL ? (uintptr_t)loading->memory->arena.base + target->link->slot
                              : start_of(loading, JIT_TABLES) + target->slot;
}

static enum spgc_result apply(struct loading *loading, const struct relocation *relocation) {
  const struct jit_section *section = relocation->section;
  const struct jit_target *target = &loading->image->targets[relocation->symbol];
  uint64_t offset = relocation->entry.r_offset;
  const struct jit_fixup fixup = {.type = (uint32_t)ELF64_R_TYPE(relocation->entry.r_info),
                                  .at = section->bytes + offset,
                                  .offset = offset,
                                  .room = section->header.sh_size - offset,
                                  .place = section->address + offset,
                                  .symbol = target->address,
                                  .addend = relocation->entry.r_addend,
                                  .stub = stub_of(loading, target),
                                  .slot = slot_of(loading, target)};
  Elf64_Sym symbol = spgc_jit_image_symbol(loading->image, relocation->symbol);
  if (relocation->symbol != 0 && target->is_own && symbol.st_shndx < SHN_LORESERVE &&
      spgc_jit_image_section_of(loading->image, &symbol) == NULL)
    return refuse(loading, relocation, SPGC_ERROR_MALFORMED,
                  "it is in a section that is not loaded");
  const char *problem = loading->relocator->apply(&fixup);
  if (problem == NULL)
    return SPGC_OK;
  return refuse(loading, relocation,
                problem == spgc_jit_cut_off ? SPGC_ERROR_MALFORMED : SPGC_ERROR_UNSUPPORTED,
                problem);
}

static enum spgc_result take_span(struct loading *loading, enum jit_part part) {
  static const char *const names[] = {"code", "tables", "constants", "data"};
  struct jit_arena *arena = &loading->memory->arena;
  size_t size = loading->image->sizes[part], alignment = loading->image->alignments[part];
  struct jit_span *span = &loading->object->spans[part];
  enum jit_access access = jit_access_of(part);
  const struct jit_area *area = &arena->areas[access];
  return spgc_jit_arena_take(arena, access, size, alignment, span)
             ? SPGC_OK
             : spgc_error_set(
                   loading->error, SPGC_ERROR_NO_MEMORY, 0,
                   "no room for %zu bytes of %s, aligned to %zu: %zu of the JIT's %zu are "
                   "in use; remove objects, or load less",
                   size, names[part], alignment, area->used, area->size);
}

static enum spgc_result take_part(struct loading *loading, enum jit_part part) {
  size_t size = loading->image->sizes[part];
  enum spgc_result result = size != 0 && part != JIT_PARSED ? take_span(loading, part) : SPGC_OK;
  if (result != SPGC_OK || size == 0)
    return result;
  loading->staged[part] = part == JIT_DATA ? memory_of(loading, part) : calloc(1, size);
  return loading->staged[part] != NULL ? SPGC_OK : no_memory(loading);
}

static void copy_section(struct loading *loading, struct jit_section *section) {
  section->bytes = loading->staged[section->part] + section->offset;
  section->address = start_of(loading, section->part) + section->offset;
  if (section->header.sh_type != SHT_NOBITS && section->header.sh_size != 0)
    memcpy(section->bytes, loading->image->elf.bytes + section->header.sh_offset,
           section->header.sh_size);
}

static enum spgc_result take_memory(struct loading *loading) {
  enum spgc_result result = SPGC_OK;
  for (int part = 0; part < JIT_PARTS && result == SPGC_OK; part++)
    result = take_part(loading, (enum jit_part)part);
  for (uint64_t i = 1; i < loading->image->elf.header_count && result == SPGC_OK; i++)
    if (loading->image->sections[i].part != JIT_NOT_LOADED &&
        loading->image->sizes[loading->image->sections[i].part] != 0)
      copy_section(loading, &loading->image->sections[i]);
  return result;
}

static void address_symbol(struct loading *loading, uint64_t number) {
  struct jit_target *target = &loading->image->targets[number];
  Elf64_Sym symbol = spgc_jit_image_symbol(loading->image, number);
  const struct jit_section *section = spgc_jit_image_section_of(loading->image, &symbol);
  if (!target->is_own)
    return;
  if (symbol.st_shndx == SHN_COMMON)
    target->address = start_of(loading, JIT_DATA) + target->common;
  else
    target->address = (section != NULL ? section->address : 0) + symbol.st_value;
}

static void write_helpers(struct loading *loading, const struct jit_target *target) {
  if (target->link != NULL)
    return;
  if (target->needs_slot)
    memcpy(loading->staged[JIT_TABLES] + target->slot, &target->address, sizeof target->address);
  if (target->needs_stub)
    loading->relocator->write_stub(loading->staged[JIT_CODE] + target->stub,
                                   stub_of(loading, target), slot_of(loading, target));
}

static enum spgc_result write_parts(struct loading *loading) {
  enum spgc_result result = SPGC_OK;
  for (int part = 0; part < JIT_DATA && result == SPGC_OK; part++)
    if (loading->image->sizes[part] != 0)
      result = spgc_jit_arena_write(&loading->memory->arena, jit_access_of((enum jit_part)part),
                                    memory_of(loading, part), loading->staged[part],
                                    loading->image->sizes[part], loading->error);
  return result;
}

static enum spgc_result enter_exports(struct loading *loading) {
  struct spgc_jit_object *object = loading->object;
  struct jit_symbols *symbols = &loading->memory->symbols;
  for (size_t i = 0; i < object->export_count; i++) {
    struct jit_symbol *exported = &object->exports[i];
    exported->owner = object;
    if (spgc_jit_symbols_find(symbols, exported->name) != NULL)
      return spgc_error_set(loading->error, SPGC_ERROR_MALFORMED, 0,
                            "%s is defined twice in one object, %s", exported->name,
                            loading->image->source);
    if (!spgc_jit_symbols_enter(symbols, exported))
      return no_memory(loading);
  }
  return SPGC_OK;
}

static enum spgc_result enter_names(struct loading *loading) {
  struct spgc_jit_object *object = loading->object;
  char *name = jit_object_name(object);
  if (!spgc_jit_names_add(&loading->memory->names, loading->image, object->exports,
                          name + strlen(name) + 1))
    return no_memory(loading);
  enum spgc_result result = enter_exports(loading);
  for (uint64_t i = 1; i < loading->image->symbol_count && result == SPGC_OK; i++) {
    struct jit_symbol *symbol = loading->image->targets[i].symbol;
    if (symbol != NULL && symbol->owner != NULL && !spgc_jit_object_bind(object, symbol))
      result = no_memory(loading);
  }
  return result;
}

static bool is_inside(const struct loading *loading, const void *start, size_t size) {
  for (int part = 0; part < JIT_SPANS; part++) {
    const struct jit_span *span = &loading->object->spans[part];
    size_t offset = (uintptr_t)start - start_of(loading, (enum jit_part)part);
    if (span->size != 0 && offset <= span->size && size <= span->size - offset)
      return true;
  }
  return false;
}

static bool is_text(const struct loading *loading, const char *text) {
  size_t length = 0;
  while (is_inside(loading, text + length, 1) && text[length] != '\0')
    length++;
  return is_inside(loading, text + length, 1);
}

/* Roots may be in data that another object or the program defined first. */
static bool are_roots(const struct loading *loading, const struct spgc_global_roots *roots) {
  const struct jit_area *data = &loading->memory->arena.areas[JIT_WRITABLE];
  size_t offset = (uintptr_t)roots->first - (uintptr_t)data->base;
  if (!jit_arena_contains(&loading->memory->arena, (uintptr_t)roots->first))
    return roots->first != NULL && roots->count <= PTRDIFF_MAX / sizeof *roots->first;
  return offset <= data->size && roots->count <= (data->size - offset) / sizeof *roots->first;
}

static enum spgc_result check_record(const struct loading *loading,
                                     const struct spgc_module *module) {
  const struct jit_section *stackmaps = loading->image->stackmaps;
  const char *wrong = NULL;
  if ((uintptr_t)module->stackmaps != (stackmaps != NULL ? stackmaps->address : 0))
    wrong = "its stack map";
  else if (module->name != NULL && !is_text(loading, module->name))
    wrong = "its name";
  else if (module->root_count > SIZE_MAX / sizeof *module->roots ||
           (module->root_count != 0 &&
            !is_inside(loading, module->roots, module->root_count * sizeof *module->roots)))
    wrong = "its list of global roots";
  for (uint64_t i = 0; i < module->root_count && wrong == NULL; i++)
    if (!are_roots(loading, &module->roots[i]))
      wrong = "its global roots";
  if (module->next != NULL || module->registered != NULL)
    wrong = "nothing in two words of the runtime";
  return wrong == NULL ? SPGC_OK
                       : spgc_error_set(loading->error, SPGC_ERROR_MALFORMED, 0,
                                        "the object's module record does not refer to %s", wrong);
}

static enum spgc_result register_module(struct loading *loading) {
  const struct jit_image *image = loading->image;
  if (image->record == NULL)
    return SPGC_OK;
  size_t record_bytes = image->record->header.sh_size;
  struct spgc_module *module = (struct spgc_module *)(uintptr_t)image->record->bytes;
  bool is_foreign = record_bytes >= sizeof module->version &&
                    module->version != SPGC_MODULE_VERSION; /* registration reports it */
  if (!is_foreign && record_bytes != sizeof *module)
    return spgc_error_set(loading->error, SPGC_ERROR_MALFORMED, 0,
                          "the object's module record has %zu bytes", record_bytes);
  enum spgc_result result = is_foreign ? SPGC_OK : check_record(loading, module);
  if (result != SPGC_OK)
    return result;
  result = spgc_module_register(
      module, image->stackmaps != NULL ? image->stackmaps->header.sh_size : 0, loading->error);
  loading->object->registered = result == SPGC_OK ? module : NULL;
  if (result == SPGC_OK)
    module->stackmaps = NULL; /* the runtime has its own copy */
  return result;
}

static enum spgc_result register_frames(struct loading *loading) {
  const struct jit_section *frames = loading->image->frames;
  if (frames == NULL || frames->header.sh_size == 0)
    return SPGC_OK;
  bool is_added;
  const struct jit_arena *arena = &loading->memory->arena;
  const struct jit_frames bytes = {memory_of(loading, JIT_TABLES) + frames->offset,
                                   frames->header.sh_size};
  enum spgc_result result = spgc_jit_unwind_add(
      &loading->memory->unwind, bytes, loading->object->spans[JIT_CODE], &is_added, loading->error);
  loading->object->frames = is_added ? (uint32_t)(bytes.start - arena->base) : 0;
  return result;
}

static void tell_listeners(struct loading *loading) {
  if (loading->memory->tells_gdb)
    spgc_jit_gdb_add(&loading->object->gdb, loading->image);
  if (loading->memory->perf.file != NULL)
    spgc_jit_perf_add(&loading->memory->perf, loading->image);
}

static enum spgc_result bind_and_measure(struct loading *loading) {
  enum spgc_result result = bind_symbols(loading);
  if (result == SPGC_OK)
    result = visit_relocations(loading, note_need);
  return result == SPGC_OK ? place_helpers(loading) : result;
}

static enum spgc_result relocate(struct loading *loading) {
  for (uint64_t i = 0; i < loading->image->symbol_count; i++)
    address_symbol(loading, i);
  for (uint64_t i = 0; i < loading->image->symbol_count; i++)
    write_helpers(loading, &loading->image->targets[i]);
  return visit_relocations(loading, apply);
}

static enum spgc_result announce(struct loading *loading) {
  enum spgc_result result = enter_names(loading);
  if (result == SPGC_OK)
    result = register_frames(loading);
  if (result == SPGC_OK)
    result = register_module(loading);
  if (result != SPGC_OK)
    return result;
  tell_listeners(loading);
  return SPGC_OK;
}

static const char *object_name(const struct jit_image *image) {
  for (uint64_t i = 1; i < image->symbol_count && image->source[0] == '\0'; i++) {
    Elf64_Sym symbol = spgc_jit_image_symbol(image, i);
    if (image->targets[i].is_own && jit_symbol_is_exported(&symbol))
      return spgc_jit_image_symbol_name(image, &symbol);
  }
  return image->source;
}

static enum spgc_result create_object(struct loading *loading) {
  struct jit_name_counts counts = spgc_jit_names_count(loading->image);
  const char *name = object_name(loading->image);
  struct spgc_jit_object *object =
      calloc(1, sizeof *object + counts.exports * sizeof *object->exports + strlen(name) + 1 +
                    counts.text_bytes);
  if (object == NULL)
    return no_memory(loading);
  object->export_count = (uint32_t)counts.exports;
  strcpy(jit_object_name(object), name);
  loading->object = object;
  return SPGC_OK;
}

static enum spgc_result load(struct loading *loading) {
  enum spgc_result result = bind_and_measure(loading);
  if (result == SPGC_OK)
    result = create_object(loading);
  if (result == SPGC_OK)
    result = take_memory(loading);
  if (result == SPGC_OK)
    result = relocate(loading);
  if (result == SPGC_OK)
    result = write_parts(loading);
  return result == SPGC_OK ? announce(loading) : result;
}

enum spgc_result spgc_jit_object_load(struct jit_memory *memory, struct jit_image *image,
                                      struct spgc_jit_object **object, struct spgc_error *error) {
  struct loading loading = {
      .memory = memory, .image = image, .relocator = spgc_jit_relocator_of_host(), .error = error};
  enum spgc_result result = load(&loading);
  loading.staged[JIT_DATA] = NULL; /* the span itself */
  for (int part = 0; part < JIT_PARTS; part++)
    free(loading.staged[part]);
  if (result == SPGC_OK)
    *object = loading.object;
  else if (loading.object != NULL)
    spgc_jit_object_abandon(memory, loading.object);
  return result;
}
