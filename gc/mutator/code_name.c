#include "gc/mutator/code_name.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>

/* The loaded object's dynamic symbols. */
struct symbols {
  const ElfW(Sym) * entries;
  const char *names;
  uint32_t count;
};

/* DT_GNU_HASH: this, `bloom_words` words, `buckets` indices of symbols, and for each symbol from
 * `first` on its hash, whose lowest bit ends a bucket. */
struct hash_table {
  uint32_t buckets, first, bloom_words, bloom_shift;
};

/* Of all symbols: the last is in the bucket that begins last. */
static uint32_t count_symbols(const struct hash_table *table) {
  const uint64_t *bloom = (const uint64_t *)(const void *)(table + 1);
  const uint32_t *buckets = (const uint32_t *)(const void *)(bloom + table->bloom_words);
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

/* The loader adds where the object lies to addresses in its dynamic section, unless that is
 * constant. */
static const void *address_of(const struct link_map *object, const ElfW(Dyn) * entry) {
  return (const void *)(entry->d_un.d_ptr < object->l_addr ? entry->d_un.d_ptr + object->l_addr : entry->d_un.d_ptr);
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
  return "a function";
}

void spgc_code_describe(uintptr_t instruction, char *text, size_t size) {
  struct dl_find_object found;
  if (_dl_find_object((void *)instruction, &found) != 0) {
    snprintf(text, size, "code at 0x%" PRIxPTR, instruction);
    return;
  }
  const char *file = found.dlfo_link_map->l_name;
  snprintf(text, size, "%s (%s+0x%" PRIxPTR ")", function_of(found.dlfo_link_map, instruction),
           file[0] != '\0' ? file : program_invocation_name, instruction - (uintptr_t)found.dlfo_map_start);
}
