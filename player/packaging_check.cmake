# Read by cpack before it packs: without these programs it would make packages that name no
# library which they need, and would not say so.
if(CPACK_GENERATOR STREQUAL "DEB")
  foreach(program dpkg-shlibdeps file)
    find_program(TILEWALL_PACKAGING_${program} ${program})
    if(NOT TILEWALL_PACKAGING_${program})
      message(FATAL_ERROR
              "cpack: ${program} is missing: install the packages dpkg-dev file "
              "(apt-get install dpkg-dev file)")
    endif()
  endforeach()
endif()
