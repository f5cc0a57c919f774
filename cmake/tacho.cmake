# SPDX-License-Identifier: Apache-2.0
# Compile flags and the one helper of the build: tacho_room.

include(CheckCCompilerFlag)

option(TACHO_TESTS "build the tests" ON)
option(TACHO_BENCH "build the programs that measure" OFF)
option(TACHO_MPI "build what speaks MPI, where it is installed" ON)
option(TACHO_BOARD "build the runtime of boards alone, as one static program" OFF)
option(TACHO_FUZZ "build the libFuzzer targets (clang)" OFF)
set(TACHO_SANITIZE "" CACHE STRING "value of -fsanitize, empty for none")

# Tests need Debian's Python, for which they install packages, rather than that of a version manager.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_compile_definitions(_POSIX_C_SOURCE=200809L)
add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -Wcast-qual -Wundef -Wformat=2
  -Wdouble-promotion -Wswitch-enum -Wimplicit-fallthrough)
add_compile_options(-UNDEBUG) # a caller's mistake is asserted in every build
# Other compilers may have new warnings, which must not stop a build.
set(tried_compiler OFF)
if((CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION MATCHES "^12\\.") OR
   (CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_C_COMPILER_VERSION MATCHES "^14\\."))
  set(tried_compiler ON)
endif()
option(TACHO_WERROR "warnings are errors (on for the compilers of Debian 12)" ${tried_compiler})
if(TACHO_WERROR)
  add_compile_options(-Werror)
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-fno-omit-frame-pointer)
endif()
if(TACHO_SANITIZE)
  add_compile_options(-fsanitize=${TACHO_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TACHO_SANITIZE})
  if(TACHO_SANITIZE MATCHES address)
    # Options that the leak checker needs, in every program.
    add_library(tacho_address_sanitizer OBJECT ${CMAKE_CURRENT_LIST_DIR}/address_sanitizer.c)
    link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:tacho_address_sanitizer>)
  endif()
