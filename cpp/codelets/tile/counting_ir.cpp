#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "codelets/counting.hpp"
#include "codelets/tile/cost.hpp"
#include "codelets/tile/vector_loops.hpp"

namespace popir {
namespace {

using tile::Varying;

// Bundles of the runtime's division: 20, and 12 for each bit of the quotient; fewer where it is 0.
const char* const kDivisionCode = R"(
define internal i64 @popir.division(i32 %n, i32 %d) {
  %nz = icmp eq i32 %n, 0
  %dz = icmp eq i32 %d, 0
  %z = or i1 %nz, %dz
  %cn = call i32 @llvm.ctlz.i32(i32 %n, i1 false)
  %cd = call i32 @llvm.ctlz.i32(i32 %d, i1 false)
  %s = sub i32 %cd, %cn
  %small = icmp slt i32 %s, 0
  %bits = add i32 %s, 1
  %turns = mul i32 %bits, 12
  %long = add i32 %turns, 20
  %a = select i1 %small, i32 10, i32 %long
  %b = select i1 %z, i32 6, i32 %a
  %c = zext i32 %b to i64
  ret i64 %c
}
)";

// Adds what `amount` names to the counter. The names are new in the function.
std::string adding(const std::string& amount, const std::string& name) {
  const std::string counter = std::string("@") + kCodeletCounter;
  return "  %" + name + ".was = load i64, ptr " + counter + "\n  %" + name + ".is = add i64 %" +
         name + ".was, " + amount + "\n  store i64 %" + name + ".is, ptr " + counter + "\n";
}

std::string word(const std::string& value, const std::string& type, bool isSigned,
                 const std::string& name, std::string& code) {
  std::string at = value;
  if (type != "i32") {
    const auto bits = std::stoul(type.substr(1));
    code += "  %" + name + " = " +
            (bits > 32  ? "trunc"
             : isSigned ? "sext"
                        : "zext") +
            " " + type + " " + value + " to i32\n";
    at = "%" + name;
  }
  if (isSigned) {
    code += "  %" + name + ".size = call i32 @llvm.abs.i32(i32 " + at + ", i1 false)\n";
    at = "%" + name + ".size";
  }
  return at;
}

std::string counting(const Varying& cost, const std::string& name) {
  std::string code;
  if (cost.kind == Varying::Kind::Division) {
    const auto n = word(cost.first, cost.type, cost.isSigned, name + ".n", code);
    const auto d = word(cost.second, cost.type, cost.isSigned, name + ".d", code);
    code += "  %" + name + ".takes = call i64 @popir.division(i32 " + n + ", i32 " + d + ")\n";
  } else {
    code += "  %" + name + ".more = add i64 " + cost.first + ", 7\n  %" + name +
            ".words = lshr i64 %" + name + ".more, 3\n  %" + name + ".takes = mul i64 %" + name +
            ".words, " + std::to_string(cost.cyclesOf8) + "\n";
  }
  return code + adding("%" + name + ".takes", name);
}

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

std::set<std::string> namesOf(const std::vector<tile::Function>& functions) {
  std::set<std::string> names;
  for (const auto& f : functions) names.insert(f.name);
  return names;
}

}  // namespace

std::map<std::string, std::vector<std::uint64_t>> tileCycles(const std::string& text) {
  const auto functions = tile::functionsOf(linesOf(text));
  const auto defined = namesOf(functions);
  std::map<std::string, std::vector<std::uint64_t>> cycles;
  for (const auto& f : functions) cycles[f.name] = tile::costOf(f, defined).blocks;
  return cycles;
}

std::optional<std::string> withVectorLoops(const std::string& text) {
  auto lines = linesOf(text);
  std::map<std::size_t, unsigned> loops;  // their widths, by line
  for (const auto& f : tile::functionsOf(lines))
    for (const auto& loop : tile::vectorLoops(f)) loops[loop.line] = loop.width;
  if (loops.empty()) return std::nullopt;
  std::string nodes;
  std::size_t n = 0;  // above all numbers of the module's nodes
  for (const auto& line : lines)
    if (line.size() > 1 && line[0] == '!' && line[1] >= '0' && line[1] <= '9')
      n = std::max(n, std::stoul(line.substr(1)) + 1);
  const auto node = [&](const std::string& what) {
    nodes += "!" + std::to_string(n) + " = " + what + "\n";
    return "!" + std::to_string(n++);
  };
  const auto progress = node("!{!\"llvm.loop.mustprogress\"}");
  const auto enabled = node("!{!\"llvm.loop.vectorize.enable\", i1 true}");
  const auto alone = node("!{!\"llvm.loop.interleave.count\", i32 1}");
  for (const auto& [at, width] : loops) {
    auto& line = lines[at];
    const auto wide = node("!{!\"llvm.loop.vectorize.width\", i32 " + std::to_string(width) + "}");
    const auto own = "!" + std::to_string(n);
    node("distinct !{" + own + ", " + progress + ", " + enabled + ", " + alone + ", " + wide + "}");
    line = line.substr(0, line.find(", !")) + ", !llvm.loop " + own;
  }
  std::string out;
  for (const auto& line : lines) out += line + "\n";
  return out + nodes;
}

std::string countingIr(const std::string& text) {
  const auto lines = linesOf(text);
  const auto functions = tile::functionsOf(lines);
  const auto defined = namesOf(functions);
  std::map<std::size_t, std::string> before;  // by line
  std::size_t n = 0;
  for (const auto& f : functions) {
    if (f.name.find("tile_builtin_ipu_") != std::string::npos) continue;
    const auto cost = tile::costOf(f, defined);
    for (std::size_t b = 0; b < f.blocks.size(); ++b)
      if (cost.blocks[b] > 0)
        before[f.blocks[b].firstLine] +=
            adding(std::to_string(cost.blocks[b]), "popir.c" + std::to_string(n++));
    for (const auto& v : cost.varying)
      before[v.line] += counting(v, "popir.c" + std::to_string(n++));
  }
  std::string out;
  bool clz = false, abs = false, repeats = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto more = before.find(i);
    if (more != before.end()) out += more->second;
    if (lines[i].compare(0, 8, "declare ") == 0 &&
        lines[i].find(std::string("@") + kCodeletRepeats + "(") != std::string::npos) {
      repeats = true;
      continue;
    }
    out += lines[i] + "\n";
    clz = clz || lines[i].find("declare i32 @llvm.ctlz.i32(") == 0;
    abs = abs || lines[i].find("declare i32 @llvm.abs.i32(") == 0;
  }
  out += kDivisionCode;
  if (repeats)
    out += std::string("define internal i32 @") + kCodeletRepeats + "(i32 %n) {\n  ret i32 %n\n}\n";
  if (!clz) out += "declare i32 @llvm.ctlz.i32(i32, i1)\n";
  if (!abs) out += "declare i32 @llvm.abs.i32(i32, i1)\n";
  return out;
}

}  // namespace popir
