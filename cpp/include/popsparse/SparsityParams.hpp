// Kinds of sparsity. After popsparse/SparsityParams.hpp of PopLibs 3.
#ifndef popsparse_SparsityParams_hpp
#define popsparse_SparsityParams_hpp

#include <array>
#include <cstddef>
#include <ostream>
#include <tuple>

#pragma GCC visibility push(default)
namespace popsparse {
namespace dynamic {

enum class SparsityType { Element, Block };
inline std::ostream& operator<<(std::ostream& os, const SparsityType& t) {
  return os << (t == SparsityType::Element ? "Element" : "Block");
}

enum class SparsityStructure { Unstructured };
inline std::ostream& operator<<(std::ostream& os, const SparsityStructure&) {
  return os << "Unstructured";
}

/// The size of blocks, rows and columns, says which type it is.
struct SparsityParams {
  SparsityType type;
  SparsityStructure structure;
  std::array<std::size_t, 2> blockDimensions;

  SparsityParams(SparsityType /*type_*/ = SparsityType::Element,
                 SparsityStructure structure_ = SparsityStructure::Unstructured,
                 std::array<std::size_t, 2> blockDimensions_ = {1, 1})
      : type(blockDimensions_[0] * blockDimensions_[1] == 1 ? SparsityType::Element
                                                            : SparsityType::Block),
        structure(structure_),
        blockDimensions(blockDimensions_) {}

  std::size_t blockSize() const { return blockDimensions[0] * blockDimensions[1]; }

  friend bool operator<(const SparsityParams& a, const SparsityParams& b) {
    return a.blockDimensions < b.blockDimensions;
  }
  friend bool operator==(const SparsityParams& a, const SparsityParams& b) {
    return a.blockDimensions == b.blockDimensions;
  }
  friend bool operator!=(const SparsityParams& a, const SparsityParams& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& os, const SparsityParams& p) {
    return os << "{" << p.type << ", " << p.structure << ", " << p.blockDimensions[0] << "x"
              << p.blockDimensions[1] << "}";
  }
};

}  // namespace dynamic
}  // namespace popsparse
#pragma GCC visibility pop

#endif
