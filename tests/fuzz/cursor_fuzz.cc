// For any text, a cursor is either refused or encoded as exactly this text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "controllers/http/page_cursor.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using auth_errors::fuzz::require;
  using namespace auth_errors::controllers;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto id = decodeCursor(PagedList::authErrors, text)) {
    require(*id > 0);
    require(encodeCursor(PagedList::authErrors, *id) == text);
  }
  return 0;
}
