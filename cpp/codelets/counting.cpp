#include "codelets/counting.hpp"

#include <cctype>
#include <sstream>
#include <vector>

namespace popir {
namespace {

bool inName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$';
}

// Splits a line of assembler text into statements and drops comments. A string may contain
// separators.
std::vector<std::string> statementsOf(const std::string& line) {
  std::vector<std::string> statements(1);
  bool quoted = false, escaped = false;
  for (const char c : line) {
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = quoted && c == '\\' && !escaped;
    if (!quoted && c == '#') break;
    if (!quoted && c == ';')
      statements.emplace_back();
    else
      statements.back() += c;
  }
  return statements;
}

// One statement: its labels, then a mnemonic or directive with its operands.
struct Statement {
  std::string labels, word, rest;  // `rest` is everything after the labels, including `word`
};
Statement parse(const std::string& text) {
  for (std::size_t begin = 0, at = 0;;) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
    auto end = at;
    while (end < text.size() && inName(text[end])) ++end;
    if (end == at || end == text.size() || text[end] != ':')
      return {text.substr(0, begin), text.substr(at, end - at), text.substr(begin)};
    begin = at = end + 1;
  }
}

// A jump ends a basic block.
bool jumps(const std::string& mnemonic) {
  return mnemonic[0] == 'j' || mnemonic.compare(0, 4, "loop") == 0;
}

// ENDBR64 and ENDBR32 only mark targets of indirect jumps.
bool isNothing(const std::string& mnemonic) { return mnemonic.compare(0, 6, "endbr6") == 0; }

// Adds to the counter without touching flags or registers: only LEA, MOV, PUSH and POP. First skips
// the 128-byte red zone, in which a function may keep data below its stack pointer.
std::string counting(std::size_t instructions) {
  const std::string counter = kCodeletCounter;
  return "\tleaq -128(%rsp), %rsp\n\tpushq %rax\n\tmovq " + counter + "(%rip), %rax\n\tleaq " +
         std::to_string(instructions) + "(%rax), %rax\n\tmovq %rax, " + counter +
         "(%rip)\n\tpopq %rax\n\tleaq 128(%rsp), %rsp\n";
}

}  // namespace

std::string countingAssembly(const std::string& text) {
  std::istringstream lines(text);
  std::string out, block;  // `block` starts at the first instruction of a basic block
  std::size_t instructions = 0;
  const auto flush = [&] {
    if (instructions > 0) out += counting(instructions);
    out += block;
    block.clear();
    instructions = 0;
  };
  for (std::string line; std::getline(lines, line);) {
    for (const auto& statement : statementsOf(line)) {
      const auto s = parse(statement);
      if (!s.labels.empty()) {
        flush();
        out += s.labels + "\n";
      }
      if (s.word.empty() || s.word[0] == '.' || isNothing(s.word)) {
        (instructions > 0 ? block : out) += s.rest + "\n";
        continue;
      }
      block += s.rest + "\n";
      ++instructions;
      if (jumps(s.word)) flush();
    }
  }
  flush();
  return out;
}

}  // namespace popir
