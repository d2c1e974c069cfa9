find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(Drogon CONFIG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)

# Our warnings do not apply to the headers of libraries.
foreach(library Drogon::Drogon Trantor::Trantor Jsoncpp_lib)
  if(TARGET ${library})
    set_target_properties(${library} PROPERTIES SYSTEM ON)
  endif()
endforeach()

# The package's own CMake file names targets that do not exist.
find_path(AMQPCPP_INCLUDE_DIR amqpcpp.h REQUIRED)
find_library(AMQPCPP_LIBRARY amqpcpp REQUIRED)
add_library(AMQP-CPP::AMQP-CPP SHARED IMPORTED)
set_target_properties(AMQP-CPP::AMQP-CPP PROPERTIES
  IMPORTED_LOCATION ${AMQPCPP_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${AMQPCPP_INCLUDE_DIR})

# The package has no CMake file.
find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
add_library(RE2::RE2 SHARED IMPORTED)
set_target_properties(RE2::RE2 PROPERTIES
  IMPORTED_LOCATION ${RE2_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${RE2_INCLUDE_DIR})
