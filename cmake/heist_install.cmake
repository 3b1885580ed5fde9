# `cmake --install` installs headers, both libraries, the command with its man page and completions,
# the CMake package, the pkg-config files, the licence and the documents. Its components are
#
#   runtime   the shared library
#   dev       what a program is built with, and the documents
#   tools     the command, the libtbb.so.12 with which it runs programs for oneTBB, and the library
#             of `heist check`

include(CMakePackageConfigHelpers)

set(HEIST_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/heist")

# One target builds everything that is installed; without it the installation ends before it has
# written anything. (CMake does not break a message's line that begins with a space.)
add_custom_target(heist_product DEPENDS heist_static)
set(heist_files "$<TARGET_FILE:heist_static>")
if(HEIST_BUILD_SHARED)
  add_dependencies(heist_product heist_shared)
  list(APPEND heist_files "$<TARGET_FILE:heist_shared>")
endif()
if(TARGET heist_cli)
  set(heist_programs heist_cli heist_bench_command heist_check_command heist_lab_command heist_race_command heist_tbb_command)
  if(TARGET heist_cluster_command)
    list(APPEND heist_programs heist_cluster_command)
  endif()
  add_dependencies(heist_product ${heist_programs} heist_pages)
  foreach(program IN LISTS heist_programs)
    list(APPEND heist_files "$<TARGET_FILE:${program}>")
  endforeach()
  foreach(page heist.1 heist.bash _heist heist.fish)
    list(APPEND heist_files "${PROJECT_BINARY_DIR}/pages/${page}")
  endforeach()
endif()
if(TARGET heist_tbb)
  add_dependencies(heist_product heist_tbb)
  list(APPEND heist_files "$<TARGET_FILE:heist_tbb>")
endif()
if(TARGET heist_check)
  add_dependencies(heist_product heist_check)
  list(APPEND heist_files "$<TARGET_FILE:heist_check>")
endif()
if(TARGET heist_race)
  add_dependencies(heist_product heist_race)
  list(APPEND heist_files "$<TARGET_FILE:heist_race>")
endif()
if(TARGET heist_cluster)
  add_dependencies(heist_product heist_cluster)
  list(APPEND heist_files "$<TARGET_FILE:heist_cluster>")
endif()
install(CODE "
  set(files [[${heist_files}]])
  foreach(file IN LISTS files)
    if(NOT EXISTS \"\${file}\")
      message(FATAL_ERROR \" heist: \${file} isn't built: cmake --build ${CMAKE_BINARY_DIR} --target heist_product\")
    endif()
  endforeach()" ALL_COMPONENTS)

install(DIRECTORY include/heist DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
        FILES_MATCHING PATTERN "*.hpp")
install(FILES scripts/heist-gdb.py DESTINATION "${CMAKE_INSTALL_DATADIR}/heist" COMPONENT dev)
install(FILES "${PROJECT_BINARY_DIR}/include/heist/version.hpp"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heist" COMPONENT dev)

install(TARGETS heist_static EXPORT heist-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
if(HEIST_BUILD_SHARED)
  install(TARGETS heist_shared EXPORT heist-targets
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT dev)
endif()
if(TARGET heist_check)
  install(TARGETS heist_check LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/heist" COMPONENT tools)
endif()
if(TARGET heist_race)
  install(FILES "${PROJECT_BINARY_DIR}/lib/heist/race.specs" DESTINATION "${CMAKE_INSTALL_LIBDIR}/heist" COMPONENT dev)
  install(TARGETS heist_race EXPORT heist-targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
endif()
if(TARGET heist_cli)
  install(TARGETS ${heist_programs} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
  install(FILES "${PROJECT_BINARY_DIR}/pages/heist.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
  foreach(program IN LISTS heist_programs)
    get_target_property(file ${program} OUTPUT_NAME)
    if(NOT file STREQUAL "heist")
      install(FILES "${PROJECT_BINARY_DIR}/pages/heist-program.1" RENAME ${file}.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
              COMPONENT tools)
    endif()
  endforeach()
  install(FILES "${PROJECT_BINARY_DIR}/pages/heist.bash" RENAME heist
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT tools)
  install(FILES "${PROJECT_BINARY_DIR}/pages/_heist"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT tools)
  install(FILES "${PROJECT_BINARY_DIR}/pages/heist.fish"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT tools)
endif()

# The licence goes with every component. The documents keep their places, so that the links between
# them work; those to sources and benchmarks need a copy of the sources.
foreach(component runtime dev tools)
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT ${component})
endforeach()
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT dev)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT dev
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.schema.json"
        PATTERN "site" EXCLUDE)
file(GLOB heist_readmes RELATIVE "${PROJECT_SOURCE_DIR}" integrations/*/*.md packaging/README.md)
foreach(readme IN LISTS heist_readmes)
  cmake_path(GET readme PARENT_PATH folder)
  install(FILES "${readme}" DESTINATION "${CMAKE_INSTALL_DOCDIR}/${folder}" COMPONENT dev)
endforeach()

# A package of its own within the package, since it needs MPI: find_package(heist COMPONENTS cluster).
if(TARGET heist_cluster)
  install(TARGETS heist_cluster EXPORT heist-cluster-targets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
  install(EXPORT heist-cluster-targets NAMESPACE heist:: DESTINATION "${HEIST_CMAKE_DIR}" COMPONENT dev)
endif()

install(EXPORT heist-targets NAMESPACE heist:: DESTINATION "${HEIST_CMAKE_DIR}" COMPONENT dev)
get_property(HEIST_ADAPTERS GLOBAL PROPERTY HEIST_ADAPTERS)
configure_package_config_file(
  cmake/heist-config.cmake.in "${PROJECT_BINARY_DIR}/heist-config.cmake"
  INSTALL_DESTINATION "${HEIST_CMAKE_DIR}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/heist-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/heist-config.cmake"
              "${PROJECT_BINARY_DIR}/heist-config-version.cmake"
        DESTINATION "${HEIST_CMAKE_DIR}" COMPONENT dev)

# pkg-config finds the prefix from the place of the .pc file, so that an installed tree may be
# moved; an absolute library folder remains as it is.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(HEIST_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(HEIST_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
else()
  file(RELATIVE_PATH heist_pc_up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  set(HEIST_PC_PREFIX "\${pcfiledir}/${heist_pc_up}")
  set(HEIST_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(HEIST_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(HEIST_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
if(HEIST_CONTEXT_USED STREQUAL "boost")
  set(HEIST_PC_BOOST "-lboost_context")
endif()

configure_file(cmake/heist.pc.in heist.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/heist.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
if(HEIST_BUILD_SHARED)
  configure_file(cmake/heist-shared.pc.in heist-shared.pc @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/heist-shared.pc"
          DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endif()
if(TARGET heist_race)
  configure_file(cmake/heist-race.pc.in heist-race.pc @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/heist-race.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endif()
