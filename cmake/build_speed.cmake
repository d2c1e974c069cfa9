# Options that make a clean build fast; CONTRIBUTING.md has the figures.

# Compiles several sources of a target as one, so that headers are parsed and templates instantiated
# once. The preset `debug` turns it off, so that a change compiles a single file.
option(AUTH_ERRORS_UNITY "Compile the sources of a target together" ON)
set(CMAKE_UNITY_BUILD ${AUTH_ERRORS_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)

if(AUTH_ERRORS_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC treats a source in a unity file as a header, in which an unnamed namespace would be a
  # mistake.
  target_compile_options(project_flags INTERFACE -Wno-subobject-linkage)
endif()

find_program(AUTH_ERRORS_MOLD mold)
if(AUTH_ERRORS_MOLD)
  set(CMAKE_LINKER_TYPE MOLD)
endif()
