#include "spgc/jit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>

#include "codegen/emit/object_file.h"
#include "codegen/emit/target.h"
#include "codegen/jit/jit_object.h"
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

/* All fields are read and written under the lock. */
struct spgc_jit {
  pthread_mutex_t lock;
  struct spgc_fork_lock fork_lock; /* holds the lock during a fork, so that the child can use the
                                      JIT whatever other threads did with it */
  struct jit_memory memory;
  LLVMOrcLLJITRef lljit;
  LLVMOrcObjectLayerRef layer; /* owned by lljit */
  struct spgc_jit_object *objects;
  char report[SPGC_ERROR_MESSAGE_SIZE]; /* the reason that ORC last reported beside an error it
                                           returned; empty: none */
};

struct spgc_jit_object {
  LLVMOrcResourceTrackerRef tracker;
  struct spgc_jit_object *next;
};

/* Only one JIT can exist, because the library's arena and unwind table belong to the process.
 * Written when a JIT is created or destroyed. */
static struct spgc_jit *the_jit;

/* ORC returns "failed to materialise", and reports the reason separately. */
static void keep_report(void *context, LLVMErrorRef reason) {
  struct spgc_jit *jit = context;
  char *text = LLVMGetErrorMessage(reason);
  if (jit->report[0] == '\0')
    snprintf(jit->report, sizeof jit->report, "%s", text);
  LLVMDisposeErrorMessage(text);
}

/* An error of the linker or loader. */
static void describe(const struct spgc_jit *jit, const char *text, struct spgc_error *error) {
  spgc_error_set(error, SPGC_ERROR_SYSTEM, 0, "%s", jit->report[0] != '\0' ? jit->report : text);
  for (char *newline; (newline = strchr(error->message, '\n')) != NULL;)
    *newline = ' ';
}

/* An object that the library refused fails with the library's own error. */
static enum spgc_result fail(struct spgc_jit *jit, LLVMErrorRef reason, struct spgc_error *error) {
  char *text = LLVMGetErrorMessage(reason);
  struct spgc_error found = jit->memory.refusal;
  if (found.code == SPGC_OK)
    describe(jit, text, &found);
  if (error != NULL)
    *error = found;
  LLVMDisposeErrorMessage(text);
  jit->report[0] = '\0';
  jit->memory.refusal.code = SPGC_OK;
  return found.code;
}

static LLVMOrcObjectLayerRef create_layer(void *context, LLVMOrcExecutionSessionRef session,
                                          const char *triple) {
  struct spgc_jit *jit = context;
  jit->layer = spgc_jit_object_layer_create(&jit->memory, session);
  return jit->layer;
}

static LLVMErrorRef create_lljit(struct spgc_jit *jit) {
  LLVMOrcJITTargetMachineBuilderRef machine;
  LLVMErrorRef failed = LLVMOrcJITTargetMachineBuilderDetectHost(&machine);
  if (failed != NULL)
    return failed;
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, machine);
  LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, create_layer, jit);
  return LLVMOrcCreateLLJIT(&jit->lljit, builder);
}

static LLVMErrorRef define_symbols(struct spgc_jit *jit, const char *const *names,
                                   void *const *addresses, size_t count) {
  LLVMOrcCSymbolMapPair *pairs = calloc(count, sizeof *pairs);
  spgc_require(pairs != NULL, "out of memory");
  for (size_t i = 0; i < count; i++) {
    pairs[i].Name = LLVMOrcLLJITMangleAndIntern(jit->lljit, names[i]);
    pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)addresses[i];
    pairs[i].Sym.Flags.GenericFlags =
        LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable;
  }
  LLVMOrcJITDylibRef main = LLVMOrcLLJITGetMainJITDylib(jit->lljit);
  LLVMErrorRef failed = LLVMOrcJITDylibDefine(main, LLVMOrcAbsoluteSymbols(pairs, count));
  free(pairs);
  return failed;
}

