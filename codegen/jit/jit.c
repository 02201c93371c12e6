#include "spgc/jit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "codegen/emit/module_note.h"
#include "codegen/emit/target.h"
#include "codegen/jit/jit_object.h"
#include "codegen/jit/jit_relocation.h"
#include "spgc/allocate.h"
#include "spgc/exception.h"
#include "spgc/fork.h"
#include "spgc/generated.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/module.h"
#include "spgc/thread.h"
#include "support/cancellation.h"
#include "support/fatal.h"

/* Under the lock. */
struct spgc_jit {
  pthread_mutex_t lock;
  struct spgc_fork_lock fork_lock; /* so that a forked child can use the JIT */
  struct jit_memory memory;
};

/* Removed data that may have type descriptors is kept until it has this many bytes, or as many as
 * the heap used the last time: asking takes a full collection. */
static const size_t RETIRED_AT_ONCE = (size_t)1 << 20;

/* Arena and unwind tables belong to the process, so only one can exist. */
static struct spgc_jit *the_jit;

/* Generated code calls these. Programs need not export them. */
#define ENTRY_POINTS(X)                                                                            \
  X(spgc_allocate_slow)                                                                            \
  X(spgc_poll_slow)                                                                                \
  X(spgc_check_number)                                                                             \
  X(spgc_check_words)                                                                              \
  X(spgc_check_copy)                                                                               \
  X(spgc_allocate)                                                                                 \
  X(spgc_allocate_array)                                                                           \
  X(spgc_store)                                                                                    \
  X(spgc_exchange)                                                                                 \
  X(spgc_compare_exchange)                                                                         \
  X(spgc_object_size)                                                                              \
  X(spgc_is_heap_reference)                                                                        \
  X(spgc_call_blocking)                                                                            \
  X(spgc_call_managed)                                                                             \
  X(spgc_collect)                                                                                  \
  X(spgc_scope_open)                                                                               \
  X(spgc_scope_close)                                                                              \
  X(spgc_handle_make)                                                                              \
  X(spgc_global_handle_make)                                                                       \
  X(spgc_global_handle_release)                                                                    \
  X(spgc_personality)                                                                              \
  X(spgc_exception)                                                                                \
  X(spgc_unwind)                                                                                   \
  ELEMENT_COPIES(X, 1) ELEMENT_COPIES(X, 2) ELEMENT_COPIES(X, 4) ELEMENT_COPIES(X, 8)
