// The response to every list request: a page's items, and the cursor of the next page if there is
// one. Usable from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <drogon/HttpResponse.h>

#include "controllers/http/json_response.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {

// The number of rows to request from a store: one more than the page, to detect another page.
constexpr std::size_t rowsToRead(std::size_t limit) { return limit + 1; }

// Builds the response from up to rowsToRead(limit) rows. `append(out, row)` writes one,
// `cursorOf(row)` is the cursor of the rows after it.
template <typename Row, typename Append, typename CursorOf>
drogon::HttpResponsePtr pageResponse(std::vector<Row> rows, std::size_t limit, Append append,
                                     CursorOf cursorOf) {
  std::optional<std::string> nextCursor;
  if (rows.size() > limit) {
    rows.resize(limit);
    nextCursor = cursorOf(rows.back());
  }
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("items", encoding::jsonArray(rows, append));
  object.write("nextCursor", nextCursor);
  object.close();
  return jsonResponse(std::move(body));
}

}  // namespace auth_errors::controllers
