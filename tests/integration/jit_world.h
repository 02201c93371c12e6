/* A step that fails ends the test. */
#ifndef SPGC_TESTS_JIT_WORLD_H
#define SPGC_TESTS_JIT_WORLD_H

#include <stdint.h>

#include "spgc/heap.h"
#include "tests/integration/compile.h"

/* Collects at every safepoint, moves everything, verifies, poisons. */
extern const char jit_world_hostile[];

/* NULL while stopped. */
extern struct spgc_jit *jit_world_jit;

void jit_world_start(const char *options);
void jit_world_stop(void);

void jit_world_define(const char *name, void *address);
void *jit_world_lookup(const char *name);

typedef int64_t number_function(int64_t);

struct spgc_jit_object *jit_world_load_text(const char *text, unsigned optimisation);

/* tests/integration/ir/NAME */
struct spgc_jit_object *jit_world_load_file(const char *name, unsigned optimisation);
void jit_world_remove(struct spgc_jit_object *object);

/* Attaches the thread, until jit_world_finish, and calls a function. */
int64_t jit_world_run(const char *name, int64_t argument);
struct spgc_statistics jit_world_finish(void);

unsigned jit_world_number(const char *name, unsigned otherwise);

/* As a megabyte of removed data does. */
void jit_world_free_removed(void);

#endif
