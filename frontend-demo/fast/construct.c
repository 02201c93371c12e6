#include "frontend-demo/emit/unit.h"
#include "frontend-demo/fast/fast.h"

static const struct lox_class *known_superclass(const struct lox_emitter *emitter,
                                                const struct lox_class *class_) {
  return class_->superclass ? lox_known_class(emitter, &class_->superclass->variable) : NULL;
}

/* The guess is right if no superclass is unknown or has a field of the same name. */
static uint32_t guess_instance_size(const struct lox_emitter *emitter,
                                    const struct lox_class *class_) {
  uint32_t slots = 0;
  for (; class_; class_ = known_superclass(emitter, class_))
    slots += class_->field_count;
  if (slots < LOX_INLINE_SLOTS_MIN)
    slots = LOX_INLINE_SLOTS_MIN;
  return (uint32_t)(LOX_INSTANCE_SLOTS + sizeof(struct spgc_ref) * slots);
}

/* Has the expected size; allocation profiles show its name. */
static LLVMValueRef emit_expected_type(struct lox_emitter *emitter, const struct lox_string *class_,
                                       uint32_t size) {
  struct lox_unit_emitter *unit = emitter->source->unit;
  LLVMValueRef name = lox_record_text(unit->module, class_->bytes, class_->length);
  struct lox_record record;
  lox_record_begin(&record, &unit->abi);
  uint32_t word_count = size / (uint32_t)sizeof(struct spgc_ref) - 1;
  lox_record_type(&record, 0, word_count, name, LOX_OBJECT_INSTANCE, LOX_NOT_CALLABLE, NULL, NULL);
  return lox_record_constant(unit->module, lox_record_end(&record, sizeof(struct lox_type)),
                             "expected");
}

static LLVMValueRef allocate_instance(struct lox_emitter *emitter, int line, LLVMValueRef type,
                                      LLVMValueRef class_object) {
  LLVMValueRef instance = lox_call_runtime(emitter, line, LOX_ENTRY_ALLOCATE, &type);
  lox_store(emitter, class_object, instance, LOX_INSTANCE_CLASS);
  return instance;
}

static LLVMValueRef first_shape(struct lox_emitter *emitter, LLVMValueRef class_object) {
  return lox_load(emitter, emitter->abi->pointer, lox_load_header(emitter, class_object),
                  offsetof(struct lox_layout, first_shape));
}

/* If the shape's size is the expected one, allocation has a constant descriptor, which the shape
 * then replaces. */
static LLVMValueRef make_instance(struct lox_emitter *emitter, int line,
                                  const struct lox_class *class_, LLVMValueRef class_object) {
  LLVMTypeRef int32 = LLVMInt32TypeInContext(emitter->abi->context);
  LLVMBasicBlockRef expected = lox_block(emitter, "instance.expected");
  LLVMBasicBlockRef unexpected = lox_block(emitter, "instance.unexpected");
  LLVMBasicBlockRef done = lox_block(emitter, "instance.made");
  LLVMValueRef shape = first_shape(emitter, class_object);
  LLVMValueRef size = lox_load(emitter, int32, shape, offsetof(struct spgc_type, size));
  uint32_t guess = guess_instance_size(emitter, class_);
  LLVMValueRef is_expected =
      LLVMBuildICmp(emitter->builder, LLVMIntEQ, size, LLVMConstInt(int32, guess, false), "");
  lox_branch_likely(emitter, is_expected, expected, unexpected);

  lox_enter(emitter, expected);
  LLVMValueRef of_expected_size = allocate_instance(
      emitter, line, emit_expected_type(emitter, &class_->name->text, guess), class_object);
  lox_store(emitter, shape, of_expected_size, 0);
  LLVMBasicBlockRef from_expected = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, unexpected);
  LLVMValueRef other = allocate_instance(emitter, line, shape, class_object);
  LLVMBasicBlockRef from_unexpected = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  return lox_phi(emitter, of_expected_size, from_expected, other, from_unexpected);
}

static LLVMValueRef initializer_closure(struct lox_emitter *emitter,
                                        const struct lox_function *initializer,
                                        LLVMValueRef class_object) {
  if (initializer->capture_count == 0)
    return LLVMConstNull(emitter->abi->value);
  LLVMValueRef index = lox_load(emitter, emitter->abi->word, lox_load_header(emitter, class_object),
                                offsetof(struct lox_layout, initializer_index));
  LLVMValueRef size = lox_abi_word(emitter->abi, sizeof(struct spgc_ref));
  LLVMValueRef bytes = LLVMBuildMul(emitter->builder, index, size, "");
  LLVMValueRef offset =
      LLVMBuildAdd(emitter->builder, bytes, lox_abi_word(emitter->abi, LOX_CLASS_METHODS), "");
  return lox_load_at(emitter, emitter->abi->value, class_object, offset);
}

static LLVMValueRef initialise(struct lox_emitter *emitter, int line,
                               const struct lox_class *class_, LLVMValueRef class_object,
                               LLVMValueRef instance, struct lox_arguments *arguments) {
  const struct lox_function *initializer =
      emitter->source->unit->classes[class_->index].initializer;
  if (!initializer)
    return instance;
  LLVMValueRef closure = initializer_closure(emitter, initializer, class_object);
  LLVMValueRef code = emitter->source->unit->functions[initializer->index].code;
  return lox_call_method(emitter, line, code, closure, instance, arguments);
}

static LLVMValueRef construct(struct lox_emitter *emitter, int line, const struct lox_class *class_,
                              LLVMValueRef class_object, struct lox_arguments *arguments) {
  LLVMValueRef instance = make_instance(emitter, line, class_, class_object);
  return initialise(emitter, line, class_, class_object, instance, arguments);
}

void lox_emit_construct(struct lox_unit_emitter *unit, const struct lox_class *class_) {
  const struct lox_class_code *code = &unit->classes[class_->index];
  struct lox_emitter emitter;
  lox_begin_function(&emitter, unit, code->initializer, code->construct);
  struct lox_arguments arguments = {.count = code->initializer->arity};
  for (uint32_t i = 0; i < arguments.count; i++)
    arguments.words[2 + i] = LLVMGetParam(code->construct, 1 + i);
  LLVMValueRef class_object = LLVMGetParam(code->construct, 0);
  LLVMBuildRet(emitter.builder, construct(&emitter, LOX_NO_LINE, class_, class_object, &arguments));
  lox_emitter_end(&emitter);
}

struct lox_value lox_construct_known_class(struct lox_emitter *emitter, int line,
                                           const struct lox_class *class_, LLVMValueRef callee,
                                           struct lox_arguments *arguments) {
  const struct lox_function *initializer =
      emitter->source->unit->classes[class_->index].initializer;
  if (arguments->count != (initializer ? initializer->arity : 0))
    return lox_call_wrongly(emitter, line, callee, arguments->count);
  return lox_instance(construct(emitter, line, class_, callee, arguments));
}

bool lox_constructs_itself(const struct lox_emitter *emitter, const struct lox_class *class_) {
  return class_ &&
         (emitter->source->unit->classes[class_->index].initializer || !class_->superclass);
}
