# Run by cpack when it has copied the programs, before it packs them: refuses where somebody built in
# the same folder meanwhile, since programs of two states of the sources do not work together.
set(changed "")
file(GLOB_RECURSE copies ${CPACK_TEMPORARY_DIRECTORY}/*/tilewall* ${CPACK_TEMPORARY_DIRECTORY}/*/test_*)
# The bash completion has the program's name, and is another file.
list(FILTER copies EXCLUDE REGEX "/share/")
foreach(copy IN LISTS copies)
  get_filename_component(name ${copy} NAME)
  set(built ${CPACK_TILEWALL_BUILD_FOLDER}/${name})
  # IS_NEWER_THAN is also true of equal times.
  if(EXISTS ${built} AND NOT IS_DIRECTORY ${built} AND ${built} IS_NEWER_THAN ${copy}
     AND NOT ${copy} IS_NEWER_THAN ${built})
    list(APPEND changed ${name})
  endif()
endforeach()
if(NOT changed)
  # A build that still runs has outputs to come.
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${CPACK_TILEWALL_BUILD_FOLDER} -- -n
                  OUTPUT_VARIABLE planned)
  if(NOT planned MATCHES "no work to do|Nothing to be done")
    set(changed "programs")
  endif()
endif()
if(changed)
  list(JOIN changed ", " changed)
  message(FATAL_ERROR "cpack: ${changed} of ${CPACK_TILEWALL_BUILD_FOLDER} changed while packages "
                      "were made: pack again when no build is running there")
endif()
