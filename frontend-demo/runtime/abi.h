/* What compiled Lox and its runtime agree on: values, objects, descriptors, caches, entry points.
 *
 * Values. One word, carried in `ptr addrspace(1)`:
 *
 *   number    bits of the double + 2^49; every NaN is canonical, so the sum never wraps      word
 * >= 2^49 object    address of its first word 16 <= word < 2^49 nil, false, true 2, 6, 7 0 "no
 * value": an undefined global, a cache's answer "nothing"; never seen by a program
 *
 * The collector moves what lies in the heap and leaves every other word alone, so numbers and
 * constants need no marking. nil and false are the falsy values: (word & ~4) == 2.
 *
 * Objects. The header word is the address of a struct lox_type, outside the heap. It begins with
 * what the collector reads, followed by what a call reads, so that calling anything is
 *
 *   type = header(callee); if (type->call_key == number of arguments) type->code(callee,
 * arguments...)
 *
 * whether callee is a closure, a class (code constructs an instance), a bound method (code passes
 * on the receiver) or a native (code is a C function).
 *
 * Their words, in order (of strings see runtime/string.h):
 *
 * - closure: header (its struct lox_function_type); one word per captured variable: its cell, or
 * its value when nothing assigns it after its initialisation
 * - cell: header, value; the home of a captured variable
 * - class: header (its struct lox_layout), length, superclass or nil; tail: a closure per method,
 * inherited ones first
 * - instance: header (its struct lox_shape), class; the layout's inline slots
 * - bound method: header (its function's bound_type), method closure, receiver
 * - list: header, count (a plain integer), store (a list store; nothing while the list has never
 * had an item)
 * - list store: header, length = capacity; tail: values. Also holds the slots of an instance beyond
 * its inline ones
 * - native: header (its struct lox_native); lies outside the heap
 * - weak map: header, number of its table; weak reference: header, referent (see runtime/weak.h)
 * - exception: header, what was thrown, the stack trace of where (a string); never a value
 *
 * Descriptors live as long as the process. There is one per function in the source, one layout per
 * class declaration and superclass layout, one shape per layout and order of added fields: what a
 * program creates at run time does not add any.
 */
#ifndef LOX_RUNTIME_ABI_H
#define LOX_RUNTIME_ABI_H

#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/type.h"

enum {
  LOX_NUMBER_SHIFT =
      49, /* number words are >= 1 << LOX_NUMBER_SHIFT, which is also what encoding adds */
  LOX_FIRST_OBJECT = 16, /* words from here to the numbers are addresses of objects */
  LOX_VALUE_NOTHING = 0,
  LOX_VALUE_NIL = 2,
  LOX_VALUE_FALSE = 6,
  LOX_VALUE_TRUE = 7,
};

enum lox_kind_of_object {
  LOX_OBJECT_STRING,
  LOX_OBJECT_STRING_BUFFER, /* bytes that strings share; never a value */
  LOX_OBJECT_CLOSURE,
  LOX_OBJECT_CELL,
  LOX_OBJECT_CLASS,
  LOX_OBJECT_INSTANCE,
  LOX_OBJECT_BOUND_METHOD,
  LOX_OBJECT_LIST,
  LOX_OBJECT_LIST_STORE,
  LOX_OBJECT_NATIVE,
  LOX_OBJECT_WEAK_MAP,
  LOX_OBJECT_WEAK_REF,
  LOX_OBJECT_EXCEPTION,
};

enum { LOX_NOT_CALLABLE = UINT32_MAX };

struct lox_type {
  struct spgc_type gc;
  uint32_t kind;     /* enum lox_kind_of_object */
  uint32_t call_key; /* number of arguments `code` takes, or LOX_NOT_CALLABLE */
  void *code;        /* value code(value callee, value argument...) */
};

/* Emitted, one per `fun` and per method in the source; the header of its closures.
 * A plain function's code is type.code(callee, arguments...). A method's closure is not called
 * through its type (its call_key is LOX_NOT_CALLABLE): its code is method_code(closure, receiver,
 * arguments...). */
struct lox_function_type {
  struct lox_type type;
  struct lox_type bound_type; /* of bound methods: code is an adapter that calls method_code */
  const char *name;           /* NUL-terminated */
  void *method_code;          /* NULL for a plain function */
  uint32_t arity;
  uint32_t capture_count;
};

/* A name in the source: emitted with interned = NULL. The runtime interns it at first use, so that
 * two names are equal iff their interned pointers are. */
struct lox_symbol;
struct lox_name_literal {
  const char *text;
  uint64_t length;
  const struct lox_symbol *interned;
};

/* Emitted, one per class declaration. */
struct lox_class_method {
  struct lox_name_literal *name;
  struct lox_function_type *function;
};

