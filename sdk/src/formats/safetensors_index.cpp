#include <set>

#include "sdk/src/formats/json_text.h"
#include "sdk/src/formats/safetensors.h"

namespace penstock::weights {
namespace {

constexpr std::size_t kIndexBytesMax = 64 << 20;
constexpr std::size_t kShardsMax = 10'000;

}  // namespace

Result<std::map<std::string, std::string>> parse_shard_index(std::string_view text,
                                                             std::string_view place) {
  PENSTOCK_ASSIGN(const nlohmann::json all, parse_json(text, place, {.bytes = kIndexBytesMax}));
  if (!all.is_object() || !all.contains("weight_map") || !all["weight_map"].is_object())
    return damaged(place, "it has no weight_map of names to files");
  std::map<std::string, std::string> shards;
  for (const auto& [name, file] : all["weight_map"].items()) {
    if (!file.is_string()) return damaged(place, "the file of " + shown(name) + " is no text");
    const auto& shard = file.get_ref<const std::string&>();
    // A file beside the index and nowhere else, whoever wrote the index.
    if (shard.empty() || shard.find('/') != std::string::npos || shard == ".." || shard == "." ||
        shard.find('\0') != std::string::npos)
      return invalid(std::string(place) + ": tensor " + shown(name) + " is said to be in " +
                     shown(shard) + "; shards are plain file names beside the index");
    shards[name] = shard;
  }
  return shards;
}

Result<Weights> read_safetensors_index(const std::string& path) {
  PENSTOCK_ASSIGN(const FileBytes index, map_file(path));
  const std::string_view text(reinterpret_cast<const char*>(index.bytes.data()),
                              index.bytes.size());
  PENSTOCK_ASSIGN(const auto shard_of, parse_shard_index(text, path));
  std::set<std::string> shards;
  for (const auto& [name, shard] : shard_of) shards.insert(shard);
  if (shards.size() > kShardsMax)
    return Error{ErrorCode::resource_exhausted,
                 path + ": it names " + std::to_string(shards.size()) + " files, at most " +
                     std::to_string(kShardsMax) + " are read"};
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  Weights all;
  for (const std::string& shard : shards) {
    Result<Weights> part = read_safetensors(folder + shard);
    if (!part.ok()) return std::move(part).error().in(path);
    for (auto& [name, tensor] : part->tensors) {
      const auto said = shard_of.find(name);
      if (said == shard_of.end() || said->second != shard)
        return damaged(path, "tensor " + shown(name) + " is in " + shard +
                                 ", where the index does not have it");
      all.tensors.emplace(name, std::move(tensor));
    }
    all.metadata.merge(part->metadata);
  }
  for (const auto& [name, shard] : shard_of)
    if (!all.tensors.contains(name))
      return damaged(path,
                     "tensor " + shown(name) + " is not in " + shard + ", where the index has it");
  return all;
}

}  // namespace penstock::weights
