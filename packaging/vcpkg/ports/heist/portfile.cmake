# heist as a port of vcpkg. The sources are the tree that this port lies in: packaging/README.md
# says how a registry takes them from a release instead.

set(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../..")
if(NOT EXISTS "${SOURCE_PATH}/include/heist/heist.hpp")
  message(FATAL_ERROR "heist: ${CURRENT_PORT_DIR} isn't packaging/vcpkg/ports/heist of heist's tree")
endif()

string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" is_shared)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DHEIST_LIBRARY_ONLY=ON
    -DHEIST_BUILD_SHARED=${is_shared}
    -DHEIST_SHARED=${is_shared}
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/heist)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
                    "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
