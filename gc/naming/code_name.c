#include "gc/naming/code_name.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>

#include "gc/state/locks.h"
#include "spgc/code_name.h"
#include "support/address_tree.h"
#include "support/fatal.h"
#include "support/min_max.h"

static const char UNKNOWN[] = "a function";

struct symbols {
  const ElfW(Sym) * entries;
  const char *names;
  uint32_t count;
};

/* The header of DT_GNU_HASH, before `bloom_words` words, `buckets` symbol indices, and a hash for
 * each symbol from `first`. The lowest bit of a hash ends its bucket. */
struct hash_table {
  uint32_t buckets, first, bloom_words, bloom_shift;
};

/* It ends the bucket with the largest index. */
static uint32_t count_symbols(const struct hash_table *table) {
  const uint64_t *bloom = (const uint64_t *)(uintptr_t)(table + 1);
  const uint32_t *buckets = (const uint32_t *)(uintptr_t)(bloom + table->bloom_words);
  const uint32_t *hashes = buckets + table->buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < table->buckets; i++)
    last = buckets[i] > last ? buckets[i] : last;
  if (last < table->first)
    return 0;
  while ((hashes[last - table->first] & 1) == 0)
    last++;
  return last + 1;
}

/* The loader adds the load address to entries of a dynamic section, unless it is read-only. */
static const void *address_of(const struct link_map *object, const ElfW(Dyn) * entry) {
  return (const void *)(entry->d_un.d_ptr < object->l_addr ? entry->d_un.d_ptr + object->l_addr
                                                           : entry->d_un.d_ptr);
}

static struct symbols symbols_of(const struct link_map *object) {
  struct symbols symbols = {0};
  for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_SYMTAB)
      symbols.entries = address_of(object, entry);
    else if (entry->d_tag == DT_STRTAB)
      symbols.names = address_of(object, entry);
    else if (entry->d_tag == DT_GNU_HASH)
      symbols.count = count_symbols(address_of(object, entry));
  }
  return symbols.entries != NULL && symbols.names != NULL ? symbols : (struct symbols){0};
}

static const char *function_of(const struct link_map *object, uintptr_t instruction) {
  struct symbols symbols = symbols_of(object);
  for (uint32_t i = 0; i < symbols.count; i++) {
    const ElfW(Sym) *symbol = &symbols.entries[i];
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
        instruction - (object->l_addr + symbol->st_value) < symbol->st_size)
      return symbols.names + symbol->st_name;
  }
  return UNKNOWN;
}

/* Stored in the library's words of the record. The key is a name's lowest address, the value its
 * highest, the identity the record's address. */
struct added_names {
  struct address_node node;
  uint64_t number; /* of several names for an address, the one with the greatest number wins */
};

_Static_assert(sizeof(struct added_names) <= sizeof((struct spgc_code_names *)NULL)->library,
               "the words for the library are too few");

/* Under SPGC_LOCK_CODE_NAMES. */
static struct address_edit functions, variables;
static uint64_t additions;
static spgc_code_gone_hook *gone;

struct name_search {
  uintptr_t address;
  const struct spgc_code_name *found;
  uint64_t number; /* its record's */
};

static bool look_among(void *context, struct address_node *node) {
  struct name_search *search = context;
  const struct added_names *added = (const struct added_names *)node;
  const struct spgc_code_names *names = (const struct spgc_code_names *)node->identity;
  for (size_t i = 0; i < names->count && added->number > search->number; i++)
    if (search->address - names->names[i].start < names->names[i].size) {
      search->found = &names->names[i];
      search->number = added->number;
    }
  return false;
}

static const struct spgc_code_name *name_among(const struct address_edit *tree, uintptr_t address) {
  struct name_search search = {.address = address};
  spgc_address_tree_meet(tree->root, address, address, look_among, &search);
  return search.found;
}

/* Other names may be in between. */
static struct address_node extent_of(const struct spgc_code_names *names) {
  struct address_node extent = {.key = UINTPTR_MAX, .identity = (uintptr_t)names};
  for (size_t i = 0; i < names->count; i++) {
    const struct spgc_code_name *name = &names->names[i];
    if (name->size == 0)
      continue;
    extent.key = spgc_min(extent.key, name->start);
    extent.value = spgc_max(extent.value, name->start + name->size - 1);
  }
  return extent;
}

struct twin_search {
  const struct spgc_code_name *name;
  uint64_t number; /* of the list that has it, or 0 */
};

static bool look_for_twin(void *context, struct address_node *node) {
  struct twin_search *search = context;
  const struct spgc_code_names *names = (const struct spgc_code_names *)node->identity;
  for (size_t i = 0; i < names->count && search->number == 0; i++)
    if (names->names[i].start == search->name->start && names->names[i].name == search->name->name)
      search->number = ((const struct added_names *)node)->number;
  return search->number != 0;
}

/* The names added last win. A list that begins with a name of another takes its place, as the JIT's
 * do when they grow. */
static uint64_t number_of(const struct address_edit *tree, const struct spgc_code_names *names) {
  if (names->count == 0)
    return ++additions;
  struct twin_search search = {.name = names->names};
  spgc_address_tree_meet(tree->root, names->names->start, names->names->start, look_for_twin,
                         &search);
  return search.number != 0 ? search.number : ++additions;
}

