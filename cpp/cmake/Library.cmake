# libpopir.so: everything that operators and the extension link.

set(source_folders support kernels machine codelets poplar program costing engine executable pva
  pvti poputil popops popfloat poplin popnn popsparse poprand gcl popart foreign)
list(TRANSFORM source_folders APPEND "/*.cpp" OUTPUT_VARIABLE source_patterns)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" ${source_patterns})

# What executes in a run is hot; the rest makes graphs and costs them.
set(hot_sources ${sources})
list(FILTER hot_sources INCLUDE REGEX "^(kernels|program|engine)/")
set(other_sources ${sources})
list(REMOVE_ITEM other_sources ${hot_sources})

# Files of one instruction set are built without sanitizers anyway (see below): the objects of a
# plain build, which the variable names, are as good and faster.
set(plain_objects "")
if(POPIR_SANITIZE AND DEFINED ENV{POPIR_PLAIN_BUILD})
  foreach(source IN LISTS hot_sources)
    set(object "$ENV{POPIR_PLAIN_BUILD}/CMakeFiles/popir_hot.dir/${source}.o")
    if(source MATCHES "_(avx2|avx512|avx512vnni|amx)\\.cpp$" AND EXISTS "${object}")
      list(REMOVE_ITEM hot_sources "${source}")
      list(APPEND plain_objects "${object}")
    endif()
  endforeach()
  message(STATUS "Objects from $ENV{POPIR_PLAIN_BUILD}: ${plain_objects}")
endif()

# g++ looks for garbage first at twice this many kilobytes: a twentieth of its time. With 700000 it
# takes more than 1.5 GB.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=400000)
endif()
add_library(popir_hot OBJECT ${hot_sources})
add_library(popir SHARED version.cpp ${other_sources})
target_link_libraries(popir PRIVATE popir_hot)
target_sources(popir PRIVATE ${plain_objects})
target_link_options(popir PRIVATE -Wl,--build-id=sha1)
set(parts popir_hot popir)
add_library(popir_simd INTERFACE)
target_compile_options(popir_simd INTERFACE -fopenmp)
foreach(part IN LISTS parts)
  target_include_directories(${part} PUBLIC include "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_definitions(${part} PRIVATE POPIR_IS_BUILT)
  target_compile_options(${part} PRIVATE -Wall -Wextra -ffp-contract=off -fno-math-errno -fno-trapping-math)
  # Of OpenMP only `omp simd`: threads are our own, and its library is not linked.
  target_link_libraries(${part} PUBLIC popir_simd Threads::Threads)
endforeach()
target_compile_options(popir_hot PRIVATE $<$<CONFIG:Release>:-O3>)
set_source_files_properties(version.cpp PROPERTIES COMPILE_DEFINITIONS "POPIR_VERSION=\"${PROJECT_VERSION}\"")
set_target_properties(popir PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib"
  INSTALL_RPATH "$ORIGIN")

# With -DCMAKE_UNITY_BUILD=ON, as pip builds, the files of a folder compile as one: headers are read
# and templates made once for all of them. So no two files of a folder may define one name, not even
# in anonymous namespaces. Small folders are together, of which the same is true, for each would take
# one to two seconds for the same headers. What has COMPILE_OPTIONS of its own, such as those of an
# instruction set, stays alone.
set_target_properties(${parts} PROPERTIES UNITY_BUILD_MODE GROUP)
set(popart_alias_with popart_rest)
set(popart_patterns_with popart_rest)
set(popart_transforms_with popart_rest)
set(popart_popx_with popart_rest)
set(popart_popx_op_with popart_op)
set(machine_exchange_with machine)
set(machine_slices_with machine)
set(machine_estimators_with machine)
set(machine_contraction_with machine)
set(gcl_with libraries)
set(poprand_with libraries)
set(popfloat_with libraries)
set(popsparse_with libraries)
set(pvti_with pva)
set(codelets_tile_with codelets)
set(support_with executable)
set(engine_placement_with engine_plan)
foreach(source IN LISTS hot_sources other_sources)
  get_filename_component(folder "${source}" DIRECTORY)
  string(REPLACE "/" "_" folder "${folder}")
  if(DEFINED ${folder}_with)
    set(folder ${${folder}_with})
  endif()
  set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}")