#define ELEMENT_COPIES(X, width)                                                                   \
  X(__llvm_memcpy_element_unordered_atomic_safepoint_##width)                                      \
  X(__llvm_memmove_element_unordered_atomic_safepoint_##width)                                     \
  X(__llvm_memcpy_element_unordered_atomic_##width)                                                \
  X(__llvm_memmove_element_unordered_atomic_##width)                                               \
  X(__llvm_memset_element_unordered_atomic_##width)

static enum spgc_result define(struct spgc_jit *jit, const char *name, void *address,
                               struct spgc_error *error) {
  struct jit_symbols *symbols = &jit->memory.symbols;
  const struct jit_symbol *known = spgc_jit_symbols_find(symbols, name);
  if (known != NULL)
    return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0,
                          "%s is defined twice: in %s and by the program", name,
                          known->owner != NULL ? jit_object_name(known->owner) : "the program");
  if (spgc_jit_symbols_define(symbols, name, (uintptr_t)address))
    return SPGC_OK;
  return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "cannot define %s: out of memory", name);
}

static enum spgc_result define_entry_points(struct spgc_jit *jit, struct spgc_error *error) {
#define ENTRY_POINT(function) {#function, (void *)(uintptr_t)(function)},
  static const struct {
    const char *name;
    void *address;
  } entries[] = {ENTRY_POINTS(ENTRY_POINT){SPGC_JIT_MARK, &the_jit}};
#undef ENTRY_POINT
  enum spgc_result result = SPGC_OK;
  for (size_t i = 0; i < sizeof entries / sizeof *entries && result == SPGC_OK; i++)
    result = define(jit, entries[i].name, entries[i].address, error);
  return result;
}

static unsigned find_listener(const char *words, size_t length) {
  if (length == 3 && strncmp(words, "gdb", length) == 0)
    return SPGC_JIT_GDB;
  return length == 4 && strncmp(words, "perf", length) == 0 ? SPGC_JIT_PERF : 0;
}

static enum spgc_result listen(struct spgc_jit *jit, unsigned listeners, struct spgc_error *error) {
  if ((listeners & ~(unsigned)(SPGC_JIT_GDB | SPGC_JIT_PERF)) != 0)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_jit_listen: there are no such listeners: %#x", listeners);
  if (listeners & SPGC_JIT_GDB)
    jit->memory.tells_gdb = true;
  if ((listeners & SPGC_JIT_PERF) && jit->memory.perf.file == NULL)
    return spgc_jit_perf_open(&jit->memory.perf, error);
  return SPGC_OK;
}

static enum spgc_result listen_as_asked(struct spgc_jit *jit, struct spgc_error *error) {
  const char *words = secure_getenv("SPGC_JIT_LISTENERS");
  if (words == NULL || *words == '\0')
    return SPGC_OK;
  unsigned listeners = 0;
  for (size_t at = 0, length;; at += length + 1) {
    length = strcspn(words + at, ",");
    unsigned listener = find_listener(words + at, length);
    if (listener == 0)
      return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, at,
                            "SPGC_JIT_LISTENERS: neither gdb nor perf: \"%.*s\"",
                            length < 64 ? (int)length : 64, words + at);
    listeners |= listener;
    if (words[at + length] == '\0')
      return listen(jit, listeners, error);
  }
}

static enum spgc_result open_memory(struct jit_memory *memory, struct spgc_error *error) {
  enum spgc_result result =
      spgc_jit_arena_reserve(&memory->arena, spgc_jit_relocator_of_host()->code_bytes, error);
  if (result != SPGC_OK)
    return result;
  spgc_jit_patch_open(&memory->patches, &memory->arena);
  if (spgc_jit_unwind_open(&memory->unwind, &memory->arena) &&
      spgc_jit_names_open(&memory->names, &memory->arena) && spgc_jit_objects_open(&memory->loaded))
    return SPGC_OK;
  spgc_jit_names_close(&memory->names);
  spgc_jit_unwind_close(&memory->unwind);
  spgc_jit_arena_release(&memory->arena);
  return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "cannot create a JIT: out of memory");
}

enum spgc_result spgc_jit_create(struct spgc_jit **created, struct spgc_error *error) {
  spgc_require_use(created != NULL, "no place for the JIT is given");
  if (spgc_llvm_require_initialised(error) != SPGC_OK)
    return SPGC_ERROR_STATE;
  if (the_jit != NULL)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "the process has a JIT already");
  struct spgc_jit *jit = calloc(1, sizeof *jit);
  if (jit == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "cannot create a JIT: out of memory");
  enum spgc_result result = open_memory(&jit->memory, error);
  if (result != SPGC_OK) {
    free(jit);
    return result;
  }
  pthread_mutex_init(&jit->lock, NULL);
  jit->fork_lock.mutex = &jit->lock;
  spgc_fork_lock_add(&jit->fork_lock);
  the_jit = jit;
  result = define_entry_points(jit, error);
  if (result == SPGC_OK)
    result = listen_as_asked(jit, error);
  if (result != SPGC_OK)
    spgc_jit_destroy(jit);
  else
    *created = jit;
  return result;
}

static void forget_retired(struct jit_memory *memory) {
  for (struct spgc_jit_object *object; (object = memory->retired) != NULL;) {
    memory->retired = object->next;
    spgc_jit_object_forget(memory, object);
  }
}

/* Bindings between objects do not matter, because all are freed. */
static void remove_all(struct jit_memory *memory) {
  for (size_t i = 0; i < memory->loaded.bucket_count; i++)
    while (memory->loaded.buckets[i] != NULL)
      spgc_jit_object_remove(memory, memory->loaded.buckets[i]);
  forget_retired(memory);
}

void spgc_jit_destroy(struct spgc_jit *jit) {
  if (jit == NULL)
    return;
  SPGC_UNCANCELLED;
  remove_all(&jit->memory);
  spgc_jit_patch_free(&jit->memory.patches);
  spgc_jit_perf_close(&jit->memory.perf);
  spgc_jit_symbols_free(&jit->memory.symbols);
  spgc_jit_objects_close(&jit->memory.loaded);
  spgc_jit_names_close(&jit->memory.names);
  spgc_jit_unwind_close(&jit->memory.unwind);
  spgc_jit_arena_release(&jit->memory.arena);
  spgc_fork_lock_remove(&jit->fork_lock);
  pthread_mutex_destroy(&jit->lock);
  the_jit = NULL;
  free(jit);
}

