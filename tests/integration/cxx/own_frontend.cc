// A frontend that builds IR with LLVM's C++ classes, and runs it through the library's JIT instead
// of an LLJIT. docs/existing-compiler.md quotes it.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "spgc/jit.h"
#include "spgc/lower.h"
#include "spgc/spgc.hpp"
#include "spgc/type.h"

namespace {

const spgc_type cell_type = {16, 0, 0, 0, nullptr, 0, 0, nullptr, "cell"};

void check(spgc_result result, const spgc_error &error) {
  if (result == SPGC_OK)
    return;
  std::fprintf(stderr, "%s\n", error.message);
  std::exit(1);
}

void *compile(spgc_jit *jit, std::unique_ptr<llvm::Module> module, const char *function) {
  spgc_error error;
  spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  LLVMModuleRef wrapped = llvm::wrap(module.get());
  check(spgc_lower_module(wrapped, &options, &error), error);
  LLVMMemoryBufferRef object;
  check(spgc_emit_module(wrapped, &options, LLVMObjectFile, &object, &error), error);
  check(spgc_jit_add(jit, object, nullptr, &error), error); // instead of LLJIT::addIRModule
  void *address;
  check(spgc_jit_lookup(jit, function, &address, &error), error);
  return address;
}

// long keep(long number): a cell keeps the number over a collection.
std::unique_ptr<llvm::Module> frontend(llvm::LLVMContext &context) {
  auto module = std::make_unique<llvm::Module>("example", context);
  llvm::IRBuilder<> builder(context);
  llvm::Type *number = builder.getInt64Ty();
  llvm::Type *reference = builder.getPtrTy(1); // ptr addrspace(1)
  auto allocate = module->getOrInsertFunction("spgc_allocate", reference, builder.getPtrTy());
  auto collect = module->getOrInsertFunction("collect", builder.getVoidTy());
  auto *function = llvm::Function::Create(llvm::FunctionType::get(number, {number}, false),
                                          llvm::Function::ExternalLinkage, "keep", *module);
  function->setGC("statepoint-example");
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  llvm::Value *type = builder.getInt64(reinterpret_cast<uintptr_t>(&cell_type));
  type = builder.CreateIntToPtr(type, builder.getPtrTy());
  llvm::Value *cell = builder.CreateCall(allocate, {type});
  llvm::Value *field = builder.CreateConstGEP1_64(builder.getInt8Ty(), cell, 8);
  builder.CreateStore(function->getArg(0), field);
  builder.CreateCall(collect);
  // Volatile, or the optimiser would know the number, and no cell would live over the collection.
  builder.CreateRet(builder.CreateLoad(number, field, /*isVolatile=*/true));
  return module;
}

void collect() {
  spgc_collect(SPGC_COLLECTION_MINOR);
}

} // namespace

int main() {
  spgc_error error;
  check(spgc_llvm_initialise(&error), error);
  return spgc::run([&] {
    spgc_jit *jit;
    check(spgc_jit_create(&jit, &error), error);
    check(spgc_jit_define(jit, "collect", reinterpret_cast<void *>(collect), &error), error);
    llvm::LLVMContext context;
    auto keep = reinterpret_cast<long (*)(long)>(compile(jit, frontend(context), "keep"));
    bool right = keep(42) == 42;
    spgc_statistics statistics;
    spgc_statistics_read(&statistics);
    right = right && statistics.moved_objects != 0;
    spgc_jit_destroy(jit);
    return right ? 0 : 1;
  });
}