/* The functions that generated code calls. They are listed so that a program that links the library
 * statically need not export them. */
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

static LLVMErrorRef define_entry_points(struct spgc_jit *jit) {
#define ENTRY_NAME(function) #function,
#define ENTRY_ADDRESS(function) (void *)(uintptr_t)(function),
  static const char *const names[] = {ENTRY_POINTS(ENTRY_NAME)};
  void *const addresses[] = {ENTRY_POINTS(ENTRY_ADDRESS)};
#undef ENTRY_NAME
#undef ENTRY_ADDRESS
  return define_symbols(jit, names, addresses, sizeof names / sizeof *names);
}

static LLVMErrorRef search_process(struct spgc_jit *jit) {
  LLVMOrcDefinitionGeneratorRef generator;
  char prefix = LLVMOrcLLJITGetGlobalPrefix(jit->lljit);
  LLVMErrorRef failed =
      LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&generator, prefix, NULL, NULL);
  if (failed == NULL)
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit->lljit), generator);
  return failed;
}

/* The listener with the name words[0, length); 0 if there is none. */
static unsigned find_listener(const char *words, size_t length) {
  if (length == 3 && strncmp(words, "gdb", length) == 0)
    return SPGC_JIT_GDB;
  return length == 4 && strncmp(words, "perf", length) == 0 ? SPGC_JIT_PERF : 0;
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
      return spgc_jit_object_layer_listen(jit->layer, listeners, error);
  }
}

static enum spgc_result start_session(struct spgc_jit *jit, struct spgc_error *error) {
  LLVMErrorRef failed = create_lljit(jit);
  if (failed != NULL)
    return fail(jit, failed, error);
  LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit->lljit), keep_report,
                                          jit);
  failed = define_entry_points(jit);
  if (failed == NULL)
    failed = search_process(jit);
  return failed != NULL ? fail(jit, failed, error) : listen_as_asked(jit, error);
}

enum spgc_result spgc_jit_create(struct spgc_jit **created, struct spgc_error *error) {
  if (spgc_llvm_require_initialised(error) != SPGC_OK)
    return SPGC_ERROR_STATE;
  if (the_jit != NULL)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "the process has a JIT already");
  struct spgc_jit *jit = calloc(1, sizeof *jit);
  if (jit == NULL || !spgc_jit_arena_reserve(&jit->memory.arena)) {
    free(jit);
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "cannot reserve address space for generated code");
  }
  pthread_mutex_init(&jit->lock, NULL);
  jit->fork_lock.mutex = &jit->lock;
  spgc_fork_lock_add(&jit->fork_lock);
  jit->memory.unwind.arena = &jit->memory.arena;
  spgc_jit_patch_open(&jit->memory.patches, &jit->memory.arena);
  the_jit = jit;
  enum spgc_result result = start_session(jit, error);
  if (result != SPGC_OK)
    spgc_jit_destroy(jit);
  else
    *created = jit;
  return result;
}

void spgc_jit_destroy(struct spgc_jit *jit) {
  if (jit == NULL)
    return;
  for (struct spgc_jit_object *object = jit->objects, *next; object != NULL; object = next) {
    next = object->next;
    LLVMOrcReleaseResourceTracker(object->tracker);
    free(object);
  }
  LLVMErrorRef failed = jit->lljit != NULL ? LLVMOrcDisposeLLJIT(jit->lljit) : NULL;
  spgc_require(failed == NULL, "%s", LLVMGetErrorMessage(failed));
  spgc_jit_patch_free(&jit->memory.patches);
  while (jit->memory.retired != NULL)
    spgc_jit_memory_free_retired(&jit->memory, jit->memory.retired->number);
  spgc_jit_arena_release(&jit->memory.arena);
  spgc_fork_lock_remove(&jit->fork_lock);
  pthread_mutex_destroy(&jit->lock);
  the_jit = NULL;
  free(jit);
}

