#include "codegen/emit/target.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Support.h>
#include <llvm-c/Target.h>

#include "codegen/ir/processor.h"
#include "support/fatal.h"

/* LLVM's options are process-global.
 * - Only together do the first two put references into callee-saved registers at statepoints.
 * - The third does so across calls with a landing pad: the unwinder reloads the registers from the
 *   places that the collector updated.
 * - Two let an interpreter's indirect jump be copied into more than 16 cases.
 * - The next makes frame sizes in stack maps right if calls push their arguments.
 * - The last omits a pass for AVX-512, quadratic in a function's relocations: with 60 references
 *   live across 180 calls it took 3/4 of all compile time.
 *
 * Those of x86-64 come last, because LLVM ends the process for an unknown option. */
static const char *const code_generation_options[] = {
    "spgc",
    "-max-registers-for-gc-values=16",
    "-fixup-allow-gcptr-in-csr",
    "-use-registers-for-gc-values-in-landing-pad",
    "-tail-dup-pred-size=256",
    "-tail-dup-succ-size=256",
    "-no-x86-call-frame-opt",
    "-disable-x86-domain-reassignment",
};
enum { OPTIONS_OF_X86_64 = 2 };

static bool initialised; /* written by spgc_llvm_initialise */

enum spgc_result spgc_llvm_require_initialised(struct spgc_error *error) {
  return initialised ? SPGC_OK
                     : spgc_error_set(error, SPGC_ERROR_STATE, 0,
                                      "LLVM is not initialised: call spgc_llvm_initialise first");
}

enum spgc_result spgc_llvm_initialise(struct spgc_error *error) {
  if (initialised)
    return SPGC_OK;
  if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter() ||
      LLVMInitializeNativeAsmParser())
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "this LLVM cannot generate code for this machine");
  spgc_processors_initialise();
  int options = sizeof code_generation_options / sizeof *code_generation_options;
  LLVMParseCommandLineOptions(options - (spgc_processors_have_x86_64() ? 0 : OPTIONS_OF_X86_64),
                              code_generation_options, "");
  initialised = true;
  return SPGC_OK;
}

static LLVMCodeGenOptLevel code_generation_level(unsigned optimisation) {
  /* The register allocator of level none cannot keep references in registers at statepoints. */
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelLess, LLVMCodeGenLevelLess,
                                               LLVMCodeGenLevelDefault, LLVMCodeGenLevelAggressive};
  return levels[optimisation];
}

static LLVMTargetMachineRef create_machine(LLVMTargetRef target, const char *triple,
                                           const struct spgc_lower_options *options) {
  LLVMCodeGenOptLevel level = code_generation_level(options->optimisation);
  if (options->cpu != NULL || options->code == SPGC_CODE_AHEAD_OF_TIME) {
    const char *cpu =
        options->cpu != NULL ? options->cpu : spgc_processor_of_triple(triple)->default_cpu;
    return LLVMCreateTargetMachine(target, triple, cpu, "", level, LLVMRelocPIC,
                                   LLVMCodeModelDefault);
  }
  char *cpu = LLVMGetHostCPUName();
  char *features = LLVMGetHostCPUFeatures();
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, cpu, features, level,
                                                         LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  return machine;
}

static enum spgc_result check_triple(const struct spgc_lower_options *options,
                                     struct spgc_error *error) {
  if (options->target == NULL)
    return SPGC_OK;
  if (options->code == SPGC_CODE_JIT)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "the JIT generates code for this machine only; give it no target");
  if (spgc_processor_of_triple(options->target) != NULL)
    return SPGC_OK;
  return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                        "the target \"%.80s\" is not supported; give %s. The processor is chosen "
                        "by its name, e.g. x86-64-v3",
                        options->target, spgc_supported_triples);
}

static enum spgc_result check_cpu(const char *cpu, const char *triple, struct spgc_error *error) {
  const struct processor *processor = spgc_processor_of_triple(triple);
  if (processor == NULL)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "this machine is %.80s; give the target %s", triple,
                          spgc_supported_triples);
  return cpu == NULL || spgc_processor_has_cpu(processor, cpu)
             ? SPGC_OK
             : spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                              "unknown processor \"%s\"; give one of %s by LLVM's name, e.g. %s",
                              cpu, processor->name, processor->example_cpu);
}

enum spgc_result spgc_target_machine_create(const struct spgc_lower_options *options,
                                            LLVMTargetMachineRef *machine,
                                            struct spgc_error *error) {
  if (options->optimisation > 3)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "optimisation level %u; the levels are 0 to 3", options->optimisation);
  enum spgc_result result = check_triple(options, error);
  if (result == SPGC_OK)
    result = spgc_llvm_require_initialised(error);
  if (result != SPGC_OK)
    return result;
  char *triple = options->target != NULL ? LLVMNormalizeTargetTriple(options->target)
                                         : LLVMGetDefaultTargetTriple();
  result = check_cpu(options->cpu, triple, error);
  if (result != SPGC_OK) {
    LLVMDisposeMessage(triple);
    return result;
  }
  char *message = NULL;
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(triple, &target, &message))
    result = spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0, "no code generator for %s: %s",
                            triple, message);
  else
    *machine = create_machine(target, triple, options);
  if (result == SPGC_OK && *machine == NULL)
    result = spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0, "no code generator for %s", triple);
  LLVMDisposeMessage(message);
  LLVMDisposeMessage(triple);
  return result;
}

/* Since LLVM 18 a layout states the alignment of i128. LLVM adds it to older bitcode, but not to
 * older text. */
static bool layout_agrees(const char *given, const char *wanted) {
  static const char stated[] = "-i128:128";
  const char *i128 = strstr(wanted, stated);
  size_t same = i128 != NULL ? (size_t)(i128 - wanted) : 0;
  if (*given == '\0')
    return true;
  if (strncmp(given, wanted, same) != 0)
    return false;
  given += same;
  wanted += same;
  if (i128 != NULL && strncmp(given, stated, strlen(stated)) != 0)
    wanted += strlen(stated);
  size_t length = strlen(wanted);
  return strncmp(given, wanted, length) == 0 &&
         (given[length] == '\0' || strncmp(given + length, "-ni:", 4) == 0);
}

/* The vendor and the C library do not affect code. */
static bool triple_agrees(const char *given, const char *wanted) {
  return *given == '\0' || spgc_processor_of_triple(given) == spgc_processor_of_triple(wanted);
}

enum spgc_result spgc_target_prepare_module(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                            struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMCreateTargetDataLayout(machine);
  char *layout = LLVMCopyStringRepOfTargetData(data);
  LLVMDisposeTargetData(data);
  char *triple = LLVMGetTargetMachineTriple(machine);
  enum spgc_result result = SPGC_OK;
  if (!triple_agrees(LLVMGetTarget(module), triple)) {
    result = spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                            "the module is for %.80s; code is generated for %s",
                            LLVMGetTarget(module), triple);
  } else if (!layout_agrees(LLVMGetDataLayoutStr(module), layout)) {
    result = spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                            "the module has the data layout \"%s\"; this machine's is \"%s\"",
                            LLVMGetDataLayoutStr(module), layout);
  } else {
    char extended[256];
    int length = snprintf(extended, sizeof extended, "%s-ni:1", layout);
    spgc_require(length > 0 && (size_t)length < sizeof extended, "the data layout %s is too long",
                 layout);
    LLVMSetDataLayout(module, extended);
    LLVMSetTarget(module, triple);
  }
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(layout);
  return result;
}
