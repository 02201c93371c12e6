#include "codegen/jit/jit_gdb.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct jit_gdb_entry {
  struct jit_gdb_entry *next, *previous;
  const char *file;
  uint64_t size;
};
enum action { NONE, REGISTER, UNREGISTER };
struct jit_descriptor {
  uint32_t version, action;
  struct jit_gdb_entry *relevant, *first;
};

/* LLVM defines both. `lock` guards descriptor and entries. */
extern struct jit_descriptor __jit_debug_descriptor;
extern void __jit_debug_register_code(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void tell(enum action action, struct jit_gdb_entry *entry) {
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_descriptor.action = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action = NONE;
}

static void add_entry(struct jit_gdb_entry *entry) {
  pthread_mutex_lock(&lock);
  entry->next = __jit_debug_descriptor.first;
  if (entry->next != NULL)
    entry->next->previous = entry;
  __jit_debug_descriptor.first = entry;
  tell(REGISTER, entry);
  pthread_mutex_unlock(&lock);
}

static void remove_entry(struct jit_gdb_entry *entry) {
  pthread_mutex_lock(&lock);
  if (entry->previous != NULL)
    entry->previous->next = entry->next;
  else
    __jit_debug_descriptor.first = entry->next;
  if (entry->next != NULL)
    entry->next->previous = entry->previous;
  tell(UNREGISTER, entry);
  pthread_mutex_unlock(&lock);
}

void spgc_jit_gdb_add(struct jit_gdb_object *object, const struct jit_image *image) {
  struct jit_gdb_entry *entry = malloc(sizeof *entry + image->elf.size);
  if (entry == NULL)
    return;
  char *file = (char *)(entry + 1);
  memcpy(file, image->elf.bytes, image->elf.size);
  for (uint64_t i = 1; i < image->elf.header_count; i++) {
    Elf64_Shdr header = image->sections[i].header;
    header.sh_addr = image->sections[i].part != JIT_NOT_LOADED ? image->sections[i].address : 0;
    memcpy(file + image->elf.headers_at + i * sizeof header, &header, sizeof header);
  }
  *entry = (struct jit_gdb_entry){.file = file, .size = image->elf.size};
  object->entry = entry;
  add_entry(entry);
}

void spgc_jit_gdb_remove(struct jit_gdb_object *object) {
  if (object->entry == NULL)
    return;
  remove_entry(object->entry);
  free(object->entry);
  object->entry = NULL;
}