static enum spgc_result define(struct spgc_jit *jit, const char *name, void *address,
                               struct spgc_error *error) {
  LLVMErrorRef failed = define_symbols(jit, &name, &address, 1);
  return failed != NULL ? fail(jit, failed, error) : SPGC_OK;
}

static enum spgc_result look_up(struct spgc_jit *jit, const char *name, void **address,
                                struct spgc_error *error) {
  LLVMOrcExecutorAddress found;
  LLVMErrorRef failed = LLVMOrcLLJITLookup(jit->lljit, &found, name);
  if (failed != NULL)
    return fail(jit, failed, error);
  *address = (void *)(uintptr_t)found;
  return SPGC_OK;
}

static enum spgc_result drop(struct spgc_jit *jit, struct spgc_jit_object *object,
                             struct spgc_error *error) {
  LLVMErrorRef failed = LLVMOrcResourceTrackerRemove(object->tracker);
  LLVMOrcReleaseResourceTracker(object->tracker);
  free(object);
  return failed != NULL ? fail(jit, failed, error) : SPGC_OK;
}

/* ORC loads an object when one of its symbols is looked up. Looking one up at once reports
 * undefined symbols and rejected stack maps here. Takes ownership of `symbol`. */
static enum spgc_result load(struct spgc_jit *jit, LLVMMemoryBufferRef buffer,
                             struct spgc_jit_object *object, char *symbol,
                             struct spgc_error *error) {
  jit->memory.image = LLVMGetBufferStart(buffer);
  jit->memory.image_size = LLVMGetBufferSize(buffer);
  LLVMErrorRef failed = LLVMOrcLLJITAddObjectFileWithRT(jit->lljit, object->tracker, buffer);
  enum spgc_result result = failed != NULL ? fail(jit, failed, error) : SPGC_OK;
  void *address;
  if (result == SPGC_OK && symbol != NULL)
    result = look_up(jit, symbol, &address, error);
  jit->memory.image = NULL;
  free(symbol);
  return result;
}

static enum spgc_result add(struct spgc_jit *jit, LLVMMemoryBufferRef buffer,
                            struct spgc_jit_object **added, struct spgc_error *error) {
  const char *exported;
  const char *bytes = LLVMGetBufferStart(buffer);
  size_t size = LLVMGetBufferSize(buffer);
  enum spgc_result result = spgc_object_file_exported_symbol(bytes, size, &exported, error);
  if (result == SPGC_OK && spgc_object_file_has_section(bytes, size, SPGC_MODULE_NOTE_SECTION))
    result = spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                            "the object was lowered ahead of time: lower it with "
                            "options.code = SPGC_CODE_JIT, and emit it with the same options");
  if (result != SPGC_OK) {
    LLVMDisposeMemoryBuffer(buffer);
    return result;
  }
  struct spgc_jit_object *object = calloc(1, sizeof *object);
  char *symbol = exported != NULL ? strdup(exported) : NULL;
  spgc_require(object != NULL && (exported == NULL || symbol != NULL), "out of memory");
  object->tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit->lljit));
  result = load(jit, buffer, object, symbol, error);
  if (result != SPGC_OK) {
    drop(jit, object, NULL);
    return result;
  }
  object->next = jit->objects;
  jit->objects = object;
  if (added != NULL)
    *added = object;
  return SPGC_OK;
}

static enum spgc_result remove_object(struct spgc_jit *jit, struct spgc_jit_object *object,
                                      struct spgc_error *error) {
  struct spgc_jit_object **link = &jit->objects;
  while (*link != NULL && *link != object)
    link = &(*link)->next;
  if (*link == NULL)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0, "the object is not loaded");
  *link = object->next;
  return drop(jit, object, error);
}

static enum spgc_result patch_call(struct spgc_jit *jit, void *sled_end, size_t sled_bytes,
                                   void *target, struct spgc_error *error) {
  return spgc_jit_patch_set(&jit->memory.patches, (uintptr_t)sled_end, sled_bytes,
                            (uintptr_t)target, error);
}

