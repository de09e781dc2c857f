// Plans that a pass breaks, one way each, and what the verifier says; compiled with popir's own
// headers. Prints a line for each: the fault's name, then the error, or "accepted".
#include <functional>
#include <iostream>
#include <map>
#include <poplar/Engine.hpp>
#include <popops/ElementWise.hpp>

#include "engine/engine.hpp"

namespace {

using popir::Buffer;
using popir::Passes;
using popir::Plan;
using popir::Step;

/// Takes blocks of channels, or dense operands alone, and ties none.
class Plain final : public popir::Kernel {
 public:
  explicit Plain(bool takesAll) : takesAll_(takesAll) {}
  const char* name() const override { return "plain"; }
  bool accepts(std::size_t i, const popir::Layout& layout) const override {
    return takesAll_ || Kernel::accepts(i, layout);
  }
  std::unique_ptr<popir::Runner> prepare(const std::vector<popir::Layout>&,
                                         const popir::Setting&) const override {
    return nullptr;
  }
  popir::Work work(const std::vector<popir::Layout>&) const override { return {}; }

 private:
  bool takesAll_;
};

/// The programs' plan before any pass. Steps of program 0: 0 exp, 1 neg, 2 repeat, 3 more, 4 end, 5
/// unless, 6 a copy, 7 jump, 8 another copy; of program 1: 0 y from the host, 1 neg, 2 z to the
/// host, 3 exp, 4 w to the host.
struct Grown {
  poplar::Graph graph{poplar::Target::createIPUTarget(1, 2, "ipu2")};
  poplar::program::Sequence program;
  popir::EngineParts parts;
  Plan plan;
  unsigned x, t, u, c, result, y, z, w;

  Grown() {
    const auto add = [&](const char* name) {
      const auto v = graph.addVariable(poplar::FLOAT, {1, 16, 2, 2}, name);
      graph.setTileMapping(v, 0);
      return v;
    };
    const auto in = add("x"), first = add("t"), second = add("u"), out = add("out"),
               last = add("result");
    const auto flag = graph.addVariable(poplar::BOOL, {1}, "flag");
    const auto one = graph.addConstant(poplar::FLOAT, {1}, 1.0f, "one");
    graph.setTileMapping(flag, 0);
    graph.setTileMapping(one, 0);
    graph.createHostWrite("x", in);
    graph.createHostWrite("flag", flag);
    graph.createHostRead("out", out);
    graph.createHostRead("result", last);
    using Unary = popops::expr::UnaryOpType;
    popops::mapWithOutput(graph, Unary::EXPONENT, in, first, program, "exp");
    popops::mapWithOutput(graph, Unary::NEGATE, first, second, program, "neg");
    poplar::program::Sequence body;
    popops::mapInPlace(graph, popops::expr::BinaryOpType::ADD, second, one, body, "more");
    program.add(poplar::program::Repeat(3, body, "loop"));
    program.add(poplar::program::If(flag, poplar::program::Copy(second, out, false, "yes"),
                                    poplar::program::Sequence(), "choice"));
    program.add(poplar::program::Copy(second, last, false, "end"));
    const auto given = add("y"), negated = add("z"), grown = add("w");
    poplar::program::Sequence streams;
    const auto from = graph.addHostToDeviceFIFO("from", poplar::FLOAT, 64);
    const auto to = graph.addDeviceToHostFIFO("to", poplar::FLOAT, 64),
               also = graph.addDeviceToHostFIFO("also", poplar::FLOAT, 64);
    streams.add(poplar::program::Copy(from, given));
    popops::mapWithOutput(graph, Unary::NEGATE, given, negated, streams, "negated");
    streams.add(poplar::program::Copy(negated, to));
    popops::mapWithOutput(graph, Unary::EXPONENT, given, grown, streams, "grown");
    streams.add(poplar::program::Copy(grown, also));
    y = *given.view().wholeVariable();
    z = *negated.view().wholeVariable();
    w = *grown.view().wholeVariable();
    x = *in.view().wholeVariable();
    t = *first.view().wholeVariable();
    u = *second.view().wholeVariable();
    c = *one.view().wholeVariable();
    result = *last.view().wholeVariable();
    plan.graph = graph.impl();
    plan.programs =
        popir::checkedPrograms(*graph.impl(), {program.node(), streams.node()}, {}, parts);
    plan.programs.emplace_back();
  }

