#include <algorithm>

#include "penstock/weights.h"
#include "sdk/src/formats/mapped_file.h"

// Which format a path's name means.
namespace penstock::weights {
namespace {

std::string stem_of(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  return file.substr(0, file.rfind('.'));
}

}  // namespace

Result<Weights> read(const std::string& path) {
  if (path.ends_with(".safetensors")) return read_safetensors(path);
  if (path.ends_with(".safetensors.index.json")) return read_safetensors_index(path);
  if (path.ends_with(".bin")) return read_llama2c(path);
  if (path.ends_with(".npz")) {
    PENSTOCK_ASSIGN(Tensors tensors, read_npz(path));
    return Weights{std::move(tensors)};
  }
  if (path.ends_with(".npy")) {
    PENSTOCK_ASSIGN(Tensor tensor, read_npy(path));
    return Weights{{{stem_of(path), std::move(tensor)}}};
  }
  return invalid(path +
                 ": the name does not tell the format; read are .safetensors, "
                 ".safetensors.index.json, .npz, .npy and .bin (llama2.c)");
}

Status write(const std::string& path, const Weights& weights) {
  if (path.ends_with(".safetensors")) return write_safetensors(path, weights);
  if (path.ends_with(".npz")) return write_npz(path, weights.tensors);
  if (path.ends_with(".npy")) {
    if (weights.tensors.size() != 1)
      return invalid(path + ": a .npy file holds one tensor, these are " +
                     std::to_string(weights.tensors.size()) + "; write .npz");
    return write_npy(path, weights.tensors.begin()->second);
  }
  return invalid(path +
                 ": the name does not tell the format; written are .safetensors, .npz and .npy");
}

}  // namespace penstock::weights
