// A getaddrinfo() that resolves test names, since a test DNS server would need privileges. Linked
// into a test, or preloaded into the service. Other names are resolved by the system.
//
//   *.silent.test    is never answered
//   *.unknown.test   does not exist
//   six.test         is ::1
//   *.test           is 127.0.0.1, but is not answered while the file
//                    that TEST_DNS_SILENT names exists
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

namespace {

using GetAddressInfo = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

constexpr useconds_t kPause = 5'000;

bool isSilent() {
  const char* file = std::getenv("TEST_DNS_SILENT");  // NOLINT(concurrency-mt-unsafe)
  return file != nullptr && ::access(file, F_OK) == 0;
}

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  static const auto ofSystem = reinterpret_cast<GetAddressInfo>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  const std::string_view name = node == nullptr ? "" : node;
  const bool numeric = hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0;
  if (numeric || !name.ends_with(".test")) {
    return ofSystem(node, service, hints, result);
  }
  if (name.ends_with(".unknown.test")) {
    return EAI_NONAME;
  }
  while (name.ends_with(".silent.test") || isSilent()) {
    ::usleep(kPause);
  }
  return ofSystem(name == "six.test" ? "::1" : "127.0.0.1", service, hints, result);
}
