#include "platform/database/result.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstring>
#include <format>
#include <initializer_list>
#include <span>

#include "platform/database/result_data.h"
#include "platform/database/timestamp.h"

namespace auth_errors::database {
namespace {

enum WireType : Oid {
  boolType = 16,
  byteaType = 17,
  charType = 18,
  nameType = 19,
  int8Type = 20,
  int2Type = 21,
  int4Type = 23,
  textType = 25,
  jsonType = 114,
  float4Type = 700,
  float8Type = 701,
  bpcharType = 1042,
  varcharType = 1043,
  timestamptzType = 1184,
  jsonbType = 3802,
  int4ArrayType = 1007,
  textArrayType = 1009,
  varcharArrayType = 1015,
  int8ArrayType = 1016,
};

struct Cell {
  Oid type;
  std::string_view bytes;
};

std::string place(std::size_t row, std::size_t column) {
  return "row " + std::to_string(row) + ", column " + std::to_string(column);
}

// Reads a value's bytes from front to back; a short value is a mismatch, never an overrun.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  template <std::integral T>
  T integer() {
    const std::string_view raw = take(sizeof(T));
    T value;
    std::memcpy(&value, raw.data(), sizeof value);
    return std::byteswap(value);
  }
  std::string_view take(std::size_t size) {
    if (rest_.size() < size) {
      throw ResultMismatch("a value is shorter than its type requires");
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

 private:
  std::string_view rest_;
};

template <typename Take>
void forEachElement(std::string_view bytes, const Take& takeElement) {
  WireReader reader(bytes);
  const auto dimensions = reader.integer<std::int32_t>();
  reader.integer<std::int32_t>();   // flags
  reader.integer<std::uint32_t>();  // element type
  if (dimensions == 0) {
    return;
  }
  if (dimensions != 1) {
    throw ResultMismatch("an array has more than one dimension");
  }
  const auto count = reader.integer<std::int32_t>();
  reader.integer<std::int32_t>();  // the first subscript
  for (std::int32_t index = 0; index < count; ++index) {
    const auto length = reader.integer<std::int32_t>();
    if (length < 0) {
      takeElement(std::optional<std::string_view>());
    } else {
      takeElement(std::optional(reader.take(static_cast<std::size_t>(length))));
    }
  }
}

template <std::integral T, typename Take>
void forEachInteger(std::string_view bytes, const Take& take) {
  forEachElement(bytes, [&take](std::optional<std::string_view> element) {
    if (!element) {
      throw ResultMismatch("an integer array contains NULL");
    }
    take(WireReader(*element).integer<T>());
  });
}

class CellReader {
 public:
  CellReader(const Result::Data* data, std::size_t row, std::size_t column)
      : row_(row), column_(column) {
    if (data == nullptr) {
      throw ResultMismatch("the result is empty: no " + place(row, column));
    }
    result_ = data->get();
    if (row >= static_cast<std::size_t>(PQntuples(result_)) ||
        column >= static_cast<std::size_t>(PQnfields(result_))) {
      throw ResultMismatch("the result has no " + place(row, column));
    }
  }

  [[nodiscard]] bool isNull() const {
    return PQgetisnull(result_, static_cast<int>(row_), static_cast<int>(column_)) != 0;
  }

  [[nodiscard]] Cell get(std::initializer_list<Oid> accepted) const {
    const int row = static_cast<int>(row_);
    const int column = static_cast<int>(column_);
    const Oid type = PQftype(result_, column);
    if (std::ranges::find(accepted, type) == accepted.end()) {
      throw ResultMismatch(place(row_, column_) + " (" + PQfname(result_, column) +
                           ") has the type with object id " + std::to_string(type) +
                           ", which does not match the requested type");
    }
    if (isNull()) {
      throw ResultMismatch(place(row_, column_) + " (" + PQfname(result_, column) + ") is NULL");
    }
    return {.type = type,
            .bytes = {PQgetvalue(result_, row, column),
                      static_cast<std::size_t>(PQgetlength(result_, row, column))}};
  }

 private:
  const PGresult* result_ = nullptr;
  std::size_t row_;
  std::size_t column_;
};

}  // namespace

std::size_t Result::rows() const {
  return data_ ? static_cast<std::size_t>(PQntuples(data_->get())) : 0;
}

std::size_t Result::columns() const {
  return data_ ? static_cast<std::size_t>(PQnfields(data_->get())) : 0;
}

std::size_t Result::affectedRows() const {
  if (!data_) {
    return 0;
  }
  // libpq takes a mutable pointer here, but only reads.
  const std::string_view text =
      PQcmdTuples(const_cast<PGresult*>(data_->get()));  // NOLINT(*-const-cast)
  std::size_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

void Result::expectColumns(std::size_t expected) const {
  // The result of a statement that was never run has no columns.
  if (data_ && columns() != expected) {
    throw ResultMismatch(
        std::format("the result has {} columns, expected {}", columns(), expected));
  }
}

bool Result::isNull(std::size_t row, std::size_t column) const {
  return CellReader(data_.get(), row, column).isNull();
}

void Result::read(std::size_t row, std::size_t column, bool& out) const {
  out = WireReader(CellReader(data_.get(), row, column).get({boolType}).bytes)
            .integer<std::uint8_t>() != 0;
}

void Result::read(std::size_t row, std::size_t column, std::int32_t& out) const {
  const Cell cell = CellReader(data_.get(), row, column).get({int4Type, int2Type});
  WireReader reader(cell.bytes);
  out = cell.type == int2Type ? reader.integer<std::int16_t>() : reader.integer<std::int32_t>();
}

void Result::read(std::size_t row, std::size_t column, std::int64_t& out) const {
  const Cell cell = CellReader(data_.get(), row, column).get({int8Type, int4Type, int2Type});
  WireReader reader(cell.bytes);
  switch (cell.type) {
    case int2Type:
      out = reader.integer<std::int16_t>();
      break;
    case int4Type:
      out = reader.integer<std::int32_t>();
      break;
    default:
      out = reader.integer<std::int64_t>();
  }
}

void Result::read(std::size_t row, std::size_t column, double& out) const {
  const Cell cell = CellReader(data_.get(), row, column).get({float8Type, float4Type});
  WireReader reader(cell.bytes);
  out = cell.type == float4Type
            ? static_cast<double>(std::bit_cast<float>(reader.integer<std::uint32_t>()))
            : std::bit_cast<double>(reader.integer<std::uint64_t>());
}

void Result::read(std::size_t row, std::size_t column, std::string_view& out) const {
  const Cell cell =
      CellReader(data_.get(), row, column)
          .get({textType, varcharType, bpcharType, nameType, charType, jsonType, jsonbType});
  out = cell.bytes;
  if (cell.type == jsonbType) {
    out.remove_prefix(1);  // jsonb's version
  }
}

void Result::read(std::size_t row, std::size_t column, std::string& out) const {
  std::string_view view;
  read(row, column, view);
  out = view;
}

void Result::read(std::size_t row, std::size_t column, Timestamp& out) const {
  out = timestampFromWire(
      WireReader(CellReader(data_.get(), row, column).get({timestamptzType}).bytes)
          .integer<std::int64_t>());
}

void Result::read(std::size_t row, std::size_t column, std::vector<std::byte>& out) const {
  const std::string_view bytes = CellReader(data_.get(), row, column).get({byteaType}).bytes;
  const auto raw = std::as_bytes(std::span(bytes));
  out.assign(raw.begin(), raw.end());
}

void Result::read(std::size_t row, std::size_t column, std::vector<std::int32_t>& out) const {
  forEachInteger<std::int32_t>(CellReader(data_.get(), row, column).get({int4ArrayType}).bytes,
                               [&out](std::int32_t value) { out.push_back(value); });
}

void Result::read(std::size_t row, std::size_t column, std::vector<std::int64_t>& out) const {
  forEachInteger<std::int64_t>(CellReader(data_.get(), row, column).get({int8ArrayType}).bytes,
                               [&out](std::int64_t value) { out.push_back(value); });
}

void Result::readBigints(std::size_t row, std::size_t column,
                         const std::function<void(std::int64_t)>& take) const {
  forEachInteger<std::int64_t>(CellReader(data_.get(), row, column).get({int8ArrayType}).bytes,
                               take);
}

void Result::read(std::size_t row, std::size_t column, std::vector<std::string>& out) const {
  const Cell cell = CellReader(data_.get(), row, column).get({textArrayType, varcharArrayType});
  forEachElement(cell.bytes, [&out](std::optional<std::string_view> element) {
    if (!element) {
      throw ResultMismatch("a text array contains NULL");
    }
    out.emplace_back(*element);
  });
}

void Result::read(std::size_t row, std::size_t column,
                  std::vector<std::optional<std::string>>& out) const {
  const Cell cell = CellReader(data_.get(), row, column).get({textArrayType, varcharArrayType});
  forEachElement(cell.bytes, [&out](std::optional<std::string_view> element) {
    if (element) {
      out.emplace_back(std::string(*element));
    } else {
      out.emplace_back(std::nullopt);
    }
  });
}

}  // namespace auth_errors::database
