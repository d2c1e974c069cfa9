find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(Drogon CONFIG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)

# Headers of libraries are not held to our warnings.
foreach(library Drogon::Drogon Trantor::Trantor Jsoncpp_lib)
  if(TARGET ${library})
    set_target_properties(${library} PROPERTIES SYSTEM ON)
  endif()
endforeach()
