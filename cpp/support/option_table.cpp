#include "support/option_table.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <numeric>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace popir {
namespace {

using Kind = OptionRow::Kind;
using Type = OptionRow::Type;

constexpr unsigned long kMostMicroseconds = 1000000;
constexpr std::size_t kMostDigits = 18;

bool isPattern(const std::string& value) {
  try {
    return std::regex(value).mark_count() < value.size() + 1;
  } catch (const std::regex_error&) {
    return false;
  }
}

bool isWhole(const std::string& value) {
  return !value.empty() && value.size() <= kMostDigits &&
         value.find_first_not_of("0123456789") == std::string::npos;
}

bool isNumber(const std::string& value, double least, double most) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  return end != value.c_str() && *end == '\0' && number >= least && number <= most;
}

std::vector<std::string> words(const char* text) {
  std::istringstream in(text);
  std::vector<std::string> found;
  for (std::string word; in >> word;) found.push_back(word);
  return found;
}

/// What the value of an option of type Names has, and the option does not take; null if nothing.
std::optional<std::string> unknownIn(const OptionRow& option, const std::string& value) {
  const auto known = namesIn(option.choices);
  for (auto& name : namesIn(value))
    if (std::find(known.begin(), known.end(), name) == known.end()) return name;
  return std::nullopt;
}

bool takes(const OptionRow& option, const std::string& value) {
  switch (option.type) {
    case Type::Flag: return value == "true" || value == "false";
    case Type::Threads:
      return isWhole(value) && std::stoul(value) >= 1 && std::stoul(value) <= kMostThreads;
    case Type::Microseconds: return isWhole(value) && std::stoul(value) <= kMostMicroseconds;
    case Type::Whole: return isWhole(value);
    case Type::Share: return isNumber(value, 0, 1);
    case Type::Number: return isNumber(value, -DBL_MAX, DBL_MAX);
    case Type::Text: return true;
    case Type::Pattern: return isPattern(value);
    case Type::Choice: {
      const auto choices = words(option.choices);
      return std::find(choices.begin(), choices.end(), value) != choices.end();
    }
    case Type::Names: return !unknownIn(option, value);
  }
  return false;
}

// Levenshtein distance, ignoring case.
std::size_t distance(const std::string& a, const std::string& b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char left : a) {
    auto diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto replaced = diagonal + (lower(left) == lower(b[j]) ? 0u : 1u);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, diagonal + 1, replaced});
    }
  }
  return row.back();
}

void sayOnce(const std::string& note) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard<std::mutex> lock(mutex);
  if (said.insert(note).second) std::cerr << "popir: warning: " << note << "\n";
}

void (*say)(const std::string&) = sayOnce;

}  // namespace

std::vector<std::string> namesIn(const std::string& value) {
  std::vector<std::string> names;
  std::istringstream in(value);
  for (std::string name; std::getline(in, name, ',');) {
    const auto first = name.find_first_not_of(' ');
    names.push_back(first == std::string::npos
                        ? ""
                        : name.substr(first, name.find_last_not_of(' ') - first + 1));
  }
  return names;
}

bool flagFrom(const poplar::OptionFlags& options, const char* name, bool otherwise) {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : found->second == "true";
}

bool isNamed(const poplar::OptionFlags& options, const char* option, const std::string& name) {
  const auto found = options.find(option);
  if (found == options.end()) return false;
  const auto names = namesIn(found->second);
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string typeText(const OptionRow& option) {
  switch (option.type) {
    case Type::Flag: return "true or false";
    case Type::Threads: return "a number from 1 to " + std::to_string(kMostThreads);
    case Type::Microseconds: return "a number from 0 to " + std::to_string(kMostMicroseconds);
    case Type::Whole: return "a whole number";
    case Type::Share: return "a number from 0 to 1";
    case Type::Number: return "a number";
    case Type::Text: return "text";
    case Type::Pattern: return "a regular expression";
    case Type::Choice: {
      std::string text;
      for (const auto& word : words(option.choices)) text += (text.empty() ? "" : ", ") + word;
      return "one of " + text;
    }
    case Type::Names: return std::string("names, separated by commas, of: ") + option.choices;
  }
  return "";
}

std::vector<std::string> checkOptions(const char* who, const std::vector<OptionRow>& table,
                                      const poplar::OptionFlags& options) {
  std::vector<std::string> notes;
  for (const auto& [name, value] : options) {
    const auto& key = name;
    const auto option = std::find_if(table.begin(), table.end(),
                                     [&](const OptionRow& row) { return key == row.name; });
    if (option == table.end()) {
      std::vector<std::string> names;
      for (const auto& row : table) names.emplace_back(row.name);
      throw poplar::invalid_option(std::string(who) + ": there is no option '" + name + "'." +
                                   didYouMean(name, names) + " `popir options` lists them.");
    }
    const auto given = std::string(who) + ": " + name + " is '" + value + "'";
    if (!takes(*option, value)) {
      auto expected = given + ", expected " + typeText(*option);
      if (option->type == Type::Names) {
        const auto unknown = *unknownIn(*option, value);
        expected +=
            ". There is no '" + unknown + "'." + didYouMean(unknown, namesIn(option->choices));
      }
      throw poplar::invalid_option(expected);
    }
    if (value == option->otherwise) continue;
    if (option->kind == Kind::Refused) throw poplar::invalid_option(given + ": " + option->reason);
    if (option->kind == Kind::NoMeaning && !option->neutral)
      notes.push_back(given + ", which has no meaning here: " + option->reason);
  }
  return notes;
}

void noteOption(const std::string& note) { say(note); }
void setOptionNotes(void (*to)(const std::string&)) { say = to; }

std::string didYouMean(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 256;
  const std::string* best = nullptr;
  auto least = word.size() / 3 + 1;
  for (const auto& name : names) {
    const auto steps = word.size() > kLongest ? least : distance(word, name);
    if (steps >= least) continue;
    least = steps;
    best = &name;
  }
  return best == nullptr ? "" : " Did you mean '" + *best + "'?";
}

}  // namespace popir
