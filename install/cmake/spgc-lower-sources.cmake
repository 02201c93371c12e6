# spgc_lower_sources(TARGET SOURCE... [OPTIONS OPTION...] [COMPILE_OPTIONS OPTION...])
#
# Adds to TARGET an object with statepoints for each SOURCE: IR (.ll), bitcode (.bc), or C and C++
# with references, which clang compiles to bitcode first. OPTIONS are those of spgc-lower, and
# COMPILE_OPTIONS those of clang. clang also gets the include directories and definitions of TARGET.
# Call it where TARGET is made. The variable SPGC_CLANG says which clang.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

# clang does not optimise, because its optimiser does not know about references.
function(_spgc_compile_to_bitcode target source bitcode)
  find_program(SPGC_CLANG NAMES clang-${SPGC_LLVM_VERSION} clang
    DOC "compiles C with references to bitcode for spgc-lower")
  if(NOT SPGC_CLANG)
    message(FATAL_ERROR "spgc_lower_sources: ${source} needs clang-${SPGC_LLVM_VERSION}; "
      "install it, or set SPGC_CLANG to the program")
  endif()
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  add_custom_command(
    OUTPUT "${bitcode}"
    COMMAND "${SPGC_CLANG}" -O2 -Xclang -disable-llvm-passes -fPIC
      "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
      ${ARGN} -MD -MT "${bitcode}" -MF "${bitcode}.d"
      -emit-llvm -c "${source}" -o "${bitcode}"
    DEPENDS "${source}"
    DEPFILE "${bitcode}.d"
    COMMENT "Compiling ${source} to bitcode"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

function(spgc_lower_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 lower "" "" "OPTIONS;COMPILE_OPTIONS")
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "spgc_lower_sources: ${target} is no target")
  endif()
  get_target_property(directory "${target}" SOURCE_DIR)
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "spgc_lower_sources: ${target} is made in ${directory}; call it there")
  endif()
  if(NOT lower_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "spgc_lower_sources: no source for ${target} is given")
  endif()
  foreach(source IN LISTS lower_UNPARSED_ARGUMENTS)
    get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    if(NOT EXISTS "${path}") # generated
      get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}" "${path}")
    string(REPLACE "../" "__/" name "${name}")
    set(object "${CMAKE_CURRENT_BINARY_DIR}/spgc-lower/${target}/${name}.o")
    get_filename_component(folder "${object}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    set(input "${path}")
    if(path MATCHES "[.](c|cc|cpp|cxx|C)$")
      set(input "${object}.bc")
      _spgc_compile_to_bitcode("${target}" "${path}" "${input}" ${lower_COMPILE_OPTIONS})
    elseif(NOT path MATCHES "[.](ll|bc)$")
      message(FATAL_ERROR "spgc_lower_sources: ${source} is neither IR, bitcode, C nor C++")
    endif()
    add_custom_command(
      OUTPUT "${object}"
      COMMAND spgc::lower "${input}" ${lower_OPTIONS} -o "${object}"
      DEPENDS "${input}" "$<TARGET_FILE:spgc::lower>"
      COMMENT "Lowering ${source}"
      VERBATIM)
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources("${target}" PRIVATE "${object}")
  endforeach()
endfunction()

cmake_policy(POP)