  std::vector<Step>& steps(std::size_t p = 0) { return plan.programs[p].steps; }
  Buffer& buffer(unsigned v) { return plan.assignment.buffers[v]; }
  /// Step `s` with another tensor as its operand `i`.
  void give(std::size_t s, std::size_t i, const poplar::Tensor& t) {
    auto vertex = std::make_shared<popir::BulkVertex>(*steps()[s].vertex);
    vertex->operands[i].tensor = t;
    steps()[s].joined = vertex;
    steps()[s].vertex = vertex.get();
  }
  /// The operand of step `s` that is read, or written.
  std::size_t operand(std::size_t s, popir::Access access) {
    const auto& operands = steps()[s].vertex->operands;
    return operands[0].access == access ? 0 : 1;
  }
  void give(std::size_t s, std::shared_ptr<const popir::Kernel> kernel) {
    auto vertex = std::make_shared<popir::BulkVertex>(*steps()[s].vertex);
    vertex->kernel = std::move(kernel);
    steps()[s].joined = vertex;
    steps()[s].vertex = vertex.get();
  }
  poplar::Tensor view(unsigned v, popir::Dims shape, bool constant = false) const {
    return poplar::Tensor(
        popir::View::ofVariable(graph.impl().get(), v, constant, poplar::FLOAT, shape));
  }
};

class Break final : public popir::Pass {
 public:
  explicit Break(std::function<void()> how) : how_(std::move(how)) {}
  const char* name() const override { return "break"; }
  const char* contract() const override { return "something is wrong"; }
  std::string run(Plan&) const override {
    how_();
    return "one thing";
  }

