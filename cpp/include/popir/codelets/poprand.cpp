// The vertices of PopLibs' poprand that programs add by name; popir's own functions need none.
//
// Each has one field more than PopLibs', `workerSeeds`, which Graph::setTileMapping() connects:
// words of its tile, those of poplar::setHwSeeds(). SetSeed has those of all workers, the others
// those of one.
#include <poplar/Vertex.hpp>

namespace poprand {
namespace {

/// A word whose bits all depend on all bits of `x`.
unsigned mixed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
  x = (x ^ (x >> 13)) * 0xC2B2AE35u;
  return x ^ (x >> 16);
}

}  // namespace

/// Sets the words of a tile by a seed of two words and what tells tiles and calls apart.
class SetSeed : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> seed;
  unsigned seedModifierUser;
  unsigned seedModifierHw;
  poplar::Output<poplar::Vector<unsigned>> workerSeeds;

  bool compute() {
    const unsigned first = mixed(seed[0] ^ seedModifierUser);
    const unsigned second = mixed(seed[1] + mixed(seedModifierHw));
    for (unsigned i = 0; i < workerSeeds.size(); ++i)
      workerSeeds[i] = mixed(first + mixed(second + 0x9E3779B9u * i));
    return true;
  }
};

/// 1 with the probability prob / 65536, else 0.
template <class T>
class Bernoulli : public poplar::Vertex {
 public:
  poplar::Output<poplar::Vector<T>> out;
  unsigned prob;
  poplar::InOut<poplar::Vector<unsigned>> workerSeeds;

  bool compute() {
    // The first words are a counter and its key.
    const unsigned key = workerSeeds[1];
    unsigned count = workerSeeds[0];
    for (unsigned i = 0; i < out.size(); ++i) {
      const unsigned drawn = mixed(key + mixed(++count)) >> 16;
      out[i] = drawn < prob ? T(1) : T(0);
    }
    workerSeeds[0] = count;
    return true;
  }
};

template class Bernoulli<float>;
template class Bernoulli<half>;
template class Bernoulli<int>;

}  // namespace poprand