struct lox_class_site {
  const char *name;
  const struct lox_class_method *methods;
  uint64_t method_count;
  struct lox_name_literal *const
      *fields; /* names assigned through `this` in its methods: inline slots are kept for them */
  uint64_t field_count;
  const struct lox_function_type *initializer; /* of this declaration, or NULL */
  void *construct; /* code of class objects: with an initializer, an emitted adapter of the
                      initializer's arity that makes the instance of the layout's first_shape and
                      calls it; NULL without one */
};

/* Instances have as many inline slots as there are distinct names among the `fields` of their
 * class's declaration and of all its superclasses, but at least this many; later ones have more
 * when earlier ones outgrew them. */
enum { LOX_INLINE_SLOTS_MIN = 2 };

/* Made by the runtime, one per class declaration and superclass layout; the header of its class
 * objects. type.call_key is the initializer's arity (own or inherited; 0 without), type.code its
 * construct (likewise). */
struct lox_shape;
struct lox_layout {
  struct lox_type type;
  struct lox_shape *first_shape; /* of new instances */
  uint64_t initializer_index;    /* in the class's methods; meaningless without an initializer */
  const struct lox_class_site *site;
  struct lox_layout *superlayout; /* NULL without superclass */
  /* The method table follows in the runtime's own definition. */
};

/* Byte offsets into objects that generated code uses; asserted where the structures are defined. */
enum {
  LOX_CLOSURE_CELLS = 8,
  LOX_CELL_VALUE = 8,
  LOX_CLASS_SUPERCLASS = 16,
  LOX_CLASS_METHODS = 24,
  LOX_INSTANCE_CLASS = 8,
  LOX_INSTANCE_SLOTS = 16,
  LOX_BOUND_METHOD_CLOSURE = 8,
  LOX_BOUND_METHOD_RECEIVER = 16,
  LOX_LIST_COUNT = 8,
  LOX_LIST_STORE_FIELD = 16,
  LOX_STORE_CAPACITY = 8,
  LOX_STORE_ITEMS = 16,
  LOX_STRING_LENGTH = 8, /* of both forms */
  LOX_STRING_BYTES = 16,
  LOX_SLICE_BUFFER = 16,
  LOX_BUFFER_BYTES = 24,
  LOX_EXCEPTION_VALUE = 8,
};

/* Per-site caches: emitted zeroed except the fields from `name` on, written by the runtime's miss
 * functions in turn. Generated code looks at the first entry itself and calls the miss function for
 * everything else. They hold no references. */
enum { LOX_CACHE_ENTRIES = 4 };

/* An instance of next_shape has the property inline at `offset`; one of `shape` may be given it
 * there, and with it the header next_shape. Both are the same in an entry that was filled when the
 * property existed. */
struct lox_property_entry {
  const struct lox_shape *shape;
  const struct lox_shape *next_shape;
  uint64_t offset;
};

struct lox_property_cache {
  struct lox_property_entry entries[LOX_CACHE_ENTRIES];
  uint64_t fill_count;
  struct lox_name_literal *name;
};

struct lox_invoke_entry {
  const struct lox_shape
      *shape; /* instances of this shape: the method's closure is at `offset` of their class */
  uint64_t offset;
  void *code; /* its method_code */
};

struct lox_invoke_cache {
  struct lox_invoke_entry entries[LOX_CACHE_ENTRIES];
  uint64_t fill_count;
  struct lox_name_literal *name;
  uint64_t argument_count;
  /* For receivers with a field of that name: its code does not look at its closure, asks
   * lox_shadowing_field first, and calls what it gets. Constant; no shape has it. */
  struct lox_invoke_entry shadowed;
};

struct lox_super_cache {
  const struct lox_layout *layout; /* superclass objects with this header: closure at `offset` */
  uint64_t offset;
  void *code;
  struct lox_name_literal *name;
  uint64_t argument_count;
};

/* A read of a property whose code is a call value(object, site) that the runtime redirects, instead
 * of a look at a cache: to code for one slot, which compares the object's shape with `shape`, or
 * for good to lox_get_miss. The call has the statepoint id LOX_PATCHED_GET | number of the site in
 * the unit and a sled of LOX_PATCHED_BYTES. Emitted zeroed except cache.name and call_site; the
 * rest is written by the thread that runs Lox, or before it runs (runtime/patched_get.h).
 */
#define LOX_PATCHED_GET (UINT64_C(1) << 63)
enum { LOX_PATCHED_BYTES = 6 };

struct lox_patched_get {
  struct lox_property_cache cache; /* of lox_get_miss */
  uint64_t call_site;              /* what its statepoint id would be otherwise */
  const struct lox_shape
      *shape; /* that the code for a slot expects; NULL while the call goes elsewhere */
  const uintptr_t *return_addresses; /* of the call, or of the copies the optimiser made of it */
  uint64_t return_address_count;
  uint64_t miss_count;
};

