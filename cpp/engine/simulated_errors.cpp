// EngineImpl, the part that ends runs as errors of a device would.
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <set>

#include "engine/engine.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

using poplar::ErrorCode;

std::string textOf(const std::map<poplar::ErrorLocation, ErrorCode>& errors) {
  std::string text;
  for (const auto& [location, code] : errors)
    text += (text.empty() ? "" : ", ") + poplar::errorCodeToString(code) + " on tile " +
            std::to_string(location.getTile());
  return "Engine::run: simulated errors: " + text +
         "; Engine::clearSimulatedErrors takes them away";
}

/// How bad an error is: the worst of several decides.
enum class Fault { Program, Unknown, Reset, LinkReset, Power, None };

Fault faultOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::TRAP:
    case ErrorCode::FLOATING_POINT_INVALID_OPERATION:
    case ErrorCode::FLOATING_POINT_DIVIDE_BY_ZERO:
    case ErrorCode::FLOATING_POINT_OVERFLOW:
    case ErrorCode::TILE_MEMORY_BANK_CONFLICT:
    case ErrorCode::INVALID_EXCHANGE_CONFIGURATION:
    case ErrorCode::INVALID_ADDRESS:
    case ErrorCode::INVALID_OPERAND:
    case ErrorCode::INVALID_PROGRAM_COUNTER:
    case ErrorCode::INVALID_INSTRUCTION: return Fault::Program;
    case ErrorCode::EXCHANGE_ERROR:
    case ErrorCode::MEMORY_ERROR:
    case ErrorCode::IPUSOFTERR: return Fault::Reset;
    case ErrorCode::LINK_DOWN: return Fault::LinkReset;
    case ErrorCode::HOST_LINK_DOWN: return Fault::Power;
    case ErrorCode::IPU_MEMORY_FAILURE: return Fault::None;
    case ErrorCode::NONE:
    case ErrorCode::UNKNOWN:
    case ErrorCode::HOST_SYNC_TIMEOUT: break;
  }
  return Fault::Unknown;
}

template <class Error>
[[noreturn]] void thrown(Error error, const std::map<poplar::ErrorLocation, ErrorCode>& errors) {
  std::vector<poplar::runtime_error::ErrorInfo> all;
  for (const auto& [location, code] : errors) all.push_back({code, location});
  error.attachErrors(std::move(all));
  throw error;
}

}  // namespace

void EngineImpl::requireTile(const char* who, unsigned tile) const {
  const unsigned tiles = grown_->target.getNumTiles();
  if (tile >= tiles)
    throw poplar::poplar_error(std::string("Engine::") + who + ": tile " + std::to_string(tile) +
                               " given, the device has " + std::to_string(tiles));
}

void EngineImpl::insertError(ErrorCode code, const poplar::ErrorLocation& location) {
  const EngineLock::Use alone(lock_, "Engine::insertSimulatedError");
  requireTile("insertSimulatedError", location.getTile());
  if (code == ErrorCode::NONE)
    throw poplar::poplar_error(
        "Engine::insertSimulatedError: NONE is no error; eraseSimulatedError takes one away");
  errors_.insert_or_assign(location, code);
}

void EngineImpl::eraseError(const poplar::ErrorLocation& location) {
  const EngineLock::Use alone(lock_, "Engine::eraseSimulatedError");
  if (errors_.erase(location) == 0)
    throw poplar::poplar_error("Engine::eraseSimulatedError: tile " +
                               std::to_string(location.getTile()) +
                               " has no error; insertSimulatedError gives it one");
}

void EngineImpl::clearErrors() {
  const EngineLock::Use alone(lock_, "Engine::clearSimulatedErrors");
  errors_.clear();
}

std::vector<poplar::ErrorLocation> EngineImpl::errorLocations(unsigned tile, unsigned most) const {
  requireTile("getSimulatedErrorLocations", tile);
  if (most == 0) return {};
  return {poplar::ErrorLocation(tile)};
}

std::vector<poplar::ErrorLocation> EngineImpl::errorLocations(const std::string& name,
                                                              unsigned most) const {
  std::set<unsigned> tiles;
  bool isKnown = false;
  for (const auto& set : grown_->computeSets) isKnown = isKnown || set.name == name;
  for (const auto& vertex : grown_->vertices) {
    if (vertex.codelet->name != name && grown_->computeSets[vertex.computeSet].name != name)
      continue;
    isKnown = true;
    if (vertex.tile) tiles.insert(*vertex.tile);
  }
  if (!isKnown)
    throw poplar::poplar_error(
        "Engine::getSimulatedErrorLocations: there is no compute set and no "
        "vertex of the type '" +
        name + "'; give the name of one, or a tile");
  std::vector<poplar::ErrorLocation> found;
  for (const unsigned tile : tiles)
    if (found.size() < most) found.emplace_back(tile);
  return found;
}

void EngineImpl::throwError() const {
  Fault worst = Fault::Program;
  for (const auto& [location, code] : errors_) worst = std::max(worst, faultOf(code));
  const std::string text = textOf(errors_);
  using poplar::RecoveryAction;
  const auto recoverable = [&](RecoveryAction action) {
    thrown(poplar::recoverable_runtime_error(text, action), errors_);
  };
  switch (worst) {
    case Fault::Program: thrown(poplar::application_runtime_error(text), errors_);
    case Fault::Unknown: thrown(poplar::unknown_runtime_error(text), errors_);
    case Fault::Reset: recoverable(RecoveryAction::IPU_RESET); break;
    case Fault::LinkReset: recoverable(RecoveryAction::LINK_RESET); break;
    case Fault::Power: recoverable(RecoveryAction::FULL_RESET); break;
    case Fault::None: thrown(poplar::unrecoverable_runtime_error(text), errors_);
  }
}

}  // namespace popir
