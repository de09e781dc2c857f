#include "codelets/tile/constant_division.hpp"

#include <cstdint>
#include <cstdlib>

namespace popir::tile {
namespace {

unsigned log2Above(std::uint64_t n) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < n) ++bits;
  return bits;
}

// A reciprocal of n has 33 bits where 2^(32 + l) / n, rounded up, is too far off with any smaller
// one. Then the product is added up in two steps.
bool isLong(std::uint64_t n) {
  const unsigned l = log2Above(n);
  const auto power = [&](unsigned k) { return static_cast<unsigned __int128>(1) << k; };
  for (unsigned shift = 0; shift <= l; ++shift) {
    const auto reciprocal = (power(32 + shift) + n - 1) / n;
    if (reciprocal < power(32) && reciprocal * n - power(32 + shift) <= power(shift)) return false;
  }
  return true;
}

}  // namespace

std::optional<unsigned> constantDivision(const Instruction& i) {
  const auto& op = i.operation;
  const bool isSigned = op == "sdiv" || op == "srem", rest = op == "srem" || op == "urem";
  if (!isSigned && op != "udiv" && op != "urem") return {};
  if (lanesOf(i.type) != 1 || i.arguments.size() != 2 || !isConstant(i.arguments[1])) return {};
  char* end = nullptr;
  const auto divisor = std::strtoll(i.arguments[1].c_str(), &end, 10);
  const auto size = static_cast<std::uint64_t>(divisor < 0 ? -divisor : divisor);
  if (end == i.arguments[1].c_str() || size == 0 || size > UINT32_MAX) return {};
  const bool power = (size & (size - 1)) == 0;
  // The rest: the quotient times the divisor, subtracted
  const unsigned more = rest ? 2 : 0;
  if (power && !isSigned) return 1;
  // The sign and what it adds to the number, then a shift; of a rest a mask and a subtraction
  if (power) return (size == 2 ? 3u : 4u) + (rest ? 1 : divisor < 0 ? 1 : 0);
  if (!isSigned) return kUpperProduct + (isLong(size) ? 4 : 1) + more;
  return kUpperProduct + 3 + more;  // a shift, and the sign bit added
}

}  // namespace popir::tile
