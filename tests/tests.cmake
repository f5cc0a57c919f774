# SPDX-License-Identifier: Apache-2.0
# How a test is added: unit tests, drivers written in C, suites.

# tacho_unit_test(FILE rooms...): a cmocka program of |rooms|, which are all that it sees. The first is
# the room that it covers.
function(tacho_unit_test file)
  get_filename_component(name ${file} NAME_WE)
  list(TRANSFORM ARGN PREPEND tacho_test_ OUTPUT_VARIABLE archives)
  add_executable(${name} ${file})
  tacho_see_rooms(${name} ${ARGN})
  target_compile_definitions(${name} PRIVATE TACHO_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
  target_link_libraries(${name} PRIVATE ${archives} PkgConfig::CMOCKA)
  if(TARGET tacho_msan_libraries)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:tacho_msan_libraries>)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME unit.${name} COMMAND ${name})
  list(GET ARGN 0 room)
  set_property(TEST unit.${name} PROPERTY LABELS ${room})
  add_dependencies(test-${room} ${name})
endfunction()

# tacho_driver(NAME FILE [libraries...]): a program of all rooms, build/tests/NAME, that suites run.
function(tacho_driver name file)
  add_executable(${name} ${file})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE tacho_test_rooms ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endfunction()

# tacho_suite(NAME ROOMS rooms... RUN command... [COST seconds] [NEEDS targets...] [LONG] [SERIAL]
#             [SETUP fixture] [AFTER fixture] [CONFIGURATION name])
# A test that drives the program. The first word of RUN is a Python or shell script of this folder, or
# a program. ROOMS are those whose lines it covers: 'make test ROOM=x' runs it for them, after building
# the program and NEEDS. COST is the CPU time on an idle computer; the longest start first. LONG tests
# run in 'make torture'. Exit status 77 means skipped, with the reason on a line of the output.
function(tacho_suite name)
  cmake_parse_arguments(SUITE "LONG;SERIAL" "COST;SETUP;AFTER;CONFIGURATION" "ROOMS;RUN;NEEDS" ${ARGN})
  list(POP_FRONT SUITE_RUN first)
  if(first MATCHES "\\.py$")
    set(first ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${first})
  elseif(first MATCHES "\\.sh$")
    set(first bash ${CMAKE_CURRENT_SOURCE_DIR}/${first})
  endif()
  set(when)
  if(SUITE_CONFIGURATION)
    set(when CONFIGURATIONS ${SUITE_CONFIGURATION})
  endif()
  add_test(NAME ${name} ${when} COMMAND ${first} ${SUITE_RUN})
  set(labels ${SUITE_ROOMS})
  if(SUITE_LONG)
    list(APPEND labels long)
  endif()
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "${labels}")
  foreach(property SETUP:FIXTURES_SETUP AFTER:FIXTURES_REQUIRED COST:COST)
    string(REGEX MATCH "(.*):(.*)" both ${property})
    if(DEFINED SUITE_${CMAKE_MATCH_1})
      set_property(TEST ${name} PROPERTY ${CMAKE_MATCH_2} ${SUITE_${CMAKE_MATCH_1}})
    endif()
  endforeach()
  if(SUITE_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE TIMEOUT 900)
  endif()
  foreach(room ${SUITE_ROOMS})
    add_dependencies(test-${room} tacho_tool ${SUITE_NEEDS})
  endforeach()
endfunction()
