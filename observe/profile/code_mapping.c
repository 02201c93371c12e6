#include "observe/profile/code_mapping.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gc/inspect.h"

static void write_digits(const unsigned char *bytes, size_t count, char *text, size_t size) {
  if (2 * count >= size)
    return;
  for (size_t i = 0; i < count; i++)
    snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static size_t padded(size_t size, size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

static void read_notes(const char *notes, size_t bytes, size_t alignment, char *text, size_t size) {
  const ElfW(Nhdr) * note;
  for (size_t at = 0; at + sizeof *note <= bytes;) {
    note = (const ElfW(Nhdr) *)(const void *)(notes + at);
    size_t name = at + sizeof *note, contents = padded(name + note->n_namesz, alignment);
    if (contents > bytes || note->n_descsz > bytes - contents)
      return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof "GNU" &&
        memcmp(notes + name, "GNU", sizeof "GNU") == 0)
      write_digits((const unsigned char *)notes + contents, note->n_descsz, text, size);
    at = padded(contents + note->n_descsz, alignment);
  }
}

static void find_build_id(const struct spgc_loaded_image *image, char *text, size_t size) {
  for (unsigned i = 0; i < image->count && text[0] == '\0'; i++) {
    const ElfW(Phdr) *segment = &image->segments[i];
    if (segment->p_type == PT_NOTE &&
        spgc_loaded_segment(image, image->base + segment->p_vaddr) != NULL)
      read_notes((const char *)image->base + segment->p_vaddr, segment->p_memsz,
                 segment->p_align == 8 ? 8 : 4, text, size);
  }
}

bool spgc_code_mapping_find(uintptr_t instruction, struct spgc_code_mapping *mapping) {
  struct spgc_loaded_image image;
  if (!spgc_loaded_image_find(instruction, &image))
    return false;
  const ElfW(Phdr) *segment = spgc_loaded_segment(&image, instruction);
  if (segment == NULL)
    return false;
  *mapping = (struct spgc_code_mapping){.start = image.base + segment->p_vaddr,
                                        .limit = image.base + segment->p_vaddr + segment->p_memsz,
                                        .offset = segment->p_offset};
  find_build_id(&image, mapping->build_id, sizeof mapping->build_id);
  return true;
}
