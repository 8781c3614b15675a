# SPDX-License-Identifier: Apache-2.0
# One language standard and one set of warnings for every file.
# C17 is C11 with its mistakes mended: gcc before 8 has only the older name.
if(NOT DEFINED CMAKE_C_STANDARD)
    set(CMAKE_C_STANDARD 17)
    if(NOT c_std_17 IN_LIST CMAKE_C_COMPILE_FEATURES)
        set(CMAKE_C_STANDARD 11)
    endif()
endif()
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_compile_definitions(_GNU_SOURCE)
add_compile_options(-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef)

# The flags of CMake itself are replaced, those of the user and of a toolchain file are not.
if(CMAKE_C_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
    set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
endif()
if(CMAKE_C_FLAGS_DEBUG STREQUAL "-g")
    set(CMAKE_C_FLAGS_DEBUG "-O0 -g3")
endif()

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

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo, MinSizeRel or Debug" FORCE)
endif()
# Without optimisation gcc 14 does not know how long numbers can be, and warns of texts that fit.
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-format-truncation)
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" weir_type)
set(weir_type_flags "${CMAKE_C_FLAGS_${weir_type}}")

# Assertions state the contracts of functions. RelWithDebInfo, MinSizeRel and the flags of some distributions have -DNDEBUG.
option(WEIR_ASSERTS "Keep assertions whatever the build type and its flags" ON)
if(WEIR_ASSERTS AND (CMAKE_CONFIGURATION_TYPES OR "${CMAKE_C_FLAGS} ${weir_type_flags}" MATCHES "-DNDEBUG"))
    add_compile_options(-UNDEBUG)
    message(STATUS "assertions are kept in spite of -DNDEBUG; -DWEIR_ASSERTS=OFF drops them")
endif()

option(WEIR_LTO "Optimise across files where the compiler can (Release, gcc), unless CMAKE_INTERPROCEDURAL_OPTIMIZATION is given" ON)
# clang 14 loses the clones of static functions (target_clones) when it optimises across files.
if(NOT DEFINED CMAKE_INTERPROCEDURAL_OPTIMIZATION AND WEIR_LTO AND CMAKE_BUILD_TYPE STREQUAL "Release"
   AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT WEIR_SANITIZE)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT weir_ipo LANGUAGES C OUTPUT weir_ipo_reason)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${weir_ipo})
endif()

# What the result file tells of the build: flags that change the code, not those of warnings.
get_directory_property(weir_options COMPILE_OPTIONS)
list(FILTER weir_options EXCLUDE REGEX "^-W")
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    list(APPEND weir_options -flto)
endif()
string(REPLACE ";" " " WEIR_BUILD_FLAGS "${CMAKE_C_FLAGS};${weir_type_flags};${weir_options}")
string(STRIP "${WEIR_BUILD_FLAGS}" WEIR_BUILD_FLAGS)
string(REGEX REPLACE "([\"\\\\])" "\\\\\\1" WEIR_BUILD_FLAGS "${WEIR_BUILD_FLAGS}")
