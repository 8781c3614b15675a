# SPDX-License-Identifier: Apache-2.0
# The libraries that Weir is linked with. Those that it cannot do without are all looked for before what is missing is
# named, in one sentence; an optional one is an imported target, or the reason why there is none (weir_find_optional).
include(CheckSymbolExists)

# Looks for the module NAME of pkg-config, VERSION or later ("": any), as PkgConfig::NAME. Sets PROBLEM to what is wrong
# with it, or to "".
function(weir_find_module name version problem)
    set(module ${name})
    if(version)
        set(module "${name}>=${version}")
    endif()
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
    endif()
    if(TARGET PkgConfig::${name})
        set(${problem} "" PARENT_SCOPE)
        return()
    endif()
    set(${problem} "${name} was not found" PARENT_SCOPE)
    if(version AND PKG_CONFIG_FOUND)
        pkg_check_modules(${name}_older QUIET ${name})
        if(${name}_older_FOUND)
            set(${problem} "only ${name} ${${name}_older_VERSION}, older than ${version}, was found" PARENT_SCOPE)
        endif()
    endif()
endfunction()

# Defines the cache variable WEIR_WITH_<NAME> for the optional library LABEL, and sets WANTED to AUTO (build with it where it
# is found), ON (it has to be there) or OFF (build without it).
function(weir_ask_for name label wanted)
    set(WEIR_WITH_${name} AUTO CACHE STRING "Build with ${label}: AUTO (where it is found), ON (stop without it) or OFF")
    set_property(CACHE WEIR_WITH_${name} PROPERTY STRINGS AUTO ON OFF)
    string(TOUPPER "${WEIR_WITH_${name}}" value)
    if(value MATCHES "^(ON|TRUE|YES|Y|1)$")
        set(value ON)
    elseif(value MATCHES "^(OFF|FALSE|NO|N|0)$")
        set(value OFF)
    elseif(NOT value STREQUAL "AUTO")
        message(FATAL_ERROR "WEIR_WITH_${name} is AUTO, ON or OFF, not \"${WEIR_WITH_${name}}\"")
    endif()
    set(${wanted} ${value} PARENT_SCOPE)
endfunction()

# Where a library that is wanted is missing, stops with PROBLEM.
function(weir_require_wanted name wanted problem)
    if(wanted STREQUAL "ON")
        message(FATAL_ERROR "WEIR_WITH_${name} is ON, but ${problem}: install it, or give -DWEIR_WITH_${name}=OFF")
    endif()
endfunction()

# An optional library: the imported TARGET of the pkg-config MODULE (VERSION or later), or else of find_package(PACKAGE). Where
# it is left out, the global property WEIR_WHY_NO_<TARGET> has the reason, as `weir backends` prints it.
function(weir_find_optional target)
    cmake_parse_arguments(optional "" "NAME;LABEL;MODULE;VERSION;PACKAGE" "" ${ARGN})
    weir_ask_for(${optional_NAME} "${optional_LABEL}" wanted)
    if(wanted STREQUAL "OFF")
        set_property(GLOBAL PROPERTY WEIR_WHY_NO_${target} "weir was built with WEIR_WITH_${optional_NAME}=OFF")
        return()
    endif()
    if(optional_MODULE)
        weir_find_module(${optional_MODULE} "${optional_VERSION}" problem)
    else()
        find_package(${optional_PACKAGE} QUIET)
        set(problem "")
        if(NOT TARGET ${target})
            set(problem "${optional_LABEL} was not found")
        endif()
    endif()
    if(problem)
        weir_require_wanted(${optional_NAME} ${wanted} "${problem}")
        set_property(GLOBAL PROPERTY WEIR_WHY_NO_${target} "${problem} when weir was built")
    endif()
endfunction()

# ---------------------------------------------------------------- the processor

# Seeds and sums are computed in __int128, and data on the wire are as they are in memory.
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
    math(EXPR bits "8 * ${CMAKE_SIZEOF_VOID_P}")
    message(FATAL_ERROR "Weir needs a 64-bit CPU, and this compiler builds for one of ${bits} bits (${CMAKE_SYSTEM_PROCESSOR})")
endif()
if(CMAKE_C_BYTE_ORDER STREQUAL "BIG_ENDIAN")
    message(FATAL_ERROR "Weir needs a little-endian CPU, and this compiler builds for a big-endian one (${CMAKE_SYSTEM_PROCESSOR})")
endif()

# ---------------------------------------------------------------- libraries

find_package(PkgConfig QUIET)
find_package(MPI QUIET COMPONENTS C)
find_package(Threads QUIET)

set(missing "")
if(NOT PKG_CONFIG_FOUND)
    list(APPEND missing "pkg-config was not found, so that libraries cannot be")
else()
    # What topology.c uses of hwloc is there since 2.1, and of libcrypto since 1.1.
    foreach(module jansson= blkid= hwloc=2.1 libcrypto=1.1)
        string(REGEX MATCH "^([a-z]+)=(.*)$" parts ${module})
        weir_find_module(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" problem)
        if(problem)
            list(APPEND missing "${problem}")
        endif()
    endforeach()
endif()
if(NOT MPI_C_FOUND)
    list(APPEND missing "MPI was not found (its mpicc belongs in PATH: on RHEL and SUSE, module load mpi/openmpi-x86_64)")
endif()
if(NOT Threads_FOUND)
    list(APPEND missing "POSIX threads were not found")
endif()
if(missing)
    string(REPLACE ";" "; " missing "${missing}")
    message(FATAL_ERROR "Weir cannot be built: ${missing}. On Debian, scripts/deps build installs what it needs; "
                        "scripts/deps --print dnf, zypper or spack names the packages elsewhere.")
endif()

# glibc before 2.34 has POSIX shared memory in a library of its own.
set(CMAKE_REQUIRED_DEFINITIONS -D_GNU_SOURCE)
check_symbol_exists(shm_open sys/mman.h WEIR_LIBC_HAS_SHM_OPEN)
unset(CMAKE_REQUIRED_DEFINITIONS)
set(WEIR_RT_LIBRARY "")
if(NOT WEIR_LIBC_HAS_SHM_OPEN)
    set(WEIR_RT_LIBRARY rt)
endif()

# Backends and providers are left out where these are missing.
weir_find_optional(Libaio::Libaio NAME LIBAIO LABEL libaio PACKAGE Libaio)
weir_find_optional(PkgConfig::liburing NAME URING LABEL liburing MODULE liburing VERSION 2.3)
weir_find_optional(PkgConfig::libibverbs NAME VERBS LABEL libibverbs MODULE libibverbs)

# So is `weir export sqlite`, which needs tables without row ids.
weir_find_optional(PkgConfig::sqlite3 NAME SQLITE LABEL SQLite MODULE sqlite3 VERSION 3.8.2)
if(TARGET PkgConfig::sqlite3)
    set(WEIR_SQLITE "built with SQLite ${sqlite3_VERSION}")
else()
    get_property(reason GLOBAL PROPERTY WEIR_WHY_NO_PkgConfig::sqlite3)
    set(WEIR_SQLITE "left out, ${reason}")
endif()
message(STATUS "export sqlite: ${WEIR_SQLITE}")