/* A global variable is a word of its own in unmanaged memory, a root; LOX_VALUE_NOTHING until it is
 * defined. */

struct lox_string_literal {
  const char *text;
  uint64_t length;
  struct spgc_ref *slot; /* a root; filled when the unit is loaded */
};

/* Every global variable the unit defines. When the unit is loaded, those named after a native
 * function get it, unless they hold a value already. A name for which lox_native_exists is
 * therefore never LOX_VALUE_NOTHING, not even before the program declares it. */
struct lox_global_variable {
  const char *text;
  uint64_t length;
  struct spgc_ref *slot; /* a root */
};

/* Emitted once per compiled unit (a file, or one entry of the interactive session). */
struct lox_unit {
  void *script; /* value script(value callee): the top-level code */
  const struct lox_string_literal *strings;
  uint64_t string_count;
  const struct lox_global_variable *globals;
  uint64_t global_count;
  const char *const
      *function_names; /* the first is the top-level code, shown as "script" in traces */
  uint64_t function_count;
  uint64_t first_function; /* number of function_names[0] in the process; statepoint ids hold such
                              numbers */
  struct lox_patched_get *const
      *patched_gets; /* by number; none unless the unit was emitted for patching */
  uint64_t patched_get_count;
  const char *const *local_names; /* by the number of the variable in the unit; NULL when calls do
                                     not describe them */
  uint64_t code_values;           /* LOX_TAIL_CALL_VALUES, or 0 */
};

/* With tail calls, code takes this many parameters, as there are registers for. It is passed words:
 * closure, receiver if it is a method's, arguments. Of more words than parameters, the last
 * parameter is a store of a list that holds the words from there on. All units of a process are
 * compiled with tail calls, or none. */
enum { LOX_TAIL_CALL_VALUES = 6 };

/* Every call in generated code carries a statepoint id: number of the function << 32 | line. Frames
 * of adapters, which no line of source stands for, carry LOX_HIDDEN_CALL_SITE (what LLVM gives a
 * call without an id) and are left out of stack traces. In a unit with local_names the other calls
 * have deopt state: for each local variable in scope its number and its value, or the cell that
 * holds it. */
#define LOX_HIDDEN_CALL_SITE UINT64_C(2882400000)

static inline uint64_t lox_call_site_id(uint64_t function, uint64_t line) {
  return function << 32 | (line & UINT32_MAX);
}

/* ---- Entry points called from generated code
 * --------------------------------------------------------------------- `leaf`: reaches no
 * safepoint, raises no error; emitted with "gc-leaf-function". `error`: does not return. All others
 * are safepoints that may also raise a runtime error. */

extern struct lox_type lox_string_type;
extern struct lox_type lox_slice_type;
extern struct lox_type lox_cell_type;
extern struct lox_type lox_list_type;
extern struct lox_type lox_list_store_type;

/* Operators. */
struct spgc_ref lox_add_slow(struct spgc_ref a,
                             struct spgc_ref b); /* not two numbers: strings, or the error */
_Noreturn void lox_error_operands_numbers(void); /* error */
_Noreturn void lox_error_operand_number(void);   /* error */
uint64_t lox_strings_equal(struct spgc_ref a,
                           struct spgc_ref b); /* leaf: two objects that are not identical: 1 iff
                                                  both are strings with equal bytes */
void lox_print(struct spgc_ref value);

/* Calls. */
_Noreturn void lox_error_call(struct spgc_ref callee,
                              uint64_t argument_count); /* error: not callable, or wrong count */
_Noreturn void lox_error_stack_overflow(void);          /* error */
/* The cache's entry for the receiver. It is to be called before the next safepoint. */
const struct lox_invoke_entry *lox_invoke_miss(struct spgc_ref receiver,
                                               struct lox_invoke_cache *cache);
struct spgc_ref
lox_shadowing_field(struct spgc_ref receiver); /* leaf: of the name last asked for; see there */
void lox_super_invoke_miss(struct spgc_ref superclass, struct lox_super_cache *cache);
struct spgc_ref lox_super_get(struct spgc_ref superclass, struct spgc_ref receiver,
                              struct lox_name_literal *name);
struct spgc_ref
lox_construct_default(struct spgc_ref callee); /* code of classes without an initializer */

/* Exceptions. Landing pads are those of spgc_personality. */
_Noreturn void lox_throw(struct spgc_ref value);           /* error */
_Noreturn void lox_throw_again(struct spgc_ref exception); /* error: after a finally block */
struct spgc_ref
lox_catch(void); /* leaf: the exception a landing pad was entered for; the first call there */

