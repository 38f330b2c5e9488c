# Run by cpack when it has copied the programs, before it packs them: refuses where somebody built in
# the same folder meanwhile, since programs of two states of the sources do not work together.
set(changed "")
file(GLOB_RECURSE copies ${CPACK_TEMPORARY_DIRECTORY}/*/tilewall* ${CPACK_TEMPORARY_DIRECTORY}/*/test_*)
# The bash completion has the program's name, and is another file.
list(FILTER copies EXCLUDE REGEX "/share/")
foreach(copy IN LISTS copies)
  get_filename_component(name ${copy} NAME)
  set(built ${CPACK_TILEWALL_BUILD_FOLDER}/${name})
  if(NOT EXISTS ${built} OR IS_DIRECTORY ${built})
    continue()
  endif()
  # By whole seconds, as some file systems keep no more of a copy's time.
  file(TIMESTAMP ${built} built_s "%s" UTC)
  file(TIMESTAMP ${copy} copied_s "%s" UTC)
  if(built_s GREATER copied_s)
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
