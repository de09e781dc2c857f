// What a graph of gradients reads and gives. After popart/bwdgraphinfo.hpp of PopART 3.
#ifndef popart_bwdgraphinfo_hpp
#define popart_bwdgraphinfo_hpp

#include <popart/graphid.hpp>
#include <popart/names.hpp>

#include <map>
#include <ostream>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A tensor of the graph that was differentiated, or its gradient.
enum class ExpectedConnectionType { Fwd = 0, FwdGrad = 1 };

/// What an input of a graph of gradients has to be given, or what an output is.
struct ExpectedConnection {
  TensorId fwdId;
  ExpectedConnectionType type;

  bool operator==(const ExpectedConnection& o) const { return fwdId == o.fwdId && type == o.type; }
};

using ExpectedConnections = std::vector<ExpectedConnection>;

/// A graph that computes gradients of another one, with what its inputs and outputs are, in order.
struct BwdGraphInfo {
  GraphId bwdGraphId;
  ExpectedConnections expectedInputs;
  ExpectedConnections expectedOutputs;

  bool operator==(const BwdGraphInfo& o) const {
    return bwdGraphId == o.bwdGraphId && expectedInputs == o.expectedInputs &&
           expectedOutputs == o.expectedOutputs;
  }
};

/// By the graph that was differentiated.
using FwdGraphToBwdGraphInfo = std::map<GraphId, BwdGraphInfo>;

std::ostream& operator<<(std::ostream& os, ExpectedConnectionType type);
std::ostream& operator<<(std::ostream& os, const ExpectedConnection& connection);
std::ostream& operator<<(std::ostream& os, const ExpectedConnections& connections);
std::ostream& operator<<(std::ostream& os, const BwdGraphInfo& info);
std::ostream& operator<<(std::ostream& os, const FwdGraphToBwdGraphInfo& infos);

}  // namespace popart

#pragma GCC visibility pop

#endif
