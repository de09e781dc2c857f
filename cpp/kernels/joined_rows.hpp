// The kernel of several steps that compute the same rows, one step after another, a block of rows
// at a time.
#ifndef popir_kernels_joined_rows_hpp
#define popir_kernels_joined_rows_hpp

#include <memory>
#include <vector>

#include "kernels/kernel.hpp"

namespace popir {

/// Kernels that compute rows apart (Kernel::rows()), each with the same number of rows. A block of
/// rows passes through all of them before the next one begins, so what one kernel writes is still
/// in the cache when another reads it. Threads share the blocks. Values that only these kernels
/// use are in a thread's own memory, a block at a time.
class JoinedRowsKernel final : public Kernel {
 public:
  /// Rows of an operand: `each` indices of the last of its leading dimensions, one index of the
  /// dimensions before.
  struct Division {
    std::size_t dimensions;
    std::int64_t each;
  };
  struct RowDimension {
    std::int64_t size, stride;  ///< `stride` in elements
  };
  /// An operand of one of the kernels: how it lies in the memory of one of this kernel's operands,
  /// or of a value that only the kernels use.
  struct Operand {
    Layout layout;
    /// The number of this kernel's operand, or of the inner value.
    std::size_t memory;
    bool isInner = false;
    /// From the beginning of that memory to the first element, in elements.
    std::int64_t offset = 0;
    std::size_t had = 0;  ///< Rows::hadBy()
    /// Where the rows are: nested dimensions, outermost first. The innermost is of the last leading
    /// dimension, all of it or, if its indices are not in one stride, a part. Strides are 0 for
    /// dimensions that the operand has not.
    std::vector<RowDimension> rows;
  };
  struct Part {
    std::shared_ptr<const Kernel> kernel;
    std::vector<Operand> operands;
    Division by;
    std::int64_t least = 1;  ///< Rows::least
    bool oneByOne = false;   ///< whether the kernel takes single rows only as they lie
  };
  /// `inner[i]`: the bytes of a row of inner value i. Its rows are dense and follow each other.
  JoinedRowsKernel(std::int64_t rows, std::vector<Part> parts, std::vector<std::size_t> inner)
      : rows_(rows), parts_(std::move(parts)), inner_(std::move(inner)) {}

  const char* name() const override { return "rows"; }
  /// Layouts are those of the parts' operands, which they accept.
  bool accepts(std::size_t, const Layout& layout) const override {
    return layout.channelBlock == Layout::kPlain;
  }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  /// \throws std::logic_error, since only the host runs this kernel
  Work work(const std::vector<Layout>& operands) const override;

  /// The layout of `count` neighbouring rows of an operand. They must be in one stride.
  static Layout ofRows(Layout layout, std::size_t had, const Division& by, std::int64_t count);

 private:
  std::int64_t rows_;
  std::vector<Part> parts_;
  std::vector<std::size_t> inner_;
};

}  // namespace popir

#endif
