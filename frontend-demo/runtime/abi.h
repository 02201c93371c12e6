/* The interface between compiled Lox and its runtime.
 *
 * Values. One word, carried in `ptr addrspace(1)`:
 *
 *   number            bits of the double + 2^49; every NaN is canonical,    word >= 2^49
 *                     so the sum never wraps
 *   object            address of its first word                             16 <= word < 2^49
 *   nil, false, true                                                        2, 6, 7
 *   nothing           an undefined global, or a cache's answer "nothing";   0
 *                     a program never sees it
 *
 * The collector leaves words other than objects in the heap alone, so numbers and constants need no
 * marking. nil and false are the falsy values: (word & ~4) == 2.
 *
 * Objects. The header word is the address of a struct lox_type, outside the heap. It begins with
 * the fields that the collector reads, followed by those that a call reads. So any value is called
 * by
 *
 *   type = header(callee);
 *   if (type->call_key == number of arguments)
 *     type->code(callee, arguments...)
 *
 * whether callee is a closure, a class (code constructs an instance), a bound method (code passes
 * on the receiver) or a native (code is a C function).
 *
 * Their words, in order (strings are in runtime/string.h):
 *
 * - closure: header (its struct lox_function_type); one word per captured variable: its cell, or
 *   its value if nothing assigns it after its initialisation
 * - cell: header, value of a captured variable
 * - class: header (its struct lox_layout), length, superclass or nil; a closure per method,
 *   inherited ones first
 * - instance: header (its struct lox_shape), class; the layout's inline slots
 * - bound method: header (its function's bound_type), method closure, receiver
 * - list: header, count (a plain integer), store (a list store; nothing until the list has had an
 *   item)
 * - list store: header, length = capacity; values. Also holds the slots of an instance beyond its
 *   inline ones
 * - native: header (its struct lox_native); outside the heap
 * - weak map: header, number of its table; weak reference: header, referent (native_weak.c)
 * - exception: header, thrown value, stack trace of the throw (a string); never a value
 *
 * Descriptors live as long as the process. There is one per function in the source, one layout
 * per class declaration and superclass layout, one shape per layout and order of added fields. A
 * running program does not make more. */
#ifndef LOX_RUNTIME_ABI_H
#define LOX_RUNTIME_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/type.h"

enum {
  LOX_NUMBER_SHIFT = 49, /* number words are >= 1 << LOX_NUMBER_SHIFT, which encoding adds */
  LOX_FIRST_OBJECT = 16, /* the least address of an object */
  LOX_VALUE_NOTHING = 0,
  LOX_VALUE_NIL = 2,
  LOX_VALUE_FALSE = 6,
  LOX_VALUE_TRUE = 7,
};

enum lox_kind_of_object {
  LOX_OBJECT_STRING,
  LOX_OBJECT_STRING_BUFFER, /* shared by strings; never a value */
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
  uint32_t kind;                  /* enum lox_kind_of_object */
  uint32_t call_key;              /* number of arguments, or LOX_NOT_CALLABLE */
  void *code;                     /* value code(value callee, value argument...) */
  const char *const *field_names; /* the fixed part's slots, for heap snapshots; or NULL */
};

/* See spgc/type.h. */
enum { LOX_FIELD_NAMES = offsetof(struct lox_type, field_names) };

/* One per `fun` and per method; its closures have it as header. A plain function's code is
 * type.code(callee, arguments...). A method's is method_code(closure, receiver, arguments...), and
 * type.call_key is LOX_NOT_CALLABLE. */
struct lox_function_type {
  struct lox_type type;
  struct lox_type bound_type; /* its code is an adapter to method_code */
  const char *name;
  void *method_code; /* NULL for a plain function */
  uint32_t arity;
  uint32_t capture_count;
};

/* A name in the source, emitted with interned = NULL. At first use the runtime interns it: equal
 * names have equal interned pointers. */
struct lox_symbol;
struct lox_name_literal {
  const char *text;
  uint64_t length;
  const struct lox_symbol *interned;
};

/* One per class declaration. */
struct lox_class_method {
  struct lox_name_literal *name;
  struct lox_function_type *function;
};

struct lox_class_site {
  const char *name;
  const struct lox_class_method *methods;
  uint64_t method_count;
  /* Names that methods assign through `this`: they get inline slots. */
  struct lox_name_literal *const *fields;
  uint64_t field_count;
  const struct lox_function_type *initializer; /* the class's own, or NULL */
  void *construct; /* an adapter of the initializer's arity, which makes the instance and calls the
                    * initializer; NULL without one */
};

/* Instances have an inline slot for each name among the `fields` of their class and its
 * superclasses, but at least this many. */
enum { LOX_INLINE_SLOTS_MIN = 2 };

/* Made by the runtime, one per class declaration and superclass layout; class objects have it as
 * header. type.call_key is the initializer's arity (own or inherited; 0 without), type.code its
 * construct. */
