/* Common cases are inline; the native does the rest. */
#include "frontend-demo/fast/fast.h"
#include "frontend-demo/syntax/natives.h"

struct native_call {
  const struct lox_native_signature *native;
  const struct lox_value *arguments;
  int line;
};

static LLVMValueRef call_native(struct lox_emitter *emitter, const struct native_call *call) {
  LLVMValueRef words[1 + LOX_NATIVE_ARITY_MAX] = {LLVMConstNull(emitter->abi->value)};
  for (uint32_t i = 0; i < call->native->arity; i++)
    words[1 + i] = lox_box(emitter, call->arguments[i]);
  enum lox_entry entry = (enum lox_entry)(LOX_ENTRY_FIRST_NATIVE + (int)call->native->number);
  return lox_call_runtime(emitter, call->line, entry, words);
}

static void end_with_native_error(struct lox_emitter *emitter, LLVMBasicBlockRef error,
                                  const struct native_call *call) {
  LLVMBasicBlockRef right = lox_current_block(emitter);
  lox_enter(emitter, error);
  call_native(emitter, call);
  LLVMBuildUnreachable(emitter->builder);
  lox_enter(emitter, right);
}

static LLVMValueRef has_header(struct lox_emitter *emitter, LLVMValueRef header,
                               const char *descriptor) {
  LLVMValueRef expected = lox_abi_descriptor(emitter->abi, emitter->module, descriptor);
  return LLVMBuildICmp(emitter->builder, LLVMIntEQ, header, expected, "");
}

_Static_assert(LOX_LIST_COUNT == LOX_STRING_LENGTH,
               "lists and strings keep their length in one place");

static struct lox_value emit_len(struct lox_emitter *emitter, const struct native_call *call) {
  struct lox_value value = call->arguments[0];
  if (value.kind != LOX_KIND_STRING && value.kind != LOX_KIND_LIST) {
    LLVMBasicBlockRef error = lox_block(emitter, "len.error");
    LLVMBasicBlockRef no_list = lox_block(emitter, "len.no_list");
    LLVMBasicBlockRef no_flat = lox_block(emitter, "len.no_flat");
    LLVMBasicBlockRef known = lox_block(emitter, "len.known");
    lox_guard(emitter, lox_is_object(emitter, value), error);
    LLVMValueRef header = lox_load_header(emitter, lox_box(emitter, value));
    lox_branch(emitter, has_header(emitter, header, "lox_list_type"), known, no_list);
    lox_enter(emitter, no_list);
    lox_branch(emitter, has_header(emitter, header, "lox_string_type"), known, no_flat);
    lox_enter(emitter, no_flat);
    lox_branch(emitter, has_header(emitter, header, "lox_slice_type"), known, error);
    lox_enter(emitter, known);
    end_with_native_error(emitter, error, call);
  }
  LLVMValueRef length =
      lox_load(emitter, emitter->abi->word, lox_box(emitter, value), LOX_STRING_LENGTH);
  return lox_number(LLVMBuildSIToFP(emitter->builder, length, emitter->abi->number, ""));
}

struct bytes {
  LLVMValueRef holder;
  LLVMValueRef offset;
};

static struct bytes find_bytes(struct lox_emitter *emitter, struct lox_value string,
                               LLVMBasicBlockRef error) {
  const struct lox_abi *abi = emitter->abi;
  LLVMBasicBlockRef no_flat = lox_block(emitter, "string.no_flat");
  LLVMBasicBlockRef slice = lox_block(emitter, "string.slice");
  LLVMBasicBlockRef done = lox_block(emitter, "string.bytes");
  lox_guard(emitter, lox_is_object(emitter, string), error);
  LLVMValueRef object = lox_box(emitter, string);
  LLVMValueRef header = lox_load_header(emitter, object);
  LLVMBasicBlockRef flat = lox_current_block(emitter);
  lox_branch(emitter, has_header(emitter, header, "lox_string_type"), done, no_flat);

  lox_enter(emitter, no_flat);
  lox_branch(emitter, has_header(emitter, header, "lox_slice_type"), slice, error);
  lox_enter(emitter, slice);
  LLVMValueRef buffer = lox_load(emitter, abi->value, object, LOX_SLICE_BUFFER);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  LLVMValueRef flat_offset = lox_abi_word(abi, LOX_STRING_BYTES),
               slice_offset = lox_abi_word(abi, LOX_BUFFER_BYTES);
  return (struct bytes){
      .holder = lox_phi(emitter, object, flat, buffer, slice),
      .offset = lox_phi(emitter, flat_offset, flat, slice_offset, slice),
  };
}

