# What lands in the Python package: libraries and their linker names, headers, CMake packages,
# enable.sh and popir-config. Every path below is relative to the folder popir/.

include(CMakePackageConfigHelpers)
set(package "${CMAKE_CURRENT_LIST_DIR}/../package")
set(staging "${CMAKE_BINARY_DIR}/package")

# The libraries of the SDK that libpopir stands for. Each has a linker name and a CMake target.
set(POPIR_SDK_LIBRARIES popart poplar poplin popnn popops poprand poputil gcl gcl_ct pva pvti popfloat
  popsparse popsys)
# The SDK version whose interface the headers follow; what find_package compares with.
set(POPIR_SDK_VERSION 3.3.0)

install(TARGETS popir LIBRARY DESTINATION lib)
install(TARGETS popc RUNTIME DESTINATION bin)
if(TARGET _device)
  install(TARGETS _device LIBRARY DESTINATION .)
  install(TARGETS popir_python LIBRARY DESTINATION lib)
endif()
if(POPIR_ONEDNN)
  install(FILES "${CMAKE_BINARY_DIR}/lib/libdnnl.so.3" DESTINATION lib)
  file(WRITE "${staging}/onednn/CHANGES" "libdnnl.so.3 is that of the package onednn-cpu-gomp but for the "
    "functions of OpenMP and of memory that it calls: they are renamed, and libpopir has them.\n")
  install(FILES "${onednn_licence}" "${onednn_third_party}" "${staging}/onednn/CHANGES"
    DESTINATION share/licenses/onednn)
endif()

foreach(name IN LISTS POPIR_SDK_LIBRARIES)
  file(WRITE "${staging}/lib/lib${name}.so" "/* linker script: libpopir holds ${name} */\nINPUT(libpopir.so)\n")
endforeach()
configure_file("${package}/popir-config.in" "${staging}/bin/popir-config" @ONLY)
configure_file("${package}/popirTargets.cmake.in" "${staging}/lib/cmake/popir/popirTargets.cmake" @ONLY)
foreach(name IN ITEMS popart poplar poplibs)
  file(WRITE "${staging}/lib/cmake/${name}/${name}Config.cmake"
       "include(\"\${CMAKE_CURRENT_LIST_DIR}/../popir/popirTargets.cmake\")\n")
  write_basic_package_version_file("${staging}/lib/cmake/${name}/${name}ConfigVersion.cmake"
    VERSION ${POPIR_SDK_VERSION} COMPATIBILITY AnyNewerVersion)
endforeach()
install(DIRECTORY "${staging}/lib" DESTINATION .)
install(PROGRAMS "${staging}/bin/popir-config" DESTINATION bin)
install(FILES "${package}/enable.sh" DESTINATION .)
install(DIRECTORY "${package}/compat" DESTINATION .)

# Source folders that are part of the package: copied, or linked if the package is this source tree.
function(popir_install_folder source destination)
  if(CMAKE_INSTALL_PREFIX STREQUAL POPIR_SOURCE_PACKAGE)
    file(RELATIVE_PATH target "${CMAKE_INSTALL_PREFIX}/${destination}/.." "${source}")
    install(CODE "
      file(REMOVE_RECURSE \"${CMAKE_INSTALL_PREFIX}/${destination}\")
      get_filename_component(parent \"${CMAKE_INSTALL_PREFIX}/${destination}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${parent}\")
      file(CREATE_LINK \"${target}\" \"${CMAKE_INSTALL_PREFIX}/${destination}\" SYMBOLIC)")
  elseif(EXISTS "${source}")
    install(DIRECTORY "${source}/" DESTINATION "${destination}")
  endif()
endfunction()
popir_install_folder("${CMAKE_CURRENT_SOURCE_DIR}/include" include)
popir_install_folder("${POPIR_SOURCE_PACKAGE}/../schemas" share/schemas)