static bool look_up(struct spgc_jit *jit, const char *name, uintptr_t *address) {
  pthread_mutex_lock(&jit->lock);
  const struct jit_symbol *symbol = spgc_jit_symbols_find(&jit->memory.symbols, name);
  if (symbol != NULL)
    *address = symbol->address;
  pthread_mutex_unlock(&jit->lock);
  return symbol != NULL;
}

static bool note_unknown(const struct jit_symbols *symbols, struct jit_image *image) {
  bool some = false;
  for (uint64_t i = 1; i < image->symbol_count; i++) {
    Elf64_Sym symbol = spgc_jit_image_symbol(image, i);
    if (symbol.st_shndx != SHN_UNDEF || image->targets[i].is_unknown ||
        spgc_jit_symbols_find(symbols, spgc_jit_image_symbol_name(image, &symbol)) != NULL)
      continue;
    some = image->targets[i].is_unknown = true;
  }
  return some;
}

static void ask_process(struct jit_image *image) {
  for (uint64_t i = 1; i < image->symbol_count; i++) {
    Elf64_Sym symbol = spgc_jit_image_symbol(image, i);
    if (image->targets[i].is_unknown)
      image->targets[i].in_process =
          spgc_jit_symbol_of_process(spgc_jit_image_symbol_name(image, &symbol));
  }
}

/* Looks symbols up without the JIT's lock: the loader holds its own lock while it calls a library's
 * constructor, which may call the JIT. */
static void lock_with_symbols(struct spgc_jit *jit, struct jit_image *image) {
  pthread_mutex_lock(&jit->lock);
  while (note_unknown(&jit->memory.symbols, image)) {
    pthread_mutex_unlock(&jit->lock);
    ask_process(image);
    pthread_mutex_lock(&jit->lock);
  }
}

static enum spgc_result load(struct spgc_jit *jit, struct jit_image *image,
                             struct spgc_jit_object **added, struct spgc_error *error) {
  struct spgc_jit_object *object;
  lock_with_symbols(jit, image);
  enum spgc_result result = spgc_jit_object_load(&jit->memory, image, &object, error);
  if (result == SPGC_OK)
    spgc_jit_objects_enter(&jit->memory.loaded, object);
  pthread_mutex_unlock(&jit->lock);
  if (result != SPGC_OK)
    return result;
  if (added != NULL)
    *added = object;
  return SPGC_OK;
}

static enum spgc_result remove_object(struct spgc_jit *jit, struct spgc_jit_object *object,
                                      struct spgc_error *error) {
  if (!spgc_jit_objects_have(&jit->memory.loaded, object))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0, "the object is not loaded");
  enum spgc_result result = spgc_jit_object_may_go(object, error);
  if (result == SPGC_OK)
    spgc_jit_object_remove(&jit->memory, object);
  return result;
}

enum spgc_result spgc_jit_define(struct spgc_jit *jit, const char *name, void *address,
                                 struct spgc_error *error) {
  spgc_require_use(jit != NULL && name != NULL, "no JIT or no name is given");
  SPGC_UNCANCELLED;
  pthread_mutex_lock(&jit->lock);
  enum spgc_result result = define(jit, name, address, error);
  pthread_mutex_unlock(&jit->lock);
  return result;
}

enum spgc_result spgc_jit_lookup(struct spgc_jit *jit, const char *name, void **address,
                                 struct spgc_error *error) {
  spgc_require_use(jit != NULL && name != NULL && address != NULL,
                   "no JIT, no name or no place for the address is given");
  SPGC_UNCANCELLED;
  uintptr_t found;
  if (!look_up(jit, name, &found))
    found = spgc_jit_symbol_of_process(name);
  if (found == 0)
    return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0, "nothing defines the symbol %s", name);
  *address = (void *)found; /* NOLINT */
  return SPGC_OK;
}

enum spgc_result spgc_jit_add(struct spgc_jit *jit, LLVMMemoryBufferRef buffer,
                              struct spgc_jit_object **added, struct spgc_error *error) {
  struct jit_image image;
  spgc_require_use(jit != NULL && buffer != NULL, "no JIT or no buffer is given");
  SPGC_UNCANCELLED;
  enum spgc_result result =
      spgc_jit_image_open(&image, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), error);
  if (result == SPGC_OK)
    result = load(jit, &image, added, error);
  spgc_jit_image_close(&image);
  LLVMDisposeMemoryBuffer(buffer);
  return result;
}