static LLVMValueRef one_byte_strings(struct lox_emitter *emitter) {
  static const char name[] = "lox_one_byte_strings";
  LLVMModuleRef module = emitter->module;
  LLVMTypeRef byte = LLVMInt8TypeInContext(emitter->abi->context);
  LLVMValueRef table = LLVMGetNamedGlobal(module, name);
  if (!table) {
    table = LLVMAddGlobalInAddressSpace(module, byte, name, 1);
    LLVMSetGlobalConstant(table, true);
  }
  return table;
}

static LLVMValueRef emit_char_at(struct lox_emitter *emitter, const struct native_call *call) {
  const struct lox_abi *abi = emitter->abi;
  LLVMBuilderRef builder = emitter->builder;
  LLVMBasicBlockRef error = lox_block(emitter, "char_at.error");
  struct bytes bytes = find_bytes(emitter, call->arguments[0], error);
  LLVMValueRef string = lox_box(emitter, call->arguments[0]);
  LLVMValueRef length = lox_load(emitter, abi->word, string, LOX_STRING_LENGTH);
  LLVMValueRef index = lox_guard_index(emitter, call->arguments[1], length, error);
  end_with_native_error(emitter, error, call);

  LLVMTypeRef byte_type = LLVMInt8TypeInContext(abi->context);
  LLVMValueRef offset = LLVMBuildAdd(builder, bytes.offset, index, "");
  LLVMValueRef byte =
      LLVMBuildZExt(builder, lox_load_at(emitter, byte_type, bytes.holder, offset), abi->word, "");
  LLVMValueRef row =
      LLVMBuildMul(builder, byte, lox_abi_word(abi, sizeof(struct lox_short_string)), "");
  LLVMValueRef table = one_byte_strings(emitter);
  return LLVMBuildInBoundsGEP2(builder, byte_type, table, &row, 1, "");
}

static LLVMValueRef emit_push(struct lox_emitter *emitter, const struct native_call *call) {
  const struct lox_abi *abi = emitter->abi;
  LLVMBuilderRef builder = emitter->builder;
  LLVMBasicBlockRef slow = lox_block(emitter, "push.slow");
  LLVMBasicBlockRef done = lox_block(emitter, "push.done");
  LLVMValueRef list_type = lox_abi_descriptor(abi, emitter->module, "lox_list_type");
  lox_guard_header(emitter, call->arguments[0], list_type, slow);
  LLVMValueRef list = lox_box(emitter, call->arguments[0]);
  LLVMValueRef store = lox_load(emitter, abi->value, list, LOX_LIST_STORE_FIELD);
  lox_guard(emitter, LLVMBuildIsNotNull(builder, store, ""), slow);
  LLVMValueRef count = lox_load(emitter, abi->word, list, LOX_LIST_COUNT);
  LLVMValueRef capacity = lox_load(emitter, abi->word, store, LOX_STORE_CAPACITY);
  lox_guard(emitter, LLVMBuildICmp(builder, LLVMIntULT, count, capacity, ""), slow);
  lox_store_at(emitter, lox_box(emitter, call->arguments[1]), store,
               lox_item_offset(emitter, count));
  lox_store(emitter, LLVMBuildAdd(builder, count, lox_abi_word(abi, 1), ""), list, LOX_LIST_COUNT);
  lox_jump(emitter, done);

  lox_enter(emitter, slow);
  call_native(emitter, call);
  lox_jump(emitter, done);
  lox_enter(emitter, done);
  return lox_nil(emitter).llvm;
}

struct lox_value lox_call_native(struct lox_emitter *emitter, int line,
                                 const struct lox_native_signature *native,
                                 const struct lox_value *arguments) {
  struct native_call call = {native, arguments, line};
  switch (native->number) {
  case LOX_NATIVE_LEN: return emit_len(emitter, &call);
  case LOX_NATIVE_CHAR_AT:
    return (struct lox_value){
        .llvm = emit_char_at(emitter, &call), .kind = LOX_KIND_STRING, .is_unique = true};
  case LOX_NATIVE_PUSH:
    return (struct lox_value){.llvm = emit_push(emitter, &call), .kind = LOX_KIND_NIL};
  default: return lox_unbox(emitter, call_native(emitter, &call), native->result);
  }
}
