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
