# `cmake --install` and `cpack`: what goes where, and the Debian packages.
#
#   PREFIX/bin/tilewall           the program
#   PREFIX/libexec/tilewall       the programs and the module that it starts or loads
#   PREFIX/share/tilewall         wall files, examples
#   PREFIX/share/man, bash-completion
#
# Component "tilewall" is all of that. Component "source", from net/source, is the library with which a
# simulation feeds a wall: headers, a shared and a static library, pkg-config's file, the Python package.
# Component "tests", with BUILD_TESTING, is the tests, for a
# machine that has the component "tilewall"; tests/CMakeLists.txt says what.
install(TARGETS tilewall COMPONENT tilewall RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tilewall-caster tilewall-console tilewall-decoder tilewall-host tilewall-image-reader
                tilewall-keeper tilewall-panel tilewall-renderer tilewall-sound tilewall-sound-reader tilewall-survey tilewall-volume-reader tilewall_mpirun_bind
                tilewall_window
        COMPONENT tilewall
        RUNTIME DESTINATION ${TILEWALL_HELPERS_DIR}
        LIBRARY DESTINATION ${TILEWALL_HELPERS_DIR})
install(DIRECTORY wallconfigs player/examples
        COMPONENT tilewall DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewall
        FILES_MATCHING PATTERN "*.toml" PATTERN "*.m3u8" PATTERN "*.json" PATTERN "README.md")
install(FILES README.md player/OPERATING.md LICENSE COMPONENT tilewall DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE COMPONENT tilewall DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
# The font that is compiled into the programs asks for its own licence beside it.
if(EXISTS /usr/share/doc/fonts-dejavu-core/copyright)
  install(FILES /usr/share/doc/fonts-dejavu-core/copyright
          COMPONENT tilewall DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME DejaVu-LICENSE)
endif()
# Written by the program itself, from the tables behind --help, when it is built.
install(DIRECTORY ${TILEWALL_MANUAL_DIR}/man1
        COMPONENT tilewall DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${TILEWALL_MANUAL_DIR}/tilewall.bash RENAME tilewall
        COMPONENT tilewall DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilewall)
set(CPACK_PACKAGE_CONTACT "The tilewall maintainers <tilewall@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# The symbol tables, a fifth of the programs, name the functions in reports of crashes.
set(CPACK_STRIP_FILES OFF)
set(CPACK_COMPONENTS_ALL tilewall source)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/packaging_check.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/packaging_settled.cmake)
set(CPACK_TILEWALL_BUILD_FOLDER ${CMAKE_BINARY_DIR})
# Which libraries the programs need, by dpkg-shlibdeps; what they start beside these by hand.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TILEWALL_PACKAGE_NAME tilewall)
set(CPACK_DEBIAN_TILEWALL_PACKAGE_DEPENDS openmpi-bin)
set(CPACK_DEBIAN_TILEWALL_PACKAGE_RECOMMENDS "openssh-client, libegl1, libgl1-mesa-dri")
set(CPACK_COMPONENT_TILEWALL_DESCRIPTION
    "Movies, images and volumes on all panels of a display wall in step, the programs that every
host of the wall needs, wall files, manual pages.")
set(CPACK_DEBIAN_SOURCE_PACKAGE_NAME tilewall-source-dev)
set(CPACK_DEBIAN_SOURCE_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_SOURCE_PACKAGE_RECOMMENDS python3-numpy)
set(CPACK_COMPONENT_SOURCE_DESCRIPTION
    "A library in C, C++ and Python with which a running simulation feeds its timesteps to a tilewall
display wall. It needs neither the wall's programs nor MPI.")
if(BUILD_TESTING)
  list(APPEND CPACK_COMPONENTS_ALL tests)
  set(CPACK_DEBIAN_TESTS_PACKAGE_NAME tilewall-tests)
  set(CPACK_DEBIAN_TESTS_PACKAGE_DEPENDS "tilewall (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_TESTS_PACKAGE_RECOMMENDS
      "curl, ffmpeg, gdal-bin, jq, libtiff-tools, libvips-tools, openssl, python3-zarr, xdotool, xvfb")
  set(CPACK_COMPONENT_TESTS_DESCRIPTION
      "Unit, integration and bad-input tests of the installed programs: tilewall-tests runs them.")
endif()
include(CPack)