enum spgc_result spgc_jit_define(struct spgc_jit *jit, const char *name, void *address,
                                 struct spgc_error *error) {
  SPGC_UNCANCELLED;
  pthread_mutex_lock(&jit->lock);
  enum spgc_result result = define(jit, name, address, error);
  pthread_mutex_unlock(&jit->lock);
  return result;
}

enum spgc_result spgc_jit_lookup(struct spgc_jit *jit, const char *name, void **address,
                                 struct spgc_error *error) {
  SPGC_UNCANCELLED;
  pthread_mutex_lock(&jit->lock);
  enum spgc_result result = look_up(jit, name, address, error);
  pthread_mutex_unlock(&jit->lock);
  return result;
}

enum spgc_result spgc_jit_add(struct spgc_jit *jit, LLVMMemoryBufferRef buffer,
                              struct spgc_jit_object **added, struct spgc_error *error) {
  SPGC_UNCANCELLED;
  pthread_mutex_lock(&jit->lock);
  enum spgc_result result = add(jit, buffer, added, error);
  pthread_mutex_unlock(&jit->lock);
  return result;
}

/* Lists the data of removed objects, as ranges and numbers in the same order; the caller must free
 * both. */
static size_t list_retired(const struct jit_memory *memory, struct spgc_type_range **ranges,
                           uint64_t **numbers) {
  size_t count = 0, at = 0;
  for (const struct jit_retired *retired = memory->retired; retired != NULL;
       retired = retired->next)
    count++;
  *ranges = calloc(count + 1, sizeof **ranges);
  *numbers = calloc(count + 1, sizeof **numbers);
  spgc_require(*ranges != NULL && *numbers != NULL, "out of memory");
  for (const struct jit_retired *retired = memory->retired; retired != NULL;
       retired = retired->next, at++) {
    (*ranges)[at].start = (uintptr_t)retired->span.start;
    (*ranges)[at].end = (*ranges)[at].start + retired->span.size;
    (*numbers)[at] = retired->number;
  }
  return count;
}

/* The lock is not held while objects are counted, because a collection waits for threads that may
 * wait for the lock. */
static void free_retired(struct spgc_jit *jit) {
  struct spgc_type_range *ranges;
  uint64_t *numbers;
  pthread_mutex_lock(&jit->lock);
  size_t count = list_retired(&jit->memory, &ranges, &numbers);
  pthread_mutex_unlock(&jit->lock);
  if (count > 0 && spgc_types_count(ranges, count)) {
    pthread_mutex_lock(&jit->lock);
    for (size_t i = 0; i < count; i++)
      if (ranges[i].count == 0)
        spgc_jit_memory_free_retired(&jit->memory, numbers[i]);
    pthread_mutex_unlock(&jit->lock);
  }
  free(ranges);
  free(numbers);
}

enum spgc_result spgc_jit_remove(struct spgc_jit *jit, struct spgc_jit_object *object,
                                 struct spgc_error *error) {
  SPGC_UNCANCELLED;
  pthread_mutex_lock(&jit->lock);
  enum spgc_result result = remove_object(jit, object, error);
  pthread_mutex_unlock(&jit->lock);
  free_retired(jit);
  return result;
}

enum spgc_result spgc_jit_listen(struct spgc_jit *jit, unsigned listeners,
                                 struct spgc_error *error) {
  SPGC_UNCANCELLED;
  pthread_mutex_lock(&jit->lock);
  enum spgc_result result = spgc_jit_object_layer_listen(jit->layer, listeners, error);
  pthread_mutex_unlock(&jit->lock);
  return result;
}

enum spgc_result spgc_jit_patch_call(struct spgc_jit *jit, void *sled_end, size_t sled_bytes,
                                     void *target, struct spgc_error *error) {
  SPGC_UNCANCELLED;
  pthread_mutex_lock(&jit->lock);
  enum spgc_result result = patch_call(jit, sled_end, sled_bytes, target, error);
  pthread_mutex_unlock(&jit->lock);
  return result;
}
