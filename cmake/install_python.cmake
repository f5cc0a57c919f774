# SPDX-License-Identifier: Apache-2.0
# Installs the Python package; python/CMakeLists.txt sets what is used here. The prefix is known only
# now, and with it the folder that the system's Python reads: Debian's reads
# /usr/local/lib/python3.11/dist-packages, but /usr/lib/python3/dist-packages.
set(prefix "${CMAKE_INSTALL_PREFIX}")
if(python_dir STREQUAL "" AND python)
  execute_process(COMMAND ${python} -I -c "import site; print(*site.getsitepackages(), sep=';')"
                  OUTPUT_VARIABLE site_dirs OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  foreach(dir IN LISTS site_dirs)
    file(RELATIVE_PATH inner "${prefix}" "${dir}")
    if(python_dir STREQUAL "" AND inner MATCHES "^lib(64)?/")
      set(python_dir "${inner}")
    endif()
  endforeach()
endif()
if(python_dir STREQUAL "") # Python does not look under this prefix: one folder for all versions
  set(python_dir lib/python3/dist-packages)
endif()
set(folder "${prefix}/${python_dir}")

file(INSTALL "${source}/perfetto_logger.py" "${source}/qaic" "${source}/tacho" "${dist_info}"
     DESTINATION "${folder}" PATTERN __pycache__ EXCLUDE)
file(RELATIVE_PATH way "${folder}/tacho" "${prefix}/${library}")
get_filename_component(name "${library}" NAME)
file(CREATE_LINK "${way}" "$ENV{DESTDIR}${folder}/tacho/${name}" SYMBOLIC)
