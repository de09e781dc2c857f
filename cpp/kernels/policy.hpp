// What an engine asks of the ways in which its kernels compute. Its options host.fpMath,
// host.deterministic and host.without say so.
#ifndef popir_kernels_policy_hpp
#define popir_kernels_policy_hpp

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "kernels/fp_math.hpp"

namespace popir {

/// Ways to compute that are faster for some shapes, and that host.without may leave out. All but
/// Tables are of contractions (kernels/contraction/contraction.cpp).
enum class Choice : std::uint8_t {
  Winograd,
  UnpackedWinograd,  ///< of weights that stay, but would be far larger packed
  DirectSums,
  Depthwise,  ///< by kernels of our own
  Points,
  Columns,
  Planes,
  DividedSums,
  Images,
  Bands,  ///< of convolutions of 16-bit floats
  WidePanels,
  KeptPanels,  ///< products of weights that stay, by panels of our own
  FewRows,     ///< or steps of products, and small products, by kernels of our own
  Tiles,
  Packing,    ///< of weights that stay, once for many runs
  Unpacking,  ///< of weights whose packed form alone is read: their originals are given back
  Tables,     ///< of 256 results in place of an element-wise function of bytes
};
/// The name of each Choice, in their order.
constexpr const char* kChoices[] = {"winograd",    "unpacked winograd",
                                    "direct sums", "depthwise",
                                    "points",      "columns",
                                    "planes",      "divided sums",
                                    "images",      "bands",
                                    "wide panels", "kept panels",
                                    "few rows",    "tiles",
                                    "packing",     "unpacking",
                                    "tables"};
static_assert(std::size(kChoices) == static_cast<std::size_t>(Choice::Tables) + 1);

struct Policy {
  /// The least accuracy of float32 products.
  FpMath math = FpMath::Highest;
  /// Whether results have the same bits for any number of threads.
  bool deterministic = false;
  /// By Choice: whether it is left out.
  std::bitset<std::size(kChoices)> without = {};

  bool has(Choice choice) const { return !without[static_cast<std::size_t>(choice)]; }
};

}  // namespace popir

#endif
