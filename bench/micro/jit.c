#include "bench/micro/jit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "bench/micro/clock.h"
#include "bench/micro/program.h"
#include "bench/micro/samples.h"
#include "spgc/jit.h"
#include "spgc/lower.h"

enum { OBJECTS = 100000, EARLY = 1000, LATE = OBJECTS - 1000, WINDOW = 1000, DIGITS = 5 };

/* The digits in the name are replaced. */
static const char text[] =
    "@cell = internal constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr } { i32 16, i32 0, "
    "i32 0, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null }\n"
    "declare ptr addrspace(1) @spgc_allocate(ptr)\n"
    "define i64 @function_00000(i64 %n) gc \"statepoint-example\" {\n"
    "  %a = call ptr addrspace(1) @spgc_allocate(ptr @cell)\n"
    "  %v = getelementptr i8, ptr addrspace(1) %a, i64 8\n"
    "  store i64 %n, ptr addrspace(1) %v\n"
    "  %b = call ptr addrspace(1) @spgc_allocate(ptr @cell)\n"
    "  %x = load i64, ptr addrspace(1) %v\n  ret i64 %x\n}\n";

static void require(enum spgc_result result, const struct spgc_error *error) {
  micro_require(result == SPGC_OK, error->message);
}

static LLVMMemoryBufferRef compile(void) {
  struct spgc_error error;
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef source =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, "function");
  LLVMModuleRef module;
  LLVMMemoryBufferRef object;
  require(spgc_parse_module(context, source, &module, &error), &error);
  require(spgc_lower_module(module, &options, &error), &error);
  require(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), &error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return object;
}

static LLVMMemoryBufferRef copy(LLVMMemoryBufferRef object, unsigned number) {
  static const char name[] = "function_";
  size_t size = LLVMGetBufferSize(object);
  char *bytes = malloc(size), digits[16];
  micro_require(bytes != NULL, "no memory");
  memcpy(bytes, LLVMGetBufferStart(object), size);
  snprintf(digits, sizeof digits, "%05u", number % OBJECTS);
  for (char *at = bytes, *found;
       (found = memmem(at, size - (size_t)(at - bytes), name, sizeof name - 1)) != NULL;
       at = found + sizeof name - 1)
    memcpy(found + sizeof name - 1, digits, DIGITS);
  LLVMMemoryBufferRef made = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "copy");
  free(bytes);
  return made;
}

static struct spgc_jit_object *load(struct spgc_jit *jit, LLVMMemoryBufferRef object,
                                    unsigned number, struct samples *times) {
  struct spgc_error error;
  struct spgc_jit_object *loaded;
  LLVMMemoryBufferRef buffer = copy(object, number);
  double start = processor_ns();
  require(spgc_jit_add(jit, buffer, &loaded, &error), &error);
  samples_add(times, processor_ns() - start);
  return loaded;
}

static void look_up(struct spgc_jit *jit, unsigned number, struct samples *times) {
  struct spgc_error error;
  char name[32];
  void *address;
  snprintf(name, sizeof name, "function_%05u", number);
  double start = processor_ns();
  require(spgc_jit_lookup(jit, name, &address, &error), &error);
  samples_add(times, processor_ns() - start);
}

struct times {
  struct samples add, look_up, remove;
};

static void unload(struct spgc_jit *jit, struct spgc_jit_object *object, struct samples *times) {
  struct spgc_error error;
  double start = processor_ns();
  require(spgc_jit_remove(jit, object, &error), &error);
  samples_add(times, processor_ns() - start);
}

static void sample(struct spgc_jit *jit, LLVMMemoryBufferRef object, unsigned first,
                   struct times *times) {
  static struct spgc_jit_object *loaded[WINDOW];
  struct samples again = {0};
  for (unsigned i = 0; i < WINDOW; i++)
    loaded[i] = load(jit, object, first + i, &times->add);
  for (unsigned i = 0; i < WINDOW; i++)
    look_up(jit, first + i, &times->look_up);
  for (unsigned i = 0; i < WINDOW; i++)
    unload(jit, loaded[i], &times->remove);
  for (unsigned i = 0; i < WINDOW; i++)
    load(jit, object, first + i, &again);
}

static void print(const char *name, struct samples *early, struct samples *late) {
  printf("{\"micro\": \"jit\", \"call\": \"%s\", \"objects\": [%d, %d], \"ns\": [%.0f, %.0f], "
         "\"ratio\": %.2f, \"best_ratio\": %.2f, \"goal\": 1.2}\n",
         name, EARLY, LATE, samples_median(early), samples_median(late),
         samples_median(late) / samples_median(early), samples_best(late) / samples_best(early));
  fflush(stdout);
}

void measure_jit(void) {
  static struct times early, late;
  struct spgc_error error;
  struct spgc_jit *jit;
  require(spgc_llvm_initialise(&error), &error);
  micro_start(__builtin_frame_address(0));
  require(spgc_jit_create(&jit, &error), &error);
  LLVMMemoryBufferRef object = compile();
  struct samples ignored = {0};
  for (unsigned i = 0; i < LATE; i++) {
    if (i == EARLY) {
      sample(jit, object, i, &early);
      i += WINDOW - 1;
      continue;
    }
    ignored.count = 0;
    load(jit, object, i, &ignored);
  }
  sample(jit, object, LATE, &late);
  print("add", &early.add, &late.add);
  print("look up", &early.look_up, &late.look_up);
  print("remove", &early.remove, &late.remove);
  LLVMDisposeMemoryBuffer(object);
  spgc_jit_destroy(jit);
  micro_stop();
}
