/* See frontend-demo/README.md. If `function` or `value` of on_collect leads to `object`, only the
 * end of the program calls the function.
 *
 * Only objects with an identity can be keys or referents: instances, lists, functions and
 * classes. */
#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/native.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/run.h"
#include "spgc/allocate.h"
#include "spgc/finalizer.h"
#include "spgc/handle.h"
#include "spgc/identity.h"
#include "spgc/weak.h"
#include "spgc/weak_map.h"

struct lox_weak_map {
  const struct lox_type *type;
  struct spgc_weak_map map;
};

struct lox_weak_ref {
  const struct lox_type *type;
  struct spgc_ref referent; /* weak; LOX_VALUE_NOTHING once it died */
};

_Static_assert(sizeof(struct lox_weak_map) == 2 * sizeof(uint64_t), "objects are made of words");

static const struct lox_type weak_map_type =
    LOX_TYPE(LOX_OBJECT_WEAK_MAP, NULL, .size = sizeof(struct lox_weak_map), .name = "weak map");
static const struct lox_type weak_ref_type = LOX_TYPE(
    LOX_OBJECT_WEAK_REF, NULL, .size = sizeof(struct lox_weak_ref), .name = "weak reference");

/* Written by the run in progress; read when the runtime stops. */
static bool has_reports;

enum { REPORT_ROUNDS = 100 };

static bool has_identity(struct spgc_ref value) {
  return lox_is_kind(value, LOX_OBJECT_INSTANCE) || lox_is_kind(value, LOX_OBJECT_LIST) ||
         lox_is_kind(value, LOX_OBJECT_CLOSURE) || lox_is_kind(value, LOX_OBJECT_CLASS);
}

static void require_identity(struct spgc_ref value, const char *what) {
  if (!has_identity(value))
    lox_error("%s must be an instance, a list, a function or a class.", what);
}

/* The collector's tables fail here only if out of memory. */
static void require_memory(enum spgc_result result) {
  if (result != SPGC_OK)
    lox_error_out_of_memory();
}

static struct spgc_weak_map require_map(struct spgc_ref value, const char *function) {
  if (!lox_is_kind(value, LOX_OBJECT_WEAK_MAP))
    lox_error("First argument of '%s' must be a weak map.", function);
  return ((const struct lox_weak_map *)spgc_ref_memory(value))->map;
}

struct spgc_ref lox_native_weak_map(struct spgc_ref callee) {
  struct spgc_ref object = lox_allocate(&weak_map_type);
  require_memory(
      spgc_weak_map_create(object, &((struct lox_weak_map *)spgc_ref_memory(object))->map, NULL));
  return object;
}

struct spgc_ref lox_native_weak_map_set(struct spgc_ref callee, struct spgc_ref map,
                                        struct spgc_ref key, struct spgc_ref value) {
  struct spgc_weak_map table = require_map(map, "weak_map_set");
  require_identity(key, "A key of a weak map");
  require_memory(spgc_weak_map_set(table, key, value, NULL));
  return lox_nil();
}

struct spgc_ref lox_native_weak_map_get(struct spgc_ref callee, struct spgc_ref map,
                                        struct spgc_ref key) {
  struct spgc_ref value;
  return spgc_weak_map_get(require_map(map, "weak_map_get"), key, &value) ? value : lox_nil();
}

struct spgc_ref lox_native_weak_map_has(struct spgc_ref callee, struct spgc_ref map,
                                        struct spgc_ref key) {
  return lox_boolean(spgc_weak_map_get(require_map(map, "weak_map_has"), key, NULL));
}

struct spgc_ref lox_native_weak_map_remove(struct spgc_ref callee, struct spgc_ref map,
                                           struct spgc_ref key) {
  return lox_boolean(spgc_weak_map_remove(require_map(map, "weak_map_remove"), key));
}

struct spgc_ref lox_native_weak_map_size(struct spgc_ref callee, struct spgc_ref map) {
  return lox_number((double)spgc_weak_map_count(require_map(map, "weak_map_size")));
}

struct spgc_ref lox_native_weak_ref(struct spgc_ref callee, struct spgc_ref referent) {
  require_identity(referent, "Argument of 'weak_ref'");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle kept = spgc_handle_make(referent);
  struct spgc_ref object = lox_allocate(&weak_ref_type);
  require_memory(
      spgc_weak_bind(object, offsetof(struct lox_weak_ref, referent), spgc_handle_get(kept), NULL));
  spgc_scope_close(scope);
  return object;
}

struct spgc_ref lox_native_deref(struct spgc_ref callee, struct spgc_ref reference) {
  if (!lox_is_kind(reference, LOX_OBJECT_WEAK_REF))
    lox_error("Argument of 'deref' must be a weak reference.");
  struct spgc_ref referent = spgc_weak_get(reference, offsetof(struct lox_weak_ref, referent));
  return lox_is_nothing(referent) ? lox_nil() : referent;
}

/* A registration's value, a list. */
enum { REPORT_FUNCTION, REPORT_VALUE, REPORT_WORDS };

static struct spgc_ref *report_items(struct spgc_ref report) {
  return lox_as_list_store(lox_as_list(report)->store)->items;
}

struct spgc_ref lox_native_on_collect(struct spgc_ref callee, struct spgc_ref object,
                                      struct spgc_ref function, struct spgc_ref value) {
  require_identity(object, "First argument of 'on_collect'");
  if (!lox_is_object(function) || lox_type_of(function)->call_key != 1)
    lox_error("Second argument of 'on_collect' must take one argument.");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle kept[] = {spgc_handle_make(object), spgc_handle_make(function),
                               spgc_handle_make(value)};
  struct spgc_ref report = lox_list_make(REPORT_WORDS);
  spgc_store(spgc_slot_at(&report_items(report)[REPORT_FUNCTION]), spgc_handle_get(kept[1]));
  spgc_store(spgc_slot_at(&report_items(report)[REPORT_VALUE]), spgc_handle_get(kept[2]));
  require_memory(spgc_finalizer_register(spgc_handle_get(kept[0]), report, NULL));
  spgc_scope_close(scope);
  has_reports = true;
  lox_weak_report_dead();
  return lox_nil();
}

bool lox_weak_has_reports(void) {
  return has_reports;
}

/* Functions that these register wait for the next time. */
void lox_weak_report_dead(void) {
  struct spgc_finalizer dead;
  for (size_t waiting = spgc_finalizers_waiting(); waiting != 0 && spgc_finalizer_next(&dead);
       waiting--) {
    struct spgc_ref function = report_items(dead.held)[REPORT_FUNCTION],
                    value = report_items(dead.held)[REPORT_VALUE];
    lox_call(function, &value, 1);
  }
}

/* Bounded, because a program may always register another. */
int lox_weak_report_all(void *context) {
  for (int round = 0; round < REPORT_ROUNDS; round++) {
    spgc_finalizers_queue_all();
    if (spgc_finalizers_waiting() == 0) {
      has_reports = false;
      return 0;
    }
    lox_weak_report_dead();
  }
  has_reports = false;
  lox_error(
      "Functions called at the end of the program registered others with 'on_collect' %d times.",
      REPORT_ROUNDS);
}

struct spgc_ref lox_native_identity_hash(struct spgc_ref callee, struct spgc_ref object) {
  require_identity(object, "Argument of 'identity_hash'");
  uint32_t hash = spgc_identity_hash(object);
  if (hash == 0)
    lox_error_out_of_memory();
  return lox_number(hash);
}