/* In one order. */
struct census {
  struct spgc_jit_object *objects;
  struct spgc_type_range *ranges;
  size_t range_count;
};

static bool add_range(const struct jit_arena *arena, struct spgc_type_range *range,
                      struct jit_span span) {
  uintptr_t start = (uintptr_t)jit_span_start(arena, span);
  *range = (struct spgc_type_range){start, start + span.size, 0};
  return span.size != 0;
}

static bool begin_census(struct jit_memory *memory, struct census *census) {
  size_t in_use = memory->retired_bytes - memory->retired_since;
  if (memory->retired_since < RETIRED_AT_ONCE || memory->retired_since < in_use)
    return false;
  size_t count = 0;
  for (const struct spgc_jit_object *one = memory->retired; one != NULL; one = one->next)
    count++;
  *census = (struct census){.objects = memory->retired,
                            .ranges = calloc(2 * count + 1, sizeof *census->ranges)};
  if (census->ranges == NULL)
    return false;
  for (const struct spgc_jit_object *one = memory->retired; one != NULL; one = one->next) {
    census->range_count +=
        add_range(&memory->arena, &census->ranges[census->range_count], one->spans[JIT_CONSTANTS]);
    census->range_count +=
        add_range(&memory->arena, &census->ranges[census->range_count], one->spans[JIT_DATA]);
  }
  memory->retired = NULL;
  memory->retired_since = 0;
  return true;
}

static uint64_t take_count(const struct spgc_type_range **range, struct jit_span span) {
  return span.size != 0 ? (*range)++->count : 0;
}

static void end_census(struct jit_memory *memory, const struct census *census, bool counted) {
  const struct spgc_type_range *range = census->ranges;
  for (struct spgc_jit_object *one = census->objects, *next; one != NULL; one = next) {
    next = one->next;
    uint64_t users = take_count(&range, one->spans[JIT_CONSTANTS]);
    users += take_count(&range, one->spans[JIT_DATA]);
    if (counted && users == 0) {
      spgc_jit_object_forget(memory, one);
      continue;
    }
    one->next = memory->retired;
    memory->retired = one;
  }
  free(census->ranges);
}

/* Counts without the lock, because a collection waits for threads that may want it. */
static void free_retired(struct spgc_jit *jit) {
  struct census census;
  pthread_mutex_lock(&jit->lock);
  bool begun = begin_census(&jit->memory, &census);
  pthread_mutex_unlock(&jit->lock);
  if (!begun)
    return;
  bool counted = spgc_types_count(census.ranges, census.range_count);
  pthread_mutex_lock(&jit->lock);
  end_census(&jit->memory, &census, counted);
  pthread_mutex_unlock(&jit->lock);
}

enum spgc_result spgc_jit_remove(struct spgc_jit *jit, struct spgc_jit_object *object,
                                 struct spgc_error *error) {
  spgc_require_use(jit != NULL, "no JIT is given");
  SPGC_UNCANCELLED;
  pthread_mutex_lock(&jit->lock);
  enum spgc_result result = remove_object(jit, object, error);
  pthread_mutex_unlock(&jit->lock);
  free_retired(jit);
  return result;
}

enum spgc_result spgc_jit_listen(struct spgc_jit *jit, unsigned listeners,
                                 struct spgc_error *error) {
  spgc_require_use(jit != NULL, "no JIT is given");
  SPGC_UNCANCELLED;
  pthread_mutex_lock(&jit->lock);
  enum spgc_result result = listen(jit, listeners, error);
  pthread_mutex_unlock(&jit->lock);
  return result;
}

enum spgc_result spgc_jit_patch_call(struct spgc_jit *jit, void *sled_end, size_t sled_bytes,
                                     void *target, struct spgc_error *error) {
  spgc_require_use(jit != NULL && target != NULL, "no JIT or no target is given");
  SPGC_UNCANCELLED;
  pthread_mutex_lock(&jit->lock);
  enum spgc_result result = spgc_jit_patch_set(&jit->memory.patches, (uintptr_t)sled_end,
                                               sled_bytes, (uintptr_t)target, error);
  pthread_mutex_unlock(&jit->lock);
  return result;
}
