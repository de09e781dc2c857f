// Errors of devices, as codes and places. After poplar/Error.hpp of the Poplar SDK 3.
//
// No device of this library has such an error by itself: Engine::insertSimulatedError() makes runs
// end as if one had.
#ifndef poplar_Error_hpp
#define poplar_Error_hpp

#include <poplar/StringRef.hpp>

#include <cstddef>
#include <functional>
#include <string>

#pragma GCC visibility push(default)

namespace poplar {

enum class ErrorCode : unsigned {
  NONE = 0,
  UNKNOWN,
  TRAP,
  FLOATING_POINT_INVALID_OPERATION,
  FLOATING_POINT_DIVIDE_BY_ZERO,
  FLOATING_POINT_OVERFLOW,
  TILE_MEMORY_BANK_CONFLICT,
  INVALID_EXCHANGE_CONFIGURATION,
  INVALID_ADDRESS,
  INVALID_OPERAND,
  INVALID_PROGRAM_COUNTER,
  INVALID_INSTRUCTION,
  EXCHANGE_ERROR,
  MEMORY_ERROR,
  IPUSOFTERR,
  LINK_DOWN,
  HOST_LINK_DOWN,
  HOST_SYNC_TIMEOUT,
  IPU_MEMORY_FAILURE
};

/// The name of the enumerator.
std::string errorCodeToString(ErrorCode code);
/// \throws poplar_error for another name
ErrorCode errorCodeFromString(StringRef name);

/// Where an error is: a tile.
struct ErrorLocation {
  explicit ErrorLocation(unsigned tile) : tile_(tile) {}
  ErrorLocation(const ErrorLocation&) = default;
  ErrorLocation& operator=(const ErrorLocation&) = default;

  unsigned getTile() const { return tile_; }
  friend bool operator==(const ErrorLocation& a, const ErrorLocation& b) {
    return a.tile_ == b.tile_;
  }
  friend bool operator!=(const ErrorLocation& a, const ErrorLocation& b) { return !(a == b); }
  friend bool operator<(const ErrorLocation& a, const ErrorLocation& b) {
    return a.tile_ < b.tile_;
  }

 private:
  unsigned tile_;
};

struct ErrorLocationHash {
  std::size_t operator()(const ErrorLocation& location) const {
    return std::hash<unsigned>()(location.getTile());
  }
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
