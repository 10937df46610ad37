# Every foreign library, as an imported target. All come from Debian packages (scripts/setup).
find_package(Threads REQUIRED)
find_package(CapnProto CONFIG REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(doctest CONFIG REQUIRED)
find_package(ucx CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(ZLIB REQUIRED)

# library(<target> <file> <header>): for packages without a usable CMake file. Debian's dnnl one
# asks for OpenCL headers that nothing here needs.
function(penstock_import target library header)
  find_library(${target}_LIBRARY ${library} REQUIRED ${ARGN})
  find_path(${target}_INCLUDE ${header} REQUIRED ${ARGN})
  add_library(foreign::${target} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(foreign::${target} PROPERTIES IMPORTED_LOCATION ${${target}_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${${target}_INCLUDE})
endfunction()

penstock_import(uv uv uv.h)
penstock_import(dnnl dnnl oneapi/dnnl/dnnl.hpp)
# The serial flavour: a threaded BLAS beside OpenMP fights over the cores.
penstock_import(openblas openblas cblas.h
                PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial
                /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial NO_DEFAULT_PATH)
