// Tables of options that are text: of engines, of devices, of library functions.
#ifndef popir_poplar_option_table_hpp
#define popir_poplar_option_table_hpp

#include <poplar/OptionFlags.hpp>

#include <string>
#include <vector>

namespace popir {

struct OptionRow {
  enum class Kind { Acts, Refused, NoMeaning };
  enum class Type { Flag, Threads, Whole, Share, Number, Text, Pattern, Choice };
  const char* name;
  Kind kind;
  Type type;
  const char* otherwise;  // its default; "" for none
  const char* reason;     // what it does; why it is refused or has no meaning
  const char* choices = "";
  /// Of one without meaning: whether no value asks for what is not done, so that nothing is said.
  bool neutral = false;
};

/// "true or false", "a number from 1 to 1024", ...
__attribute__((visibility("default"))) std::string typeText(const OptionRow& option);

/// What is to be said of the options that have no meaning; `who` has the options.
/// \throws poplar::invalid_option for a name that is not in the table, a value that an option does
/// not have, and what is refused.
__attribute__((visibility("default"))) std::vector<std::string> checkOptions(
    const char* who, const std::vector<OptionRow>& table, const poplar::OptionFlags& options);

/// The options of devices that are no figures of the machine; target.cpp has them.
__attribute__((visibility("default"))) const std::vector<OptionRow>& deviceOptionTable();

/// Says that an option has no meaning: on stderr, once a process, unless `setOptionNotes` has named
/// another way.
void noteOption(const std::string& note);
__attribute__((visibility("default"))) void setOptionNotes(void (*say)(const std::string&));

/// " Did you mean 'a'?", with its leading blank, or "" if none of the names is near.
std::string didYouMean(const std::string& word, const std::vector<std::string>& names);

}  // namespace popir

#endif