struct lox_shape;
struct lox_layout {
  struct lox_type type;
  struct lox_shape *first_shape; /* the shape of new instances */
  uint64_t initializer_index;    /* in the class's methods; meaningless without an initializer */
  const struct lox_class_site *site;
  struct lox_layout *superlayout;
  /* The runtime's definition continues with the method table. */
};

/* Byte offsets into objects; asserted where the structures are defined. */
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
  LOX_STRING_LENGTH = 8, /* the same in both forms */
  LOX_STRING_BYTES = 16,
  LOX_SLICE_BUFFER = 16,
  LOX_BUFFER_BYTES = 24,
  LOX_EXCEPTION_VALUE = 8,
};

/* Caches per site, without references. They are emitted zeroed up to `name`. Generated code checks
 * the first entry, or else calls the runtime's miss function, which writes the entries in turn. */
enum { LOX_CACHE_ENTRIES = 4 };

/* An instance of next_shape has the property inline at `offset`; adding it to an instance of
 * `shape` makes the header next_shape. The shapes are equal if the property existed. */
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
  /* Instances of this shape have the method's closure at `offset` of their class. */
  const struct lox_shape *shape;
  uint64_t offset;
  void *code; /* its method_code */
};

struct lox_invoke_cache {
  struct lox_invoke_entry entries[LOX_CACHE_ENTRIES];
  uint64_t fill_count;
  struct lox_name_literal *name;
  uint64_t argument_count;
  /* For receivers with a field of that name: its code ignores its closure, asks
   * lox_shadowing_field, and calls the result. Constant; no shape has it. */
  struct lox_invoke_entry shadowed;
};

/* A word in unmanaged memory, and a root. LOX_VALUE_NOTHING until it is defined. */

struct lox_string_literal {
  const char *text;
  uint64_t length;
  struct spgc_ref *slot; /* a root; filled when the unit is loaded */
};

/* When the unit is loaded, variables named after a native get it, unless they have a value. So a
 * variable whose name lox_native_exists knows is never LOX_VALUE_NOTHING. */
struct lox_global_variable {
  const char *text;
  uint64_t length;
  struct spgc_ref *slot;
};

/* One for each file, or entry of a session. */
struct lox_unit {
  void *script; /* value script(value callee): the top-level code */
  const struct lox_string_literal *strings;
  uint64_t string_count;
  const struct lox_global_variable *globals;
  uint64_t global_count;
  /* The first is the top-level code, shown as "script". */
  const char *const *function_names;
  uint64_t function_count;
  uint64_t first_function; /* number of function_names[0] */
  const char *path;        /* for messages */
};

/* Calls in generated code have the statepoint id function << 32 | line. Stack traces omit the
 * frames of adapters, whose calls have LOX_HIDDEN_CALL_SITE (LLVM's id of a call without one). */
#define LOX_HIDDEN_CALL_SITE UINT64_C(2882400000)

static inline uint64_t lox_call_site_id(uint64_t function, uint64_t line) {
  return function << 32 | (line & UINT32_MAX);
}

/* ---- Entry points called from generated code ----
 *
 * `leaf`: reaches no safepoint, raises no error; emitted with "gc-leaf-function". `error`: does not
 * return. All others are safepoints that may also raise a runtime error.
 */

/* X(enumerator, symbol, signature, calls)
 * signature: result, then parameters: v value, p pointer, i 64-bit integer, b boolean, - nothing
 * calls: backend/abi.h */
#define LOX_ENTRY_POINTS(X)                                                                        \
  X(ADD_SLOW, lox_add_slow, "vvv", LOX_CALLS_RARELY)                                               \
  X(ERROR_OPERANDS_NUMBERS, lox_error_operands_numbers, "-", LOX_CALLS_NEVER_BACK)                 \
  X(ERROR_OPERAND_NUMBER, lox_error_operand_number, "-", LOX_CALLS_NEVER_BACK)                     \
  X(STRINGS_EQUAL, lox_strings_equal, "ivv", LOX_CALLS_LEAF)                                       \
  X(PRINT, lox_print, "-v", LOX_CALLS_SAFEPOINT)                                                   \
  X(ECHO, lox_echo, "-v", LOX_CALLS_SAFEPOINT)                                                     \
  X(ERROR_CALL, lox_error_call, "-vi", LOX_CALLS_NEVER_BACK)                                       \
  X(ERROR_STACK_OVERFLOW, lox_error_stack_overflow, "-", LOX_CALLS_NEVER_BACK)                     \
  X(INVOKE_MISS, lox_invoke_miss, "pvp", LOX_CALLS_RARELY)                                         \
  X(SHADOWING_FIELD, lox_shadowing_field, "vv", LOX_CALLS_LEAF)                                    \
  X(SUPER_GET, lox_super_get, "vvvp", LOX_CALLS_SAFEPOINT)                                         \
  X(GET_MISS, lox_get_miss, "vvp", LOX_CALLS_RARELY)                                               \
  X(SET_MISS, lox_set_miss, "-vvp", LOX_CALLS_RARELY)                                              \
  X(ERROR_UNDEFINED_VARIABLE, lox_error_undefined_variable, "-p", LOX_CALLS_NEVER_BACK)            \
  X(CLASS_MAKE, lox_class_make, "vpv", LOX_CALLS_SAFEPOINT)                                        \
  X(CLASS_METHOD_OFFSET, lox_class_method_offset, "ivi", LOX_CALLS_LEAF)                           \
  X(CHECK_SUPERCLASS, lox_check_superclass, "-v", LOX_CALLS_SAFEPOINT)                             \
  X(LIST_MAKE, lox_list_make, "vi", LOX_CALLS_SAFEPOINT)                                           \
  X(LIST_FILL, lox_list_fill, "-viv", LOX_CALLS_LEAF)                                              \
  X(ERROR_INDEX, lox_error_index, "-vv", LOX_CALLS_NEVER_BACK)                                     \
  X(THROW, lox_throw, "-v", LOX_CALLS_NEVER_BACK)                                                  \
  X(THROW_AGAIN, lox_throw_again, "-v", LOX_CALLS_NEVER_BACK)                                      \
  X(CATCH, lox_catch, "v", LOX_CALLS_LEAF)