/* Properties. The miss functions do the whole access, and fill an entry when none serves it and one
 * could. */
struct spgc_ref lox_get_miss(struct spgc_ref object, struct lox_property_cache *cache);
void lox_set_miss(struct spgc_ref object, struct spgc_ref value, struct lox_property_cache *cache);
/* Does the whole access, and redirects the site's call to what will serve the next object of this
 * shape. */
struct spgc_ref lox_get_patched(struct spgc_ref object, struct lox_patched_get *site);

/* Variables. */
_Noreturn void lox_error_undefined_variable(const struct lox_name_literal *name); /* error */

/* Classes. A declaration makes the class object, with the closures of all methods that capture
 * nothing, then stores one closure for every other method, then is done. */
struct spgc_ref lox_class_make(const struct lox_class_site *site,
                               struct spgc_ref superclass); /* superclass or nil;
                                                   checks it; inherited methods are copied */
uint64_t lox_class_method_offset(struct spgc_ref class_object,
                                 uint64_t method);     /* leaf: byte offset in the class object of
                                                    the declaration's method number `method` */
void lox_check_superclass(struct spgc_ref superclass); /* raises "Superclass must be a class." */

/* The strings of one byte, by that byte. They lie outside the heap, so making one allocates
 * nothing. */
struct lox_short_string {
  const struct lox_type *type; /* lox_string_type */
  uint64_t length;
  char bytes[8];
};
extern const struct lox_short_string lox_one_byte_strings[256];

/* Natives: called like closures; they do not look at their callee. */
/* X(enumerator, name, number of arguments, kind of the result): the function is lox_native_NAME. */
#define LOX_NATIVES(X)                                                                             \
  X(LEN, len, 1, NUMBER)                                                                           \
  X(PUSH, push, 2, NIL)                                                                            \
  X(POP, pop, 1, ANY)                                                                              \
  X(SUBSTRING, substring, 3, STRING)                                                               \
  X(CHAR_AT, char_at, 2, STRING)                                                                   \
  X(TO_STRING, to_string, 1, STRING)                                                               \
  X(TO_NUMBER, to_number, 1, ANY)                                                                  \
  X(READ_FILE, read_file, 1, ANY)                                                                  \
  X(READ_LINE, read_line, 0, ANY)                                                                  \
  X(ARGS, args, 0, LIST)                                                                           \
  X(APPLY, apply, 2, ANY)                                                                          \
  X(CLOCK, clock, 0, NUMBER)                                                                       \
  X(GC, gc, 0, NIL)                                                                                \
  X(WEAK_MAP, weak_map, 0, ANY)                                                                    \
  X(WEAK_MAP_SET, weak_map_set, 3, NIL)                                                            \
  X(WEAK_MAP_GET, weak_map_get, 2, ANY)                                                            \
  X(WEAK_MAP_HAS, weak_map_has, 2, BOOLEAN)                                                        \
  X(WEAK_MAP_REMOVE, weak_map_remove, 2, BOOLEAN)                                                  \
  X(WEAK_MAP_SIZE, weak_map_size, 1, NUMBER)                                                       \
  X(WEAK_REF, weak_ref, 1, ANY)                                                                    \
  X(DEREF, deref, 1, ANY)                                                                          \
  X(ON_COLLECT, on_collect, 3, NIL)                                                                \
  X(IDENTITY_HASH, identity_hash, 1, NUMBER)

enum lox_native_number {
#define LOX_NATIVE_ENUMERATOR(enumerator, name, arity, result) LOX_NATIVE_##enumerator,
  LOX_NATIVES(LOX_NATIVE_ENUMERATOR)
#undef LOX_NATIVE_ENUMERATOR
      LOX_NATIVE_COUNT,
};

enum { LOX_NATIVE_ARITY_MAX = 3 };

/* Usable before the runtime is started. */
uint64_t lox_native_exists(const char *text, uint64_t length);

/* What a literal stands for: what the slot holds, if there is one, or this value, which is no
 * object. */
struct lox_literal {
  const struct spgc_ref *slot;
  struct spgc_ref value;
};

/* Lists. */
struct spgc_ref lox_list_make(uint64_t count); /* items nil; the literal stores them after */
void lox_list_fill(struct spgc_ref list, uint64_t index,
                   struct spgc_ref item); /* of a long literal; no safepoint */
/* The items of a long literal from `index` on that are literals themselves; no safepoint. */
void lox_list_fill_literals(struct spgc_ref list, uint64_t index,
                            const struct lox_literal *literals, uint64_t count);
/* error: generated code indexes lists itself, where that is possible */
_Noreturn void lox_error_index(struct spgc_ref list, struct spgc_ref index);

#endif
