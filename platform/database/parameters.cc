#include "platform/database/parameters.h"

#include <bit>
#include <concepts>
#include <cstring>
#include <limits>

#include "platform/database/error.h"
#include "platform/database/timestamp.h"

namespace auth_errors::database {
namespace {

constexpr char kJsonbVersion = 1;
constexpr std::int32_t kNullLength = -1;
constexpr std::size_t kLengthLimit = std::numeric_limits<std::int32_t>::max();

std::int32_t wireLength(std::size_t size) {
  if (size > kLengthLimit) {
    throw Error(Failure::statement, "a value exceeds the size limit of PostgreSQL", "22001");
  }
  return static_cast<std::int32_t>(size);
}

}  // namespace

const char* Parameters::bytes(std::size_t index) const {
  const Item& item = items_[index];
  return item.null ? nullptr : buffer_.data() + item.offset;
}

int Parameters::length(std::size_t index) const {
  return items_[index].null ? 0 : wireLength(items_[index].length);
}

Parameters& Parameters::append(const Parameters& others) {
  for (const Item& item : others.items_) {
    items_.push_back(
        {.offset = buffer_.size() + item.offset, .length = item.length, .null = item.null});
  }
  buffer_ += others.buffer_;
  types_.append_range(others.types_);
  return *this;
}

void Parameters::open(std::uint32_t type) {
  items_.push_back({.offset = buffer_.size(), .length = 0, .null = false});
  types_.push_back(type);
}

Parameters& Parameters::close() {
  items_.back().length = buffer_.size() - items_.back().offset;
  return *this;
}

Parameters& Parameters::addNull(std::uint32_t type) {
  items_.push_back({.offset = buffer_.size(), .length = 0, .null = true});
  types_.push_back(type);
  return *this;
}

void Parameters::openArray(std::uint32_t arrayType, std::uint32_t elementType, std::size_t count) {
  open(arrayType);
  putInteger<std::int32_t>(count == 0 ? 0 : 1);  // dimensions
  arrayFlags_ = buffer_.size();
  putInteger<std::int32_t>(0);  // has NULLs; updated by putNullElement()
  putInteger<std::uint32_t>(elementType);
  if (count != 0) {
    putInteger<std::int32_t>(wireLength(count));
    putInteger<std::int32_t>(1);  // the first subscript
  }
}

std::size_t Parameters::openElement() {
  const std::size_t mark = buffer_.size();
  putInteger<std::int32_t>(0);
  return mark;
}

void Parameters::closeElement(std::size_t mark) {
  const auto length = wireLength(buffer_.size() - mark - sizeof(std::int32_t));
  const auto swapped = std::byteswap(length);
  std::memcpy(buffer_.data() + mark, &swapped, sizeof swapped);
}

void Parameters::putNullElement() {
  buffer_[arrayFlags_ + sizeof(std::int32_t) - 1] = 1;
  putInteger<std::int32_t>(kNullLength);
}

void Parameters::putRaw(const void* data, std::size_t size) {
  buffer_.append(static_cast<const char*>(data), size);
}

template <std::integral T>
void Parameters::putInteger(T value) {
  static_assert(std::endian::native == std::endian::little);
  const T swapped = std::byteswap(value);
  putRaw(&swapped, sizeof swapped);
}

void Parameters::put(bool value) { buffer_.push_back(value ? '\1' : '\0'); }
void Parameters::put(std::int32_t value) { putInteger(value); }
void Parameters::put(std::int64_t value) { putInteger(value); }
void Parameters::put(double value) { putInteger(std::bit_cast<std::uint64_t>(value)); }

void Parameters::put(std::string_view value) {
  if (value.contains('\0')) {
    throw Error(Failure::statement,
                "parameter " + std::to_string(items_.size()) + " is text with a NUL byte", "22021");
  }
  buffer_.append(value);
}

void Parameters::put(Timestamp value) { putInteger(timestampToWire(value)); }
void Parameters::put(Bytes value) { putRaw(value.data(), value.size()); }

void Parameters::put(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw Error(Failure::statement, "an array exceeds the size limit of PostgreSQL", "22003");
  }
  putInteger(static_cast<std::int64_t>(value));
}

void Parameters::put(std::chrono::microseconds value) {
  putInteger<std::int64_t>(value.count());
  putInteger<std::int32_t>(0);  // days
  putInteger<std::int32_t>(0);  // months
}

void Parameters::put(Jsonb value) {
  buffer_.push_back(kJsonbVersion);
  put(value.text);
}

}  // namespace auth_errors::database
