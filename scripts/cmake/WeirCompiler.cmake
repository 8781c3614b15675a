# SPDX-License-Identifier: Apache-2.0
# One language standard and one set of warnings for every file. Asserts stay on: they state the contract at the seams.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_compile_definitions(_GNU_SOURCE)
add_compile_options(-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef)

set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g3")

option(WEIR_WERROR "Treat warnings as errors" OFF)
if(WEIR_WERROR)
    add_compile_options(-Werror)
endif()

option(WEIR_SANITIZE "Build with the address and undefined behaviour sanitizers" OFF)
if(WEIR_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
option(WEIR_LTO "Optimise across files where the compiler can (Release, gcc)" ON)
# clang 14 loses the clones of static functions (target_clones) when it optimises across files.
if(WEIR_LTO AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_C_COMPILER_ID STREQUAL "GNU"
   AND NOT WEIR_SANITIZE)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT weir_ipo LANGUAGES C OUTPUT weir_ipo_reason)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${weir_ipo})
endif()

# What the result file tells of the build: flags that change the code, not those of warnings.
string(TOUPPER "${CMAKE_BUILD_TYPE}" weir_type)
get_directory_property(weir_options COMPILE_OPTIONS)
list(FILTER weir_options EXCLUDE REGEX "^-W")
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    list(APPEND weir_options -flto)
endif()
string(REPLACE ";" " " WEIR_BUILD_FLAGS "${CMAKE_C_FLAGS};${CMAKE_C_FLAGS_${weir_type}};${weir_options}")
string(STRIP "${WEIR_BUILD_FLAGS}" WEIR_BUILD_FLAGS)
string(REGEX REPLACE "([\"\\\\])" "\\\\\\1" WEIR_BUILD_FLAGS "${WEIR_BUILD_FLAGS}")
