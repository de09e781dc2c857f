// Sparse products, layers and embeddings, and block-sparse products and softmax.
#include <arrays.hpp>
#include <iostream>
#include <popsparse/Embedding.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/SparsePartitioner.hpp>
#include <popsparse/codelets.hpp>
#include <popsparse/experimental/BlockSparseMatMul.hpp>

using namespace poplar;
namespace sparse = popsparse::dynamic;
namespace blocks = popsparse::experimental;

namespace {

/// Blocks of a dense matrix that are not all zero, as CSR.
popsparse::CSRMatrix<float> csrOf(const std::vector<float>& dense, std::size_t rows,
                                  std::size_t columns, std::array<std::size_t, 2> block) {
  popsparse::CSRMatrix<float> made(block);
  made.rowIndices = {0};
  for (std::size_t r = 0; r < rows; r += block[0]) {
    for (std::size_t c = 0; c < columns; c += block[1]) {
      std::vector<float> values;
      bool any = false;
      for (std::size_t i = 0; i < block[0]; ++i)
        for (std::size_t j = 0; j < block[1]; ++j) {
          values.push_back(dense[(r + i) * columns + c + j]);
          any = any || values.back() != 0;
        }
      if (!any) continue;
      made.columnIndices.push_back(c);
      made.nzValues.insert(made.nzValues.end(), values.begin(), values.end());
    }
    made.rowIndices.push_back(made.nzValues.size());
  }
  return made;
}

std::vector<float> read(const std::string& name) {
  std::ifstream file(name + ".bin", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* first = reinterpret_cast<const float*>(bytes.data());
  return {first, first + bytes.size() / sizeof(float)};
}

template <typename T>
void write(const std::string& name, const std::vector<T>& values) {
  std::ofstream file(name + ".bin", std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
}

/// Writes the files of a sparse tensor's contents.
template <class PARTITIONER, class MATRIX>
void fill(Arrays& a, const PARTITIONER& partitioner, const MATRIX& matrix,
          const sparse::SparseTensor& t) {
  const auto data = partitioner.createSparsityDataImpl(matrix);
  write("meta", std::vector<unsigned short>(data.metaInfo.begin(), data.metaInfo.end()));
  write("values", data.nzValues);
  a.given("meta", t.getMetaInfoTensor());
  a.given("values", t.getNzValuesTensor());
}

}  // namespace

int main(int, char** argv) {
  const std::string part = argv[1];
  Arrays a;
  popsparse::addCodelets(a.graph);
  const std::size_t m = 8, k = 12, n = 5;
  if (part == "elements" || part == "blocks") {
    const std::array<std::size_t, 2> block = {part == "blocks" ? 2u : 1u,
                                              part == "blocks" ? 3u : 1u};
    const sparse::SparsityParams sparsity(sparse::SparsityType::Element,
                                          sparse::SparsityStructure::Unstructured, block);
    const auto params = sparse::FullyConnectedParams::createWithNzRatio(sparsity, 0.8, n, 1, k, m);
    const auto weights = sparse::createFullyConnectedWeights(a.graph, FLOAT, params);
    const sparse::Partitioner<float> partitioner(params, FLOAT, a.graph.getTarget(), {});
    const auto csr = csrOf(read("dense"), m, k, block);
    // There and back through the other formats.
    const auto csc =
        partitioner.sparsityDataImplToCSCMatrix(partitioner.createSparsityDataImpl(csr));
    fill(a, partitioner, csc, weights);
    const auto x = a.input("x", FLOAT, {n, k}), dy = a.input("dy", FLOAT, {n, m});
    // As an operator has them that gets the two tensors alone: the parameters say the rest.
    const sparse::SparseTensor bare(weights.getMetaInfoTensor(), weights.getNzValuesTensor());
    a.output("y", sparse::fullyConnectedFwd(a.graph, bare, x, params, a.prog));
    a.output("dx", sparse::fullyConnectedGradA(a.graph, bare, dy, params, a.prog));
    // The gradient takes the place of the weights, which an embedding then reads as rows.
    const auto dw = sparse::fullyConnectedSparseGradW(a.graph, weights.getMetaInfoTensor(), dy, x,
                                                      params, a.prog);
    const sparse::SparseTensor gradient(weights.getMetaInfoTensor(), dw);
    const auto all = a.input("all", UNSIGNED_INT, {m});
    a.output("dw", sparse::embeddingSlice(a.graph, gradient, all, a.prog, params));
    const auto scale = a.input("scale", FLOAT, {});
    sparse::embeddingUpdateAdd(a.graph, bare, a.input("rows", FLOAT, {2, k}),
                               a.input("which", UNSIGNED_INT, {2}), scale, a.prog, params);
    a.output("updated", sparse::embeddingSlice(a.graph, weights, all, a.prog, params));
  } else if (part == "static") {
    namespace fixed = popsparse::static_;
    const auto csr = csrOf(read("dense"), m, k, {2, 3});
    const auto left = fixed::MatMulParams::createForSparseDense(1, m, k, n);
    const auto lhs = fixed::createSparseDenseMatMulLHS<float>(a.graph, FLOAT, left, csr);
    const fixed::Partitioner<float> partitioner(left, FLOAT, a.graph.getTarget(), {});
    write("values", partitioner.createSparsityDataImpl(csr).nzValues);
    a.given("values", lhs.getNzValuesTensor());
    a.output("y", fixed::sparseDenseMatMul(a.graph, lhs, a.input("x", FLOAT, {1, k, n}), a.prog));
    a.output("turned", fixed::sparseDenseMatMul(a.graph, lhs, a.input("z", FLOAT, {1, n, m}),
                                                a.prog, true, true));
    a.output("right",
             fixed::denseSparseMatMul(a.graph, a.input("z2", FLOAT, {1, n, m}), lhs, a.prog));
  } else if (part == "blockSparse") {
    const auto mask = read("mask");
    const std::vector<unsigned char> sparsity(mask.begin(), mask.end());
    // Two groups of [4, 6] x [6, 8] in blocks of 2x3 and 3x4: the right matrix, then the result.
    const blocks::BSMatMulParams right({4, 6, 8}, {2, 3, 4}, sparsity, false, FLOAT, FLOAT, FLOAT,
                                       2);
    const auto l = blocks::createBSMatMulInputLHS(a.graph, right, "l");
    const auto r = blocks::createBSMatMulInputRHS(a.graph, right, "r");
    a.given("l", l);
    a.given("r", r);
    a.output("dense", blocks::bsMatMul(a.graph, right, a.prog, l, r));
    const blocks::BSMatMulParams transposed({4, 8, 6}, {2, 4, 3}, sparsity, true, FLOAT, FLOAT,
                                            FLOAT, 2);
    a.output("transposed",
             blocks::bsMatMul(a.graph, transposed, a.prog, a.input("l2", FLOAT, {8, 8}), r));
    const blocks::BSMatMulParams result({6, 4, 8}, {3, 2, 4}, sparsity, FLOAT, FLOAT, FLOAT,
                                        blocks::SubBlockMask::None, 2);
    a.output("sparse", blocks::bsMatMul(a.graph, result, a.prog, a.input("l3", FLOAT, {12, 4}),
                                        a.input("r3", FLOAT, {8, 8})));
  } else {
    const auto mask = read("mask");
    const std::vector<unsigned char> sparsity(mask.begin(), mask.end());
    std::size_t count = 0;
    for (const auto each : sparsity) count += each;
    const auto x = a.input("x", FLOAT, {count, 4}), dy = a.input("dy", FLOAT, {count, 4});
    const std::array<int, 2> dim = {8, 8}, size = {2, 2};
    const auto y = blocks::bsSoftmax(a.graph, x, dim, size, sparsity,
                                     blocks::SubBlockMask::ZeroUpperTriangle, 2, a.prog);
    a.output("y", y);
    a.output("dx", blocks::bsSoftmaxGrad(a.graph, y, dy, dim, size, sparsity, a.prog));
    blocks::bsSoftmaxInPlace(a.graph, x, dim, size, sparsity, blocks::SubBlockMask::None, 1,
                             a.prog);
    a.output("plain", x);
  }
  a.run();
}
