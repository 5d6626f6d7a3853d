# The library with its public headers and what they include, the program and the scenarios; find_package(ricochet) then gives ricochet::ricochet,
# or of it ricochet::core alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ricochet)

install(TARGETS ricochet ricochet-core ricochet-io EXPORT ricochet FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET ricochet-cli)
  install(TARGETS ricochet-cli)
endif()
if(TARGET ricochet-cad)
  install(TARGETS ricochet-cad DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ricochet)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/ricochet OPTIONAL)

install(EXPORT ricochet NAMESPACE ricochet:: FILE ricochetTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ricochetConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/cmake/ricochetConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/ricochetConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/ricochetConfig.cmake ${PROJECT_BINARY_DIR}/cmake/ricochetConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