endif()
if(TACHO_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_INTERPROCEDURAL_OPTIMIZATION)
  # The program is optimised as a whole; tests link the same objects as they are, which is quick.
  add_compile_options(-ffat-lto-objects)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # Hardening that costs nothing measurable here; tests/hardening looks whether it is there.
  add_compile_options(-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  # Protection of control flow has another name on each architecture, and compilers refuse that of
  # another one. A warning counts as refusal.
  foreach(flag -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "TACHO_TAKES${flag}" takes_flag)
    check_c_compiler_flag("-Werror ${flag}" ${takes_flag})
    if(${takes_flag})
      add_compile_options(${flag})
    endif()
  endforeach()
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
  # The same sources give the same bytes, whatever folder they are in. GCC compiles once more when it
  # links, and then puts its folder into the debug information too.
  set(maps -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${CMAKE_BINARY_DIR}/=)
  add_compile_options(${maps})
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_link_options(${maps})
    if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
      # Of objects with code for both ways of linking, the assembler notes its folder, too.
      add_compile_options("SHELL:-Xassembler \"--debug-prefix-map=${CMAKE_SOURCE_DIR}/=\"")
    endif()
  endif()
endif()

# tacho_room(NAME [HOT] [USES rooms...] [THROUGH rooms...] [TEST_USES rooms...] [LINKS libraries...]
#            [EXCEPT files...] [ALSO files...])
# A room is this folder as an object library (in the runtime of boards an archive, of which the linker
# takes what is called): every .c file below it but those in EXCEPT, and ALSO what the build writes. It
# sees the headers of itself and of the rooms in USES, through a folder of links of its own, and no
# others: a wrong include does not compile. Headers of these rooms may include those of the rooms in
# THROUGH; files of this room may not (tests/tree/check_includes.py). HOT rooms have loops over rows,
# tensors or operators, for which -O3 pays; it takes a third more time to compile. Each *_test.c is a
# cmocka program, which sees and links the room, what it is built on, and TEST_USES.
function(tacho_room name)
  cmake_parse_arguments(ROOM "HOT" "" "USES;THROUGH;TEST_USES;LINKS;EXCEPT;ALSO" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.c)
  if(ROOM_EXCEPT)
    list(REMOVE_ITEM sources ${ROOM_EXCEPT})
  endif()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.c$")
  list(FILTER sources EXCLUDE REGEX "_test\\.c$")
  if(TACHO_BOARD)
    add_library(tacho_${name} STATIC ${sources} ${ROOM_ALSO})
  else()
    add_library(tacho_${name} OBJECT ${sources} ${ROOM_ALSO})
  endif()
  tacho_see_rooms(tacho_${name} ${name} ${ROOM_USES} ${ROOM_THROUGH})
  target_link_libraries(tacho_${name} PUBLIC ${ROOM_LINKS})
  if(ROOM_HOT AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(tacho_${name} PRIVATE -O3)
  endif()
  set_property(GLOBAL APPEND PROPERTY TACHO_ROOMS ${name})
  set_property(GLOBAL APPEND_STRING PROPERTY TACHO_ROOM_USES "${name}: ${ROOM_USES} | ${ROOM_THROUGH}\n")
  set(below ${ROOM_USES})
  foreach(used ${ROOM_USES})
    get_property(more GLOBAL PROPERTY TACHO_BELOW_${used})
    list(APPEND below ${more})
  endforeach()
  list(REMOVE_DUPLICATES below)
  set_property(GLOBAL PROPERTY TACHO_BELOW_${name} ${below})
  set_property(GLOBAL PROPERTY TACHO_TEST_USES_${name} ${ROOM_TEST_USES})
  if(TACHO_TESTS)
    foreach(test ${tests})
      set_property(GLOBAL APPEND PROPERTY TACHO_UNIT_TESTS ${CMAKE_CURRENT_SOURCE_DIR}/${test})
      set_property(GLOBAL APPEND PROPERTY TACHO_UNIT_TEST_ROOMS ${name})
    endforeach()
  endif()
endfunction()

# tacho_injected_library(NAME): this folder as libtacho-NAME.so, which other people's programs load; it
# reports through the client library, which is inside it.
function(tacho_injected_library name)
  file(GLOB sources CONFIGURE_DEPENDS *.c)
  get_target_property(client_sources tacho_client SOURCES)
  list(TRANSFORM client_sources PREPEND ${CMAKE_SOURCE_DIR}/src/client/)
  add_library(tacho_${name} MODULE ${sources} ${client_sources})
  tacho_see_rooms(tacho_${name} client ${name})
  set_property(GLOBAL APPEND_STRING PROPERTY TACHO_ROOM_USES "${name}:\n") # in no program of ours
  target_compile_definitions(tacho_${name} PRIVATE TACHO_CLIENT_API=)
  target_link_options(tacho_${name} PRIVATE -Wl,-z,nodelete)
  set_target_properties(tacho_${name} PROPERTIES PREFIX lib OUTPUT_NAME tacho-${name}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/tacho)
  install(TARGETS tacho_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tacho)
endfunction()

# tacho_see_rooms(TARGET rooms...): the headers of these rooms, and include/, are all it can include.
function(tacho_see_rooms target)
  set(root ${CMAKE_BINARY_DIR}/rooms/${target})
  file(REMOVE_RECURSE ${root})
  file(MAKE_DIRECTORY ${root})
  foreach(room ${ARGN})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${room} ${root}/${room} SYMBOLIC)
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include ${root})
endfunction()

# tacho_static_library(NAME rooms...): libNAME.a, in which all objects are one, so that names which are
# not exported are no names of a program that links it. Code for optimising at link time stays out:
# it would bring them back.
function(tacho_static_library name)
  set(archive ${TACHO_LIBRARY_DIR}/lib${name}.a)
  set(whole ${CMAKE_CURRENT_BINARY_DIR}/lib${name}.o)
  set(objects)
  foreach(room ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:${room}>)
  endforeach()
  set(join ${CMAKE_C_COMPILER} -r -nostdlib)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND join -fno-lto -fno-use-linker-plugin)
  endif()
  add_custom_command(OUTPUT ${archive}
    COMMAND ${join} -o ${whole} ${objects}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden --remove-section=.gnu.lto_*
            --remove-section=.gnu.debuglto_* ${whole}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} qcD ${archive} ${whole}
    COMMAND ${CMAKE_RANLIB} -D ${archive}
    DEPENDS ${ARGN} ${objects}
    COMMENT "Joining lib${name}.a" COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name}_static ALL DEPENDS ${archive})
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
