# SPDX-License-Identifier: Apache-2.0
# libaio has no file for pkg-config and none for CMake: finds its header and its library, as Libaio::Libaio.
include(FindPackageHandleStandardArgs)

find_path(Libaio_INCLUDE_DIR libaio.h DOC "Directory of libaio.h")
find_library(Libaio_LIBRARY aio DOC "Library of libaio.h")
mark_as_advanced(Libaio_INCLUDE_DIR Libaio_LIBRARY)
find_package_handle_standard_args(Libaio REQUIRED_VARS Libaio_LIBRARY Libaio_INCLUDE_DIR)

if(Libaio_FOUND AND NOT TARGET Libaio::Libaio)
    add_library(Libaio::Libaio UNKNOWN IMPORTED)
    set_target_properties(Libaio::Libaio PROPERTIES
        IMPORTED_LOCATION "${Libaio_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${Libaio_INCLUDE_DIR}")
endif()
