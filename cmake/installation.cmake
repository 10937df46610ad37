# What `cmake --install` puts in place: programs, one archive, headers, a CMake package, a .pc file.
#
# The archive is one object in which everything but Penstock's own interface is local, KJ and Cap'n
# Proto included: a program that links another version of them meets nothing of ours. It is an archive
# because Debian's static KJ is not position-independent enough for a shared library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(kj_archives "")
foreach(name capnp-rpc capnp kj-tls kj-async kj)
  find_library(PENSTOCK_ARCHIVE_${name} lib${name}.a REQUIRED)
  list(APPEND kj_archives ${PENSTOCK_ARCHIVE_${name}})
endforeach()

set(archive ${CMAKE_BINARY_DIR}/lib/libpenstock.a)
set(merged ${CMAKE_BINARY_DIR}/lib/penstock.o)
set(kept sdk weights program base)  # have what the public headers declare
set(used rpc wire net)
list(TRANSFORM kept PREPEND penstock_)
list(TRANSFORM used PREPEND penstock_)
set(kept_files ${kept})
set(used_files ${used})
list(TRANSFORM kept_files REPLACE "(.+)" "$<TARGET_FILE:\\1>")
list(TRANSFORM used_files REPLACE "(.+)" "$<TARGET_FILE:\\1>")
add_executable(weaken_unique ${CMAKE_SOURCE_DIR}/cmake/weaken_unique.cpp)
add_custom_command(
  OUTPUT ${archive}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/lib
  # Groups that several objects share are settled now: a linker would take the user's copy of an
  # inline function of KJ for ours.
  COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${merged} --whole-archive ${kept_files}
          --no-whole-archive --start-group ${used_files} ${kj_archives} --end-group
  COMMAND weaken_unique ${merged}
  COMMAND ${CMAKE_OBJCOPY} --strip-debug --wildcard
          --keep-global-symbols=${CMAKE_SOURCE_DIR}/cmake/exported_symbols.txt ${merged}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --localize-symbol=_Z*8penstock6detail*
          --localize-symbol=_Z*8penstock3net* --localize-symbol=_Z*8penstock4wire*
          --localize-symbol=*2kj* --localize-symbol=*5capnp* --localize-symbol=*8nlohmann* ${merged}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
  COMMAND ${CMAKE_AR} rcs ${archive} ${merged}
  DEPENDS ${kept} ${used} ${CMAKE_SOURCE_DIR}/cmake/exported_symbols.txt
  COMMENT "Merging libpenstock.a"
  VERBATIM)
if(NOT PENSTOCK_SANITIZE)
  add_custom_target(penstock_archive ALL DEPENDS ${archive})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Penstock)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/PenstockConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/PenstockConfig.cmake
                              INSTALL_DESTINATION ${package_dir}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/PenstockConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH PENSTOCK_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_SOURCE_DIR}/cmake/penstock.pc.in ${CMAKE_BINARY_DIR}/penstock.pc @ONLY)

install(TARGETS penstock penstock-gateway penstock-agent penstock-worker
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_BINARY_DIR}/PenstockConfig.cmake
              ${CMAKE_BINARY_DIR}/PenstockConfigVersion.cmake DESTINATION ${package_dir})
install(FILES ${CMAKE_BINARY_DIR}/penstock.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(CODE "set(source ${CMAKE_SOURCE_DIR})
set(include_dir ${CMAKE_INSTALL_INCLUDEDIR})
include(${CMAKE_SOURCE_DIR}/cmake/install_headers.cmake)")
