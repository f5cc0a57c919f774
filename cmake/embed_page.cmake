# SPDX-License-Identifier: Apache-2.0
# Makes a C file of the report page: cmake -DFOLDER=.../report -DOUT=file.c -P embed_page.cmake
#
# page.html names the style sheet, the script and where the data goes with words in double braces.
# The script is several files, one after the other.
# Its content security policy allows that one script and that one style sheet, by their SHA-256;
# {{STYLE_HASH}} and {{SCRIPT_HASH}} become those hashes. All is done on hexadecimal digits, which
# mean nothing to CMake.

set(LETTERS ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)

function(hex_of_text text out)
  string(HEX "${text}" hex)
  set(${out} ${hex} PARENT_SCOPE)
endfunction()

# The base64 form of the SHA-256 of a file, as hexadecimal digits of its letters.
function(hash_of_file file out)
  file(SHA256 ${file} hash)
  set(text "")
  foreach(at RANGE 0 58 6) # ten groups of three bytes, then two bytes
    string(SUBSTRING ${hash} ${at} 6 group)
    math(EXPR bits "0x${group}")
    foreach(shift 18 12 6 0)
      math(EXPR index "(${bits} >> ${shift}) & 63")
      string(SUBSTRING ${LETTERS} ${index} 1 letter)
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  string(SUBSTRING ${hash} 60 4 group)
  math(EXPR bits "0x${group} << 2")
  foreach(shift 12 6 0)
    math(EXPR index "(${bits} >> ${shift}) & 63")
    string(SUBSTRING ${LETTERS} ${index} 1 letter)
    string(APPEND text ${letter})
  endforeach()
  hex_of_text("${text}=" hex)
  set(${out} ${hex} PARENT_SCOPE)
endfunction()

set(sources blobs columns sums colours trace timeline_view timeline elements tables layers selection verdict
    operators details roofline panels compare ranks profiles export steps page)
list(TRANSFORM sources PREPEND ${FOLDER}/)
list(TRANSFORM sources APPEND .js)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E cat ${sources}
  OUTPUT_FILE ${OUT}.js COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FOLDER}/page.html page HEX)
file(READ ${FOLDER}/page.css style HEX)
file(READ ${OUT}.js script HEX)
hash_of_file(${FOLDER}/page.css style_hash)
hash_of_file(${OUT}.js script_hash)
foreach(word style script style_hash script_hash)
  string(TOUPPER ${word} upper)
  hex_of_text("{{${upper}}}" mark)
  string(REPLACE ${mark} ${${word}} page ${page})
endforeach()
hex_of_text("{{DATA}}" mark)
string(FIND ${page} ${mark} at)
if(at LESS 0)
  message(FATAL_ERROR "page.html has no {{DATA}}")
endif()
string(LENGTH ${mark} mark_length)
string(SUBSTRING ${page} 0 ${at} head)
math(EXPR at "${at} + ${mark_length}")
string(SUBSTRING ${page} ${at} -1 tail)

set(code "/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by cmake/embed_page.cmake. */\n")
string(APPEND code "#include \"sinks/report/page_data.h\"\n")
foreach(part head tail)
  string(REGEX REPLACE "(..)" "0x\\1," bytes ${${part}})
  string(APPEND code "const unsigned char tacho_report_${part}[] = {${bytes}};\n"
                     "const size_t tacho_report_${part}_len = sizeof(tacho_report_${part});\n")
endforeach()
file(WRITE ${OUT} "${code}")
