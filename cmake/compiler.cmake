# The language, the warnings and the instruments. Everything here holds for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

set(PENSTOCK_SANITIZE "" CACHE STRING "Comma-separated -fsanitize list, such as address,undefined")
option(PENSTOCK_FUZZ "Build the libFuzzer programs (needs clang)" OFF)
option(PENSTOCK_BENCH "Build the benchmark programs" ON)

add_compile_options(-Wall -Wextra -Wpedantic -Werror -Wnon-virtual-dtor -Wconversion
                    -Wno-sign-conversion)
if(PENSTOCK_SANITIZE)
  add_compile_options(-fsanitize=${PENSTOCK_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code makes g++ 12 take variants and maybes for uninitialised.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  add_link_options(-fsanitize=${PENSTOCK_SANITIZE})
endif()

if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Classes that hold types of their own .cpp file are right, but g++ takes the unity file for a header.
  add_compile_options(-Wno-subobject-linkage)
endif()

find_program(PENSTOCK_CCACHE ccache)
if(PENSTOCK_CCACHE)
  # The sloppiness lets ccache keep objects that use a precompiled header; without the folder in its
  # hash a clone elsewhere finds them too.
  set(PENSTOCK_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                        CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
                        CCACHE_NOHASHDIR=1 ${PENSTOCK_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PENSTOCK_LAUNCHER})
  set(CMAKE_C_COMPILER_LAUNCHER ${PENSTOCK_LAUNCHER})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()
