// popart::cast: numbers of the host from one type to another.
#include <popart/error.hpp>
#include <popart/half.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/util.hpp>

#include <cmath>
#include <cstring>
#include <type_traits>

namespace popart {
namespace {

/// Calls `f` with a value of the type of the host for it; false for types without numbers.
template <class F>
bool withNumber(DataType type, const F& f) {
  switch (type) {
    case DataType::UINT8: f(uint8_t()); return true;
    case DataType::INT8: f(int8_t()); return true;
    case DataType::UINT16: f(uint16_t()); return true;
    case DataType::INT16: f(int16_t()); return true;
    case DataType::UINT32: f(uint32_t()); return true;
    case DataType::INT32: f(int32_t()); return true;
    case DataType::UINT64: f(uint64_t()); return true;
    case DataType::INT64: f(int64_t()); return true;
    case DataType::BOOL: f(bool()); return true;
    case DataType::FLOAT16: f(float16_t()); return true;
    case DataType::FLOAT: f(float()); return true;
    case DataType::DOUBLE: f(double()); return true;
    default: return false;
  }
}

/// What is wrong with a number for the type To; null if nothing is.
template <class To, class From>
const char* fault(From x) {
  if (!std::is_integral<To>::value || std::is_same<To, bool>::value) return nullptr;
  const long double whole = std::trunc(static_cast<long double>(x));
  if (std::isnan(whole)) return "not a number";
  const bool isSigned = std::is_signed<To>::value;
  // Bounds that both kinds of numbers hold exactly: powers of two.
  const long double end = std::ldexp(1.0L, 8 * static_cast<int>(sizeof(To)) - (isSigned ? 1 : 0));
  if (whole < (isSigned ? -end : 0)) return "negative overflow";
  if (whole >= end) return "positive overflow";
  return nullptr;
}

template <class From, class To>
void convert(const void* data, std::size_t n, char* out, const std::string& names) {
  using Read = typename std::conditional<std::is_same<From, float16_t>::value, float, From>::type;
  for (std::size_t i = 0; i < n; ++i) {
    From x;
    std::memcpy(&x, static_cast<const char*>(data) + i * sizeof x, sizeof x);
    const Read number = static_cast<Read>(x);
    if (const char* why = fault<To>(number))
      throw error("[cast] Cast {} failed: bad numeric conversion: {}", names, why);
    const To made = static_cast<To>(number);
    std::memcpy(out + i * sizeof made, &made, sizeof made);
  }
}

}  // namespace

std::vector<char> cast(DataType src, DataType dst, const void* data, std::size_t nbytes) {
  const auto& infos = getDataTypeInfoMap();
  const std::string names = infos.at(src).lcasename() + " -> " + infos.at(dst).lcasename();
  std::vector<char> made;
  bool numbers = false;
  withNumber(src, [&](auto from) {
    numbers = withNumber(dst, [&](auto to) {
      if (nbytes % sizeof from != 0)
        throw error("[cast] Cast {} of {} bytes: each number has {}", names, nbytes, sizeof from);
      const std::size_t n = nbytes / sizeof from;
      made.resize(n * sizeof to);
      convert<decltype(from), decltype(to)>(data, n, made.data(), names);
    });
  });
  if (!numbers) throw error("[cast] Unsupported cast data types {}", names);
  return made;
}

std::vector<char> cast(DataType src, DataType dst, const std::vector<char>& data) {
  return cast(src, dst, data.data(), data.size());
}

}  // namespace popart
