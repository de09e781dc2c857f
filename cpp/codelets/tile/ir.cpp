#include "codelets/tile/ir.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

namespace popir::tile {
namespace {

std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(" \t") + 1 - from);
}

// Reads one line from left to right.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  bool done() {
    skip();
    return at_ >= text_.size();
  }
  bool peek(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    ++at_;
    return true;
  }
  bool take(const std::string& word) {
    const auto before = at_;
    if (this->word() == word) return true;
    at_ = before;
    return false;
  }
  // Up to a space, comma or bracket outside of brackets and quotes; a balanced bracket is one word.
  std::string word() {
    skip();
    const auto from = at_;
    int depth = 0;
    for (bool quoted = false; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == '(' || c == '[' || c == '{' || c == '<') {
        if (depth == 0 && at_ > from) break;
        ++depth;
      } else if (c == ')' || c == ']' || c == '}' || c == '>') {
        if (depth == 0) break;
        if (--depth == 0) {
          ++at_;
          break;
        }
      } else if (depth == 0 && (std::isspace(static_cast<unsigned char>(c)) || c == ',')) {
        break;
      }
    }
    return text_.substr(from, at_ - from);
  }
  // Up to a comma outside of brackets, or the end.
  std::string part() {
    skip();
    const auto from = at_;
    int depth = 0;
    for (bool quoted = false; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
      if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
      if (depth < 0 || (depth == 0 && c == ',')) break;
    }
    return trimmed(text_.substr(from, at_ - from));
  }
  std::string rest() {
    skip();
    return text_.substr(at_);
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

const std::set<std::string>& flags() {
  static const std::set<std::string> all{
      "nuw", "nsw",      "exact",   "fast",     "nnan",     "ninf",   "nsz",      "arcp",
      "afn", "contract", "reassoc", "inbounds", "volatile", "atomic", "disjoint", "nneg"};
  return all;
}

// The value of "float noundef %3": its last word.
std::string valueOf(const std::string& argument) {
  Reader reader(argument);
  std::string last;
  while (!reader.done()) {
    auto next = reader.word();
    if (next.empty()) {
      last = reader.rest();
      break;
    }
    last = std::move(next);
  }
  return last;
}

void readCall(Reader& reader, Instruction& to) {
  // Everything before the callee are attributes and the type that it returns
  std::string before;
  while (!reader.done()) {
    auto next = reader.word();
    if (next.empty()) return;
    if (next[0] == '@' || next[0] == '%' || startsWith(next, "asm")) {
      // %"class.x" may be a returned type: a callee has its arguments behind it
      if (reader.peek('(') || next[0] == '@') {
        to.callee = next[0] == '@' ? next.substr(1) : next;
        if (!to.callee.empty() && to.callee[0] == '"')
          to.callee = to.callee.substr(1, to.callee.size() - 2);
        break;
      }
      if (startsWith(next, "asm")) {
        to.callee = "asm";
        to.text = reader.rest();
        return;
      }
    }
    // A function's whole type, "void (ptr, ...)", stands behind what it returns
    if (next[0] != '(') before = next;
  }
  to.type = before;
  if (!reader.take('(')) return;
  while (!reader.done() && !reader.peek(')')) {
    to.arguments.push_back(valueOf(reader.part()));
    reader.take(',');
  }
}

std::string labelOf(const std::string& part) {
  const auto at = part.find('%');
  if (at == std::string::npos) return "";
  auto name = part.substr(at + 1);
  const auto end = name.find_first_of(" ,]");
  return end == std::string::npos ? name : name.substr(0, end);
}

void readPhi(Reader& reader, Instruction& to) {
  to.type = reader.word();
  while (!reader.done()) {
    const auto pair = reader.part();  // "[ %3, %5 ]"
    if (pair.empty() || pair[0] != '[') break;
    const auto inside = pair.substr(1, pair.size() - 2);
    Reader in(inside);
    to.arguments.push_back(in.part());
    in.take(',');
    to.labels.push_back(labelOf(in.part()));
    if (!reader.take(',')) break;
  }
}

unsigned alignIn(const std::string& text) {
  const auto at = text.find(", align ");
  return at == std::string::npos
             ? 0
             : static_cast<unsigned>(std::strtoul(text.c_str() + at + 8, nullptr, 10));
}

Instruction parse(const std::string& line) {
  Instruction to;
  std::string text = line;
  const auto comment = text.find(" ; ");
  if (comment != std::string::npos) text.resize(comment);
  Reader reader(text);
  if (reader.peek('%')) {
    to.result = reader.word();
    reader.take('=');
  }
  do to.operation = reader.word();
  while (to.operation == "tail" || to.operation == "musttail" || to.operation == "notail");
  const auto skipFlags = [&] {
    for (;;) {
      bool any = false;
      for (const auto& flag : flags())
        if (reader.take(flag)) any = true;
      if (!any) return;
    }
  };
  const auto& op = to.operation;
  if (op == "call" || op == "invoke") {
    skipFlags();
    readCall(reader, to);
  } else if (op == "phi") {
    skipFlags();
    readPhi(reader, to);
  } else if (op == "br") {
    if (!reader.take("label")) {
      to.type = reader.word();
      to.arguments.push_back(reader.part());
    } else {
      to.labels.push_back(labelOf(reader.part()));
    }
    while (reader.take(',')) {
      const auto part = reader.part();
      if (startsWith(part, "label")) to.labels.push_back(labelOf(part));
    }
  } else if (op == "switch") {
    to.type = reader.word();
    to.arguments.push_back(reader.part());
    reader.take(',');
    const auto rest = reader.rest();
    for (auto at = rest.find("label %"); at != std::string::npos; at = rest.find("label %", at + 1))
      to.labels.push_back(labelOf(rest.substr(at)));
  } else if (op == "load") {
    skipFlags();
    to.type = reader.word();
    reader.take(',');
    to.arguments.push_back(valueOf(reader.part()));
    to.align = alignIn(text);
  } else if (op == "store") {
    skipFlags();
    to.type = reader.word();
    to.arguments.push_back(reader.part());
    reader.take(',');
    to.arguments.push_back(valueOf(reader.part()));
    to.align = alignIn(text);
  } else if (op == "icmp" || op == "fcmp") {
    skipFlags();
    to.predicate = reader.word();
    to.type = reader.word();
    to.arguments.push_back(reader.part());
    reader.take(',');
    to.arguments.push_back(reader.part());
  } else if (op == "ret") {
    to.type = reader.word();
    if (!reader.done()) to.arguments.push_back(reader.part());
  } else if (op == "alloca" || op == "unreachable" || op == "resume" || op == "landingpad") {
    to.type = "void";
  } else if (op == "select" || op == "getelementptr" || op == "extractelement" ||
             op == "insertelement" || op == "shufflevector" || op == "extractvalue" ||
             op == "insertvalue") {
    skipFlags();
    if (op == "getelementptr") {
      to.type = reader.word();
      reader.take(',');
    }
    std::vector<std::string> types;
    do {
      const auto part = reader.part();
      if (part.empty()) break;
      to.arguments.push_back(valueOf(part));
      Reader in(part);
      types.push_back(in.word());
    } while (reader.take(','));
    if (op == "select" && types.size() > 1)
      to.type = types[1];
    else if (op != "getelementptr" && !types.empty())
      to.type = types[0];
  } else {
    skipFlags();
    to.type = reader.word();
    for (;;) {
      auto part = reader.part();
      const auto into = part.find(" to ");
      if (into != std::string::npos) {
        to.to = trimmed(part.substr(into + 4));
        part = trimmed(part.substr(0, into));
      }
      if (!part.empty() && part[0] != '!') to.arguments.push_back(part);
      if (!reader.take(',')) break;
    }
  }
  return to;
}

// The name of the function that a line begins to define.
std::string definedIn(const std::string& line) {
  const auto at = line.find('@');
  if (at == std::string::npos) return "";
  if (line[at + 1] == '"') return line.substr(at + 2, line.find('"', at + 2) - at - 2);
  return line.substr(at + 1, line.find('(', at) - at - 1);
}

// "12:" or "for.body:" at the start of a line.
std::string labelAt(const std::string& line) {
  if (line.empty() || std::isspace(static_cast<unsigned char>(line[0]))) return "";
  const auto colon = line.find(':');
  if (colon == std::string::npos) return "";
  auto name = line.substr(0, colon);
  if (name.find(' ') != std::string::npos) return "";
  return name;
}

void connect(Function& function) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < function.blocks.size(); ++i) index[function.blocks[i].name] = i;
  for (std::size_t i = 0; i < function.blocks.size(); ++i) {
    auto& block = function.blocks[i];
    if (block.instructions.empty()) continue;
    const auto& last = block.instructions.back();
    if (last.operation == "phi") continue;
    std::set<std::size_t> targets;
    for (const auto& label : last.labels) {
      const auto found = index.find(label);
      if (found != index.end()) targets.insert(found->second);
    }
    block.to.assign(targets.begin(), targets.end());
    for (const auto t : targets) function.blocks[t].from.push_back(i);
  }
}

