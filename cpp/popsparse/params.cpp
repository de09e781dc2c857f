#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <string>

namespace popsparse {

void addCodelets(poplar::Graph&) {}

namespace dynamic {

MatMulParams MatMulParams::createWithNzRatio(const SparsityParams& sparsityParams, double nzRatio,
                                             std::size_t groups, std::size_t m, std::size_t k,
                                             std::size_t n) {
  const auto& block = sparsityParams.blockDimensions;
  if (groups != 1)
    throw poputil::poplibs_error("popsparse: sparse products of " + std::to_string(groups) +
                                 " groups given; one group is supported");
  if (block[0] == 0 || block[1] == 0 || m % block[0] != 0 || k % block[1] != 0)
    throw poputil::poplibs_error("popsparse: a sparse matrix of " + std::to_string(m) + "x" +
                                 std::to_string(k) + " in blocks of " + std::to_string(block[0]) +
                                 "x" + std::to_string(block[1]) + "; choose sizes that divide it");
  if (m / block[0] >= 65535 || k / block[1] >= 65535)
    throw poputil::poplibs_error("popsparse: a sparse matrix of " + std::to_string(m) + "x" +
                                 std::to_string(k) +
                                 "; there may be up to 65,534 rows and columns of blocks");
  if (!(nzRatio > 0.0 && nzRatio <= 1.0))
    throw poputil::poplibs_error("popsparse: a share of " + std::to_string(nzRatio) +
                                 " elements that are not zero; it is above 0, and at most 1");
  return {sparsityParams, nzRatio, groups, m, k, n};
}

MatMulParams MatMulParams::createWithNumNonZeroValues(const SparsityParams& sparsityParams,
                                                      std::size_t numNonZeroElems,
                                                      std::size_t groups, std::size_t m,
                                                      std::size_t k, std::size_t n) {
  return createWithNzRatio(sparsityParams,
                           static_cast<double>(numNonZeroElems) / static_cast<double>(m * k),
                           groups, m, k, n);
}

std::size_t MatMulParams::getNumNonZeroValues() const {
  const std::size_t size = sparsity_.blockSize();
  const double blocks = std::ceil(nzRatio_ * static_cast<double>(m_ * k_ / size) - 1e-6);
  return static_cast<std::size_t>(blocks) * size;
}

std::ostream& operator<<(std::ostream& os, const MatMulParams& p) {
  return os << "{" << p.getSparsityParams() << ", nz ratio " << p.getNzRatio() << ", m " << p.getM()
            << ", k " << p.getK() << ", n " << p.getN() << "}";
}

std::ostream& operator<<(std::ostream& os, const FullyConnectedParams& p) {
  return os << p.product();
}

}  // namespace dynamic

namespace static_ {

std::ostream& operator<<(std::ostream& os, const MatMulParams& p) {
  return os << "{m " << p.getM() << ", k " << p.getK() << ", n " << p.getN()
            << (p.isTransposed() ? ", dense times sparse}" : ", sparse times dense}");
}

}  // namespace static_
}  // namespace popsparse