 private:
  std::function<void()> how_;
};

using Fault = std::function<void(Grown&)>;

const std::map<std::string, Fault> kFaults{
    {"nothing", [](Grown&) {}},
    {"undefined", [](Grown& g) { std::swap(g.steps()[0], g.steps()[1]); }},
    {"dropped", [](Grown& g) { g.steps()[1] = Step(); }},
    {"overlap", [](Grown& g) { g.buffer(g.u).offset = g.buffer(g.t).offset; }},
    {"low", [](Grown& g) { g.buffer(g.u).offset = g.buffer(g.x).offset; }},
    {"end", [](Grown& g) { *g.plan.assignment.arenaBytes = g.buffer(g.u).offset + 1; }},
    {"mortal", [](Grown& g) { g.buffer(g.result).alwaysLive = false; }},
    {"homeless", [](Grown& g) { g.buffer(g.u) = Buffer(); }},
    {"constant's", [](Grown& g) { g.buffer(g.u).kind = Buffer::Kind::Constant; }},
    {"host's", [](Grown& g) { g.buffer(g.u).kind = Buffer::Kind::StreamIn; }},
    {"blocked copy",
     [](Grown& g) {
       auto& step = g.steps()[1];
       step.kind = Step::Kind::Copy;
       step.vertex = nullptr;
       step.src = g.view(g.t, {1, 16, 2, 2});
       step.dst = g.view(g.u, {1, 16, 2, 2});
       g.buffer(g.u).channelBlock = 8;
     }},
    {"tied", [](Grown& g) { g.buffer(g.t).channelBlock = 8; }},
    {"refused",
     [](Grown& g) {
       g.give(0, std::make_shared<Plain>(false));
       g.buffer(g.t).channelBlock = 8;
     }},
    {"part",
     [](Grown& g) {
       for (const std::size_t s : {0, 1}) g.give(s, std::make_shared<Plain>(true));
       const auto reads = g.steps()[1].vertex->operands[0].access == popir::Access::Read ? 0 : 1;
       g.give(1, reads, g.view(g.t, {1, 16, 2, 2}).slice(0, 8, 1));
       g.buffer(g.t).channelBlock = 8;
     }},
    {"block of 5", [](Grown& g) { g.buffer(g.t).channelBlock = 5; }},
    {"visible block", [](Grown& g) { g.buffer(g.x).channelBlock = 8; }},
    {"gap",
     [](Grown& g) {
       g.plan.assignment.concats = {{g.u, g.t}};
     }},
    {"jump", [](Grown& g) { g.steps()[7].target = 99; }},
    {"into a loop", [](Grown& g) { g.steps()[7].target = 3; }},
    {"into a loop's end",
     [](Grown& g) {
       g.steps()[1].kind = Step::Kind::Jump, g.steps()[1].target = 4, g.steps()[1].vertex = nullptr;
     }},
    {"endless", [](Grown& g) { g.steps()[2].target = 7; }},
    {"unnested",
     [](Grown& g) {
       g.plan.programs[0].conditionals.push_back({3, 7});
     }},
    {"leaf", [](Grown& g) { g.plan.programs[0].leaves[0].end = 3; }},
    {"outside",
     [](Grown& g) {
       g.give(1, 0, g.view(g.u, {1, 16, 2, 4}).slice(2, 4, 3));
     }},
    {"unknown",
     [](Grown& g) {
       g.give(1, 0, g.view(77, {1, 16, 2, 2}));
     }},
    {"constant",
     [](Grown& g) {
       g.steps()[8].dst = g.view(g.c, {1}, true);
       g.steps()[8].src = g.steps()[8].src.flatten().slice(0, 1, 0);
     }},
    {"sizes", [](Grown& g) { g.steps()[8].src = g.steps()[8].src.flatten().slice(0, 1, 0); }},
    {"always live",
     [](Grown& g) { g.buffer(g.result).offset = g.plan.assignment.alwaysLiveBytes - 64; }},
    {"unaligned", [](Grown& g) { g.buffer(g.u).offset += 4; }},
    {"short life", [](Grown& g) { g.buffer(g.t).last = g.buffer(g.t).first; }},
    {"few", [](Grown& g) { g.give(1, g.operand(1, popir::Access::Read), g.view(g.t, {4})); }},
    {"other type",
     [](Grown& g) {
       const auto i = g.operand(1, popir::Access::Read);
       g.give(1, i, g.view(g.t, {1, 16, 2, 2}).reinterpret(poplar::INT));
     }},
    {"lost",
     [](Grown& g) {
       auto vertex = std::make_shared<popir::BulkVertex>(*g.steps()[1].vertex);
       vertex->operands.pop_back();
       g.steps()[1].joined = vertex;
       g.steps()[1].vertex = vertex.get();
     }},
    {"twice",
     [](Grown& g) {
       const auto one = g.view(g.u, {1, 16, 2, 2}).slice(0, 1, 1);
       g.give(1, g.operand(1, popir::Access::Write), one.broadcast(16, 1));
     }},
    {"shifted",
     [](Grown& g) {
       g.give(1, g.operand(1, popir::Access::Write), g.view(g.t, {1, 16, 2, 2}).reverse(1));
     }},
    {"never written", [](Grown& g) { g.steps()[8] = Step(); }},
    {"many predicates",
     [](Grown& g) {
       g.steps()[5].src = g.view(g.u, {1, 16, 2, 2});
     }},
    {"unconditional", [](Grown& g) { g.plan.programs[0].conditionals.clear(); }},
    {"concatenation", [](Grown& g) { g.plan.assignment.concats = {{999999}}; }},
    {"circle",
     [](Grown& g) {
       std::swap(g.steps()[0], g.steps()[1]);
       g.plan.renamedFrom[g.t] = g.t;
     }},
    {"threads", [](Grown& g) { g.plan.threads = 0; }},
    {"block of -7",
     [](Grown& g) {
       for (const std::size_t s : {0, 1}) g.give(s, std::make_shared<Plain>(true));
       g.buffer(g.t).channelBlock = -7;
     }},
    {"stream's size",
     [](Grown& g) {
       g.steps(1)[0].dst = g.view(g.y, {1, 16, 2, 2}).slice(0, 4, 1);
     }},
    {"stream's direction", [](Grown& g) { g.steps(1)[0].stream = g.steps(1)[2].stream; }},
    {"stream's buffer",
     [](Grown& g) {
       g.steps(1)[4].stream = g.steps(1)[2].stream;
       g.buffer(g.w).stream = g.buffer(g.z).stream;
     }},
    {"stream's program", [](Grown& g) { g.buffer(g.z).program = 0; }},
    {"other stream", [](Grown& g) { g.buffer(g.z).stream = g.buffer(g.w).stream; }},
    {"written late", [](Grown& g) { std::swap(g.steps(1)[1], g.steps(1)[2]); }},
    {"one group",
     [](Grown& g) {
       g.plan.programs[0].sideBySide = {{0, 2}};
     }},
    {"groups' data",
     [](Grown& g) {
       g.plan.programs[0].sideBySide = {{0, 1, 2}};
     }},
    {"group's stream",
     [](Grown& g) {
       g.plan.programs[1].sideBySide = {{0, 1, 2}};
     }},
    {"nothing to run", [](Grown& g) { g.steps()[0].vertex = nullptr; }},
    {"invariant",
     [](Grown& g) {
       g.plan.invariant.assign(g.plan.graph->variables.size(), false);
       g.plan.invariant[g.u] = true;
     }},
    {"hoisted",
     [](Grown& g) {
       g.plan.invariant.assign(g.plan.graph->variables.size(), false);
       std::swap(g.steps()[0], g.plan.prologue().steps.emplace_back());
     }},
};

std::string saidOf(const Fault& fault, const char* verify) {
  Grown grown;
  auto passes = popir::enginePasses();
  passes.push_back({nullptr, std::make_shared<Break>([&] { fault(grown); })});
  try {
    popir::runPasses(grown.plan, passes, {{"host.fuse", "false"}, {"debug.verifyPlan", verify}});
  } catch (const poplar::graph_program_compilation_error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

int main() {
  for (const auto& [name, fault] : kFaults)
    std::cout << name << ": " << saidOf(fault, "true") << "\n";
  std::cout << "unasked: " << saidOf(kFaults.at("undefined"), "false") << "\n";
}
