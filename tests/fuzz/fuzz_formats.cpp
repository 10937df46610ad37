// Reads bytes as every format that comes from outside; the first byte chooses which. Nothing may
// crash or take memory without bound, and what a tokenizer accepts must give text back.

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/check.h"
#include "sdk/src/formats/llama2c.h"
#include "sdk/src/formats/npy.h"
#include "sdk/src/formats/npz.h"
#include "sdk/src/formats/safetensors.h"
#include "sdk/src/text/tokenizer_model.h"

using namespace penstock;
using namespace penstock::weights;

namespace {

/// Reads every byte of every tensor: a range outside the file would be found.
void look_at(const Tensors& tensors) {
  unsigned sum = 0;
  for (const auto& [name, tensor] : tensors)
    for (const std::byte byte : tensor.bytes()) sum += std::to_integer<unsigned>(byte);
  asm volatile("" : : "r"(sum));  // so that the reads are not left out
}

void try_tokenizer(const Result<detail::TokenizerPtr>& tokenizer) {
  if (!tokenizer.ok()) return;
  const auto tokens = (*tokenizer)->encode("It's 12 <|endoftext|>\n\n caf\xc3\xa9 \xff");
  if (tokens.ok()) PENSTOCK_CHECK((*tokenizer)->decode(*tokens, SpecialTokens::keep).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  auto copy = std::make_shared<std::vector<std::byte>>(size - 1);
  if (size > 1) std::memcpy(copy->data(), data + 1, size - 1);
  const FileBytes file{"fuzz", *copy, {copy, copy->data()}};
  const std::string_view text(reinterpret_cast<const char*>(copy->data()), copy->size());
  switch (data[0] % 7) {
    case 0:
      if (const auto read = parse_safetensors(file); read.ok()) look_at(read->tensors);
      break;
    case 1:
      if (const auto read = parse_npz(file); read.ok()) look_at(*read);
      break;
    case 2:
      if (const auto read = parse_npy(file); read.ok()) look_at({{"a", *read}});
      break;
    case 3:
      if (const auto read = parse_llama2c(file); read.ok()) look_at(read->tensors);
      break;
    case 4:
      try_tokenizer(detail::parse_tokenizer_json(text, "fuzz"));
      break;
    case 5:
      try_tokenizer(detail::parse_llama2c_tokenizer(*copy, "fuzz"));
      break;
    default:
      (void)parse_shard_index(text, "fuzz");
  }
  return 0;
}