extern struct lox_type lox_string_type;
extern struct lox_type lox_slice_type;
extern struct lox_type lox_cell_type;
extern struct lox_type lox_list_type;
extern struct lox_type lox_list_store_type;

/* Concatenates strings, or raises the error. Not for two numbers. */
struct spgc_ref lox_add_slow(struct spgc_ref a, struct spgc_ref b);
_Noreturn void lox_error_operands_numbers(void); /* error */
_Noreturn void lox_error_operand_number(void);   /* error */
/* leaf: for two different objects: 1 iff both are strings with equal bytes. */
uint64_t lox_strings_equal(struct spgc_ref a, struct spgc_ref b);
void lox_print(struct spgc_ref value);
void lox_echo(struct spgc_ref value); /* prints it, unless it is nil */

/* error: not callable, or wrong count. */
_Noreturn void lox_error_call(struct spgc_ref callee, uint64_t argument_count);
_Noreturn void lox_error_stack_overflow(void); /* error */
/* The receiver's entry. Call its code before the next safepoint. */
const struct lox_invoke_entry *lox_invoke_miss(struct spgc_ref receiver,
                                               struct lox_invoke_cache *cache);
/* leaf: the receiver's field of the name looked up last. */
struct spgc_ref lox_shadowing_field(struct spgc_ref receiver);
struct spgc_ref lox_super_get(struct spgc_ref superclass, struct spgc_ref receiver,
                              struct lox_name_literal *name);
struct spgc_ref lox_construct_default(struct spgc_ref callee);

/* Exceptions. Landing pads are those of spgc_personality. */
_Noreturn void lox_throw(struct spgc_ref value);           /* error */
_Noreturn void lox_throw_again(struct spgc_ref exception); /* error: after a finally block */
/* leaf: the exception of this landing pad; must be its first call. */
struct spgc_ref lox_catch(void);

/* They do the whole access, and fill an entry if none fits. */
struct spgc_ref lox_get_miss(struct spgc_ref object, struct lox_property_cache *cache);
void lox_set_miss(struct spgc_ref object, struct spgc_ref value, struct lox_property_cache *cache);

_Noreturn void lox_error_undefined_variable(const struct lox_name_literal *name); /* error */

/* A declaration makes the class object with the closures that capture nothing, then stores the
 * others. */
/* `superclass` is nil, or lox_check_superclass has taken it. Copies inherited methods. */
struct spgc_ref lox_class_make(const struct lox_class_site *site, struct spgc_ref superclass);
/* leaf: byte offset in the class object. */
uint64_t lox_class_method_offset(struct spgc_ref class_object, uint64_t method);
void lox_check_superclass(struct spgc_ref superclass); /* raises "Superclass must be a class." */

/* A string of one byte, indexed by it, outside the heap, so that none is allocated. */
struct lox_short_string {
  const struct lox_type *type; /* lox_string_type */
  uint64_t length;
  char bytes[8];
};
extern const struct lox_short_string lox_one_byte_strings[256];

/* Natives are called like closures; they ignore their callee. */
/* X(enumerator, name, number of arguments, kind of the result) for the function lox_native_NAME. */
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
  X(HEAP_SNAPSHOT, heap_snapshot, 1, NIL)                                                          \
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

/* May be called before the runtime is started. */
uint64_t lox_native_exists(const char *text, uint64_t length);

struct spgc_ref lox_list_make(uint64_t count); /* items are nil; the literal stores them later */
/* leaf: an item of a long literal. */
void lox_list_fill(struct spgc_ref list, uint64_t index, struct spgc_ref item);
/* error. Generated code does valid accesses. */
_Noreturn void lox_error_index(struct spgc_ref list, struct spgc_ref index);

/* The symbols above (entry_points.c), for loaders that do not find them in the executable. */
struct lox_entry_point {
  const char *name;
  void *address;
};

extern const struct lox_entry_point lox_entry_points[];
extern const size_t lox_entry_point_count;

#endif
