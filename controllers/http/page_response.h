// A page of a list as every list answers it: its items, and the cursor of the next page if there is
// one. Any thread.
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

// So many rows to ask a store for: the one that is too many tells that there is another page.
constexpr std::size_t rowsToRead(std::size_t limit) { return limit + 1; }

// Of rowsToRead(limit) rows, or fewer. `append(out, row)` writes one, `cursorOf(row)` is the cursor
// of what follows it.
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
