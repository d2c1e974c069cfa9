# Flags for our own code only: libraries come from Debian, built with Debian's flags.
include(CheckPIESupported)
check_pie_supported()

# Fortified functions need an optimised target.
define_property(TARGET PROPERTY AUTH_ERRORS_OPTIMISED INHERITED)
set_directory_properties(PROPERTIES AUTH_ERRORS_OPTIMISED ON)

add_library(project_flags INTERFACE)
target_include_directories(project_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(project_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Woverloaded-virtual -Wnon-virtual-dtor -Wformat=2 -Werror
  -fstack-protector-strong -fno-omit-frame-pointer)
target_compile_definitions(project_flags INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(project_flags INTERFACE -Wl,-z,relro -Wl,-z,now)

if(AUTH_ERRORS_SANITIZE)
  target_compile_options(project_flags INTERFACE
    -fsanitize=${AUTH_ERRORS_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(project_flags INTERFACE -fsanitize=${AUTH_ERRORS_SANITIZE})
else()
  target_compile_options(project_flags INTERFACE
    $<$<AND:$<CONFIG:Release,RelWithDebInfo>,$<BOOL:$<TARGET_PROPERTY:AUTH_ERRORS_OPTIMISED>>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>)
endif()
