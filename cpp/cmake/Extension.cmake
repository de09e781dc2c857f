# popir._device: the only code that knows Python.

file(GLOB_RECURSE binding_sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "bindings/*.cpp")

find_package(Python 3.10 COMPONENTS Interpreter Development.Module)
if(NOT Python_Development.Module_FOUND)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no Python.h. Install its headers (python3-dev on Debian and Ubuntu, "
                      "python3-devel on Fedora).")
endif()
popir_wheel_file(pybind11_header pybind11 include/pybind11/pybind11.h)
get_filename_component(pybind11_include "${pybind11_header}/../.." ABSOLUTE)
popir_mirror("${pybind11_include}" pybind11 "${CMAKE_BINARY_DIR}/pybind11/include")

Python_add_library(_device MODULE WITH_SOABI ${binding_sources})
target_include_directories(_device SYSTEM PRIVATE "${CMAKE_BINARY_DIR}/pybind11/include")
target_compile_definitions(_device PRIVATE POPIR_IS_BUILT)
target_compile_options(_device PRIVATE -Wall -Wextra $<$<BOOL:${POPIR_WERROR}>:-Werror>)
target_link_libraries(_device PRIVATE popir)

# Where a unity build (see Library.cmake) takes files together: each file alone compiles much of
# pybind11 anew, and all of them at once take gigabytes. What is in no group stays alone.
set_target_properties(_device PROPERTIES UNITY_BUILD_MODE GROUP)
set(popart_group "popart.*|onnx_convert")
set(popops_group "popops.*")
set(poplar_group "poplar|quarter|vertices|popnn")
set(poplin_group "poplin|poprand|poputil|machine")
set(engine_group "engine|engine_options|executables|devices|contraction|errors|ext|guards|module|numpy")
set(foreign_group "foreign_habana|foreign_tensorflow|foreign_xla|gcl|work_sizes")
foreach(group IN ITEMS popart popops poplar poplin engine foreign)
  set(group_sources ${binding_sources})
  list(FILTER group_sources INCLUDE REGEX "^bindings/(${${group}_group})\\.cpp$")
  set_source_files_properties(${group_sources} PROPERTIES UNITY_GROUP ${group})
endforeach()
set_target_properties(_device PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}"
  INSTALL_RPATH "$ORIGIN/lib")

# libpopir_python: what programs in C++ use Python by. libpopir loads it when it is first needed,
# after an interpreter, whose symbols it takes. Its name has the version of Python.
add_library(popir_python SHARED embed/python.cpp)
target_include_directories(popir_python SYSTEM PRIVATE "${CMAKE_BINARY_DIR}/pybind11/include"
  ${Python_INCLUDE_DIRS})
target_compile_definitions(popir_python PRIVATE POPIR_IS_BUILT)
target_compile_options(popir_python PRIVATE -Wall -Wextra $<$<BOOL:${POPIR_WERROR}>:-Werror>)
target_link_libraries(popir_python PRIVATE popir)
set_target_properties(popir_python PROPERTIES
  OUTPUT_NAME "popir_python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}"
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib"
  INSTALL_RPATH "$ORIGIN")