// The entry has no label in the text: phis name it by the number that comes next after arguments.
void nameEntry(Function& function) {
  std::set<std::string> known;
  for (const auto& block : function.blocks) known.insert(block.name);
  for (const auto& block : function.blocks)
    for (const auto& instruction : block.instructions)
      if (instruction.operation == "phi")
        for (const auto& label : instruction.labels)
          if (!known.count(label)) function.blocks.front().name = label;
}

}  // namespace

bool startsWith(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

unsigned lanesOf(const std::string& type) {
  if (type.empty() || type[0] != '<') return 1;
  return static_cast<unsigned>(std::strtoul(type.c_str() + 1, nullptr, 10));
}

std::string laneOf(const std::string& type) {
  if (type.empty() || type[0] != '<') return type;
  const auto at = type.find(" x ");
  return type.substr(at + 3, type.size() - at - 4);
}

unsigned bitsOf(const std::string& type) {
  const auto lane = laneOf(type);
  unsigned bits = 32;
  if (lane == "half" || lane == "bfloat")
    bits = 16;
  else if (lane == "double")
    bits = 64;
  else if (lane.size() > 1 && lane[0] == 'i' && std::isdigit(static_cast<unsigned char>(lane[1])))
    bits = static_cast<unsigned>(std::strtoul(lane.c_str() + 1, nullptr, 10));
  // What has 64 bits here is a size or a difference of pointers, of 32 on a tile
  if (lane[0] == 'i' && bits == 64) bits = 32;
  return bits * lanesOf(type);
}

bool isFloating(const std::string& type) {
  const auto lane = laneOf(type);
  return lane == "float" || lane == "half" || lane == "double";
}

bool isConstant(const std::string& argument) { return argument.empty() || argument[0] != '%'; }

std::vector<Function> functionsOf(const std::vector<std::string>& lines) {
  std::vector<Function> functions;
  bool inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& line = lines[i];
    if (!inside) {
      if (startsWith(line, "define ")) {
        functions.push_back({definedIn(line), {}});
        functions.back().blocks.push_back({"", {}, i + 1, {}, {}});
        inside = true;
      }
      continue;
    }
    if (line == "}") {
      inside = false;
      nameEntry(functions.back());
      connect(functions.back());
      continue;
    }
    auto& blocks = functions.back().blocks;
    const auto label = labelAt(line);
    if (!label.empty()) {
      if (blocks.size() == 1 && blocks[0].instructions.empty())
        blocks[0] = {label, {}, i + 1, {}, {}};
      else
        blocks.push_back({label, {}, i + 1, {}, {}});
      continue;
    }
    auto text = trimmed(line);
    if (text.empty() || text[0] == ';') continue;
    const auto first = i;
    // A switch has its cases on lines of their own, an invoke its labels, a landing pad its clauses
    if (startsWith(text, "switch "))
      while (text.find(']') == std::string::npos && i + 1 < lines.size())
        text += " " + trimmed(lines[++i]);
    if (text.find("invoke ") != std::string::npos &&
        text.find(" unwind label") == std::string::npos)
      text += " " + trimmed(lines[++i]);
    auto instruction = parse(text);
    instruction.line = first;
    if (instruction.operation == "invoke") {
      for (auto at = text.find("label %"); at != std::string::npos;
           at = text.find("label %", at + 1))
        instruction.labels.push_back(labelOf(text.substr(at)));
    }
    if (text.find("landingpad ") != std::string::npos)
      while (i + 1 < lines.size()) {
        const auto next = trimmed(lines[i + 1]);
        if (!startsWith(next, "cleanup") && !startsWith(next, "catch") &&
            !startsWith(next, "filter"))
          break;
        ++i;
      }
    auto& block = blocks.back();
    // Counting code stands behind phis and landing pads
    if (instruction.operation == "phi" || instruction.operation == "landingpad")
      block.firstLine = i + 1;
    else if (block.instructions.empty() || block.instructions.back().operation == "phi" ||
             block.instructions.back().operation == "landingpad")
      block.firstLine = first;
    block.instructions.push_back(std::move(instruction));
  }
  return functions;
}

}  // namespace popir::tile