endforeach()

# One instruction set per file, named by the end of the file's name; callers choose at run time.
# A short loop that lies across two lines of the instruction cache takes up to a third longer.
set(avx2_options -mavx2 -mfma -mf16c -falign-loops=32)
set(avx512_options -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mf16c -mprefer-vector-width=512
    -falign-loops=32)
set(avx512vnni_options ${avx512_options} -mavx512vnni)
set(amx_options ${avx512_options} -mavx512bf16 -mamx-tile -mamx-bf16 -mamx-int8)
# Their unrolled loops take a sanitizer minutes and hold no memory of their own.
if(POPIR_SANITIZE)
  foreach(isa IN ITEMS avx2 avx512 avx512vnni amx)
    list(APPEND ${isa}_options -fno-sanitize=all)
  endforeach()
endif()
foreach(isa IN ITEMS avx2 avx512 avx512vnni amx)
  set(isa_sources ${hot_sources})
  list(FILTER isa_sources INCLUDE REGEX "_${isa}\\.cpp$")
  if(isa_sources)
    set_source_files_properties(${isa_sources} PROPERTIES COMPILE_OPTIONS "${${isa}_options}")
  endif()
endforeach()

# A thousand constructors of constants in a row: nothing to optimise, and -O3 takes minutes over it.
set_source_files_properties(popart/operators.cpp PROPERTIES COMPILE_OPTIONS -O0)

# oneDNN: one copy of its library beside ours, and that copy is what we link.
if(POPIR_ONEDNN)
  popir_wheel_file(onednn_header onednn-devel-cpu-gomp include/oneapi/dnnl/dnnl.hpp)
  popir_wheel_file(onednn_library onednn-cpu-gomp libdnnl.so.3)
  popir_wheel_file(onednn_licence onednn-cpu-gomp share/doc/onednn/LICENSE)
  popir_wheel_file(onednn_third_party onednn-cpu-gomp share/doc/onednn/THIRD-PARTY-PROGRAMS)
  get_filename_component(onednn_include "${onednn_header}/../../.." ABSOLUTE)
  popir_mirror("${onednn_include}" oneapi "${CMAKE_BINARY_DIR}/onednn/include")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  set(onednn_copy "${CMAKE_BINARY_DIR}/lib/libdnnl.so.3")
  popir_onednn_on_our_threads("${onednn_library}" "${onednn_copy}")

  add_library(onednn SHARED IMPORTED)
  set_target_properties(onednn PROPERTIES
    IMPORTED_LOCATION "${onednn_copy}"
    IMPORTED_SONAME libdnnl.so.3
    INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_BINARY_DIR}/onednn/include"
    INTERFACE_COMPILE_DEFINITIONS POPIR_HAVE_ONEDNN=1)
  target_link_libraries(popir_hot PRIVATE onednn)
  set(versions "${CMAKE_CURRENT_LIST_DIR}/onednn.map")
  target_link_options(popir PRIVATE "-Wl,--version-script=${versions}")
  set_target_properties(popir PROPERTIES LINK_DEPENDS "${versions}")
endif()

foreach(part IN LISTS parts)
  if(POPIR_WERROR)
    target_compile_options(${part} PRIVATE -Werror)
  endif()
  if(POPIR_SANITIZE)
    # The first fault ends the process. Operator libraries need not have the type information of vptr.
    target_compile_options(${part} PRIVATE -fsanitize=${POPIR_SANITIZE} -fno-sanitize-recover=all
      -fno-sanitize=vptr -fno-omit-frame-pointer -O0 $<$<BOOL:${POPIR_SANITIZE_LINES}>:-g1>)
  endif()
endforeach()
if(POPIR_SANITIZE)
  target_link_options(popir PUBLIC -fsanitize=${POPIR_SANITIZE})
else()
  target_link_options(popir PRIVATE -Wl,-z,defs)
endif()

# popc, the compiler of codelets, finds the library and the headers from its own place.
add_executable(popc tools/popc.cpp)
target_compile_options(popc PRIVATE -Wall -Wextra $<$<BOOL:${POPIR_WERROR}>:-Werror>)
target_link_libraries(popc PRIVATE popir)
set_target_properties(popc PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin"
  INSTALL_RPATH "$ORIGIN/../lib")
