# SPDX-License-Identifier: Apache-2.0
# Makes a C file of machine descriptions: cmake -DFILES=a.json;b.json -DOUT=file.c -P ...
# A machine is known by the name of its file.

set(code "/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by cmake/embed_machines.cmake. */\n")
string(APPEND code "#include \"machine/machine_data.h\"\n")
set(rows "")
set(index 0)
set(names "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  get_filename_component(folder ${file} DIRECTORY)
  list(APPEND names ${name})
endforeach()
list(SORT names) # "a100" before "a100-40gb", unlike the names of their files
foreach(name ${names})
  set(file ${folder}/${name}.json)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes ${hex})
  string(APPEND code "static const unsigned char data_${index}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", data_${index}, sizeof(data_${index})},\n")
  math(EXPR index "${index} + 1")
endforeach()
string(APPEND code "const tacho_machine_data tacho_machine_data_items[] = {\n${rows}};\n"
                   "const size_t tacho_machine_data_count = ${index};\n")
file(WRITE ${OUT} "${code}")
