#include "gc/roots/loaded_object.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

/* Weak, because a static program has no loader. */
extern __typeof__(dlopen) dlopen __attribute__((weak));

/* Of an executable linked for larger pages than the system's, _dl_find_object gives one segment.
 * The kernel says where the program headers are. */
static bool image_of_executable(const struct link_map *map, struct spgc_loaded_image *image) {
  *image = (struct spgc_loaded_image){map->l_addr, (const ElfW(Phdr) *)getauxval(AT_PHDR),
                                      (unsigned)getauxval(AT_PHNUM)};
  return map->l_name[0] == '\0' && image->segments != NULL &&
         getauxval(AT_PHENT) == sizeof *image->segments;
}

/* Linkers put the header into the first segment. */
bool spgc_loaded_image_of(const struct dl_find_object *found, struct spgc_loaded_image *image) {
  const ElfW(Ehdr) *header = found->dlfo_map_start;
  size_t mapped = (size_t)((const char *)found->dlfo_map_end - (const char *)found->dlfo_map_start);
  if (mapped < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return image_of_executable(found->dlfo_link_map, image);
  if (header->e_phentsize != sizeof *image->segments)
    return false;
  *image = (struct spgc_loaded_image){
      found->dlfo_link_map->l_addr,
      (const ElfW(Phdr) *)(const void *)((const char *)header + header->e_phoff), header->e_phnum};
  return header->e_phoff + header->e_phnum * sizeof *image->segments <= mapped;
}

bool spgc_loaded_image_find(uintptr_t address, struct spgc_loaded_image *image) {
  struct dl_find_object found;
  return _dl_find_object((void *)address, &found) == 0 && spgc_loaded_image_of(&found, image);
}

const ElfW(Phdr) * spgc_loaded_segment(const struct spgc_loaded_image *image, uintptr_t address) {
  for (unsigned i = 0; i < image->count; i++) {
    const ElfW(Phdr) *segment = &image->segments[i];
    if (segment->p_type == PT_LOAD && address - image->base - segment->p_vaddr < segment->p_memsz)
      return segment;
  }
  return NULL;
}

struct search {
  uintptr_t address;
  size_t bytes;
};

static bool search_image(struct search *search, const struct spgc_loaded_image *image) {
  const ElfW(Phdr) *segment = spgc_loaded_segment(image, search->address);
  if (segment != NULL)
    search->bytes = image->base + segment->p_vaddr + segment->p_memsz - search->address;
  return segment != NULL;
}

static int search_object(struct dl_phdr_info *object, size_t info_size, void *context) {
  const struct spgc_loaded_image image = {object->dlpi_addr, object->dlpi_phdr, object->dlpi_phnum};
  return search_image(context, &image);
}

size_t spgc_loaded_bytes(const void *address) {
  struct search search = {.address = (uintptr_t)address};
  struct spgc_loaded_image image;
  if (!spgc_loaded_image_find(search.address, &image) || !search_image(&search, &image))
    dl_iterate_phdr(search_object, &search);
  return search.bytes;
}

/* Leaves the handle open, so the library stays. The executable has no name. */
void spgc_loaded_keep(const void *address) {
  struct dl_find_object found;
  if (dlopen != NULL && _dl_find_object((void *)(uintptr_t)address, &found) == 0 &&
      found.dlfo_link_map->l_name[0] != '\0')
    dlopen(found.dlfo_link_map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