static void require_names(const char *call, const struct spgc_code_names *names) {
  spgc_require(names != NULL, "%s: no names are given", call);
  spgc_require(names->names != NULL || names->count == 0, "%s: the %zu names are at null", call,
               names->count);
}

static void add(struct address_edit *tree, struct spgc_code_names *names, const char *call) {
  require_names(call, names);
  struct added_names *added = (struct added_names *)(void *)names->library;
  const struct address_node extent = extent_of(names);
  SPGC_LOCKED(SPGC_LOCK_CODE_NAMES);
  spgc_require(spgc_address_tree_find(tree->root, extent.key, extent.identity) == NULL,
               "%s: the names were added before", call);
  *added = (struct added_names){extent, number_of(tree, names)};
  spgc_address_tree_insert(tree, &added->node);
}

/* Returns their extent. */
static struct address_node take_out(struct address_edit *tree, const struct spgc_code_names *names,
                                    const char *call) {
  require_names(call, names);
  const struct address_node extent = extent_of(names);
  SPGC_LOCKED(SPGC_LOCK_CODE_NAMES);
  struct address_node *found = spgc_address_tree_find(tree->root, extent.key, extent.identity);
  spgc_require(found != NULL, "%s: the names were not added", call);
  spgc_address_tree_remove(tree, found);
  return extent;
}

void spgc_code_names_add(struct spgc_code_names *names) {
  add(&functions, names, __func__);
}

void spgc_variable_names_add(struct spgc_code_names *names) {
  add(&variables, names, __func__);
}

void spgc_variable_names_remove(struct spgc_code_names *names) {
  take_out(&variables, names, __func__);
}

static spgc_code_gone_hook *gone_hook(void) {
  SPGC_LOCKED(SPGC_LOCK_CODE_NAMES);
  return gone;
}

/* Calls the slow hook once for all names. */
void spgc_code_names_remove(struct spgc_code_names *names) {
  const struct address_node extent = take_out(&functions, names, __func__);
  spgc_code_gone_hook *hook = gone_hook();
  if (hook != NULL && extent.key <= extent.value)
    hook(extent.key, extent.value + 1);
}

void spgc_code_set_gone_hook(spgc_code_gone_hook *hook) {
  SPGC_LOCKED(SPGC_LOCK_CODE_NAMES);
  gone = hook;
}

SPGC_HOOK(spgc_set_source_finder, spgc_source_finder, SPGC_LOCK_CODE_NAMES)

_Thread_local uint16_t spgc_finding_source;

bool spgc_code_find_source(uintptr_t instruction, uint64_t statepoint_id,
                           struct spgc_code_source *source) {
  struct spgc_source_place place = {0};
  const struct hook finder = read_hook();
  if (finder.call == NULL)
    return false;
  spgc_finding_source++;
  bool found = finder.call(finder.context, instruction, statepoint_id, &place);
  spgc_finding_source--;
  if (!found || place.function == NULL)
    return false;
  snprintf(source->function, sizeof source->function, "%s", place.function);
  snprintf(source->file, sizeof source->file, "%s", place.file != NULL ? place.file : "");
  source->line = place.line;
  return true;
}

bool spgc_variable_find(uintptr_t address, char *text, size_t size) {
  SPGC_LOCKED(SPGC_LOCK_CODE_NAMES);
  const struct spgc_code_name *name = name_among(&variables, address);
  if (name != NULL && name->start == address)
    snprintf(text, size, "%s", name->name);
  else if (name != NULL)
    snprintf(text, size, "%s+%" PRIuPTR, name->name, address - name->start);
  return name != NULL;
}

const struct link_map *spgc_code_find_file(uintptr_t address, struct spgc_code_place *place) {
  struct dl_find_object found;
  *place = (struct spgc_code_place){.address = address};
  if (_dl_find_object((void *)address, &found) != 0)
    return NULL;
  const struct link_map *object = found.dlfo_link_map;
  place->address -= object->l_addr;
  place->is_program = object->l_name[0] == '\0';
  snprintf(place->file, sizeof place->file, "%s",
           place->is_program ? program_invocation_name : object->l_name);
  return object;
}

void spgc_code_find(uintptr_t instruction, struct spgc_code_place *place) {
  const struct link_map *object = spgc_code_find_file(instruction, place);
  if (object == NULL) {
    SPGC_LOCKED(SPGC_LOCK_CODE_NAMES);
    const struct spgc_code_name *name = name_among(&functions, instruction);
    place->is_named = name != NULL;
    snprintf(place->function, sizeof place->function, "%s", name != NULL ? name->name : "");
    return;
  }
  const char *function = function_of(object, instruction);
  place->is_named = function != UNKNOWN;
  snprintf(place->function, sizeof place->function, "%s", function);
}

void spgc_code_describe(const struct spgc_code_place *place, char *text, size_t size) {
  if (place->file[0] != '\0')
    snprintf(text, size, "%s (%s+0x%" PRIxPTR ")", place->function, place->file, place->address);
  else if (place->function[0] != '\0')
    snprintf(text, size, "%s (code at 0x%" PRIxPTR ")", place->function, place->address);
  else
    snprintf(text, size, "code at 0x%" PRIxPTR, place->address);
}
