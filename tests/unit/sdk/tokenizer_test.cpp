#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "penstock/tokenizer.h"
#include "sdk/src/text/byte_pair.h"
#include "sdk/src/text/pretokenize.h"
#include "sdk/src/text/tokenizer_model.h"
#include "tests/unit/sdk/weights_fixture.h"

using namespace penstock;
using namespace penstock::testing;

namespace {

Tokenizer tokenizer(const std::string& name) {
  auto result = Tokenizer::read(test_data(name));
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().message));
  return *std::move(result);
}

std::string refusal(const std::string& json) {
  const auto result = detail::parse_tokenizer_json(json, "t.json");
  REQUIRE_FALSE(result.ok());
  return result.error().message;
}

/// All bytes, alone, in runs and mixed, as no UTF-8 has them.
std::string every_byte() {
  std::string text;
  for (int round = 0; round < 3; ++round)
    for (int byte = 0; byte < 256; ++byte)
      text += static_cast<char>(round == 1 ? 255 - byte : byte * (round + 1));
  return text;
}

void check_against(const Tokenizer& t, const nlohmann::json& expected) {
  REQUIRE(expected.size() > 10);
  for (const auto& row : expected) {
    const auto text = row["text"].get<std::string>();
    INFO(text);
    const auto ids = t.encode(text);
    REQUIRE(ids.ok());
    CHECK(*ids == row["ids"].get<Tokens>());
  }
}

nlohmann::json expected_of(const std::string& file) {
  return nlohmann::json::parse(whole_file(test_data("tokenizers/" + file)));
}

}  // namespace

TEST_CASE("byte-level BPE gives the numbers that Hugging Face's tokenizer gives") {
  const auto expected = expected_of("expected.json");
  check_against(tokenizer("tokenizers/gpt2_1000.json"), expected["gpt2_1000"]);
  check_against(tokenizer("tokenizers/llama3_1000.json"), expected["llama3_1000"]);
}

TEST_CASE("llama2.c's tokenizer gives the numbers of its published loop") {
  const Tokenizer t = tokenizer("pretrained/stories260K.tok512.bin");
  CHECK(t.size() == 512);
  CHECK(t.begin_token() == 1);
  CHECK(t.end_token() == 2);
  const auto expected = expected_of("llama2c_expected.json");
  check_against(t, expected);
  for (const auto& row : expected) {
    Tokens ids = row["ids"].get<Tokens>();
    CHECK(*t.decode(ids) == row["text"].get<std::string>());
    ids.insert(ids.begin(), 1);
    CHECK(*t.decode(ids, SpecialTokens::skip) == row["text"].get<std::string>());
  }
}

TEST_CASE("any bytes come back from every tokenizer") {
  const std::string text = every_byte();
  for (const Tokenizer& t :
       {tokenizer("tokenizers/gpt2_1000.json"), tokenizer("tokenizers/llama3_1000.json"),
        tokenizer("pretrained/stories260K.tok512.bin"), Tokenizer::bytes()}) {
    const auto ids = t.encode(text);
    REQUIRE(ids.ok());
    for (const std::int32_t id : *ids) CHECK((id >= 0 && id < t.size()));
    CHECK(*t.decode(*ids) == text);
  }
}

TEST_CASE("special tokens are kept or skipped, and found by their text") {
  const Tokenizer t = tokenizer("tokenizers/gpt2_1000.json");
  CHECK(t.id("<|endoftext|>") == 1256);
  CHECK(t.size() == 1260);
  const Tokens ids = *t.encode("the<|endoftext|>plain added");
  CHECK(*t.decode(ids) == "the<|endoftext|>plain added");
  CHECK(*t.decode(ids, SpecialTokens::skip) == "theplain added");
  CHECK_FALSE(t.piece(1260).ok());
  CHECK_FALSE(t.decode(Tokens{-1}).ok());
}

TEST_CASE("bytes are their own numbers") {
  const Tokenizer t = Tokenizer::bytes();
  CHECK(*t.encode("Az\xff") == Tokens{65, 122, 255});
  CHECK_FALSE(t.decode(Tokens{256}).ok());
}

TEST_CASE("a pair merges left to right, the lowest rank first") {
  // 1 1 -> 2 before 2 1 -> 3.
  const auto table = [](std::int32_t a, std::int32_t b) -> std::optional<detail::PairMerge> {
    if (a == 1 && b == 1) return detail::PairMerge{0, 2};
    if (a == 2 && b == 1) return detail::PairMerge{1, 3};
    return std::nullopt;
  };
  Tokens five{1, 1, 1, 1, 1};
  detail::merge_pairs(five, table);
  CHECK(five == Tokens{2, 3});
}

TEST_CASE("a long word is merged in little more than linear time") {
  const Tokenizer t = tokenizer("tokenizers/gpt2_1000.json");
  const auto ids = t.encode(std::string(300'000, 'e'));
  REQUIRE(ids.ok());
  CHECK(t.decode(*ids)->size() == 300'000);
}

TEST_CASE("parts of tokenizer.json that are not known are refused by name") {
  const std::string rest = R"("pre_tokenizer":{"type":"ByteLevel"}})";
  CHECK(refusal(R"({"model":{"type":"WordPiece"},)" + rest).find("'WordPiece'") !=
        std::string::npos);
  const std::string model = R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},)";
  CHECK(detail::parse_tokenizer_json(model + rest, "t.json").ok());
  CHECK(refusal(model + R"("normalizer":{"type":"NFC"},)" + rest).find("normalizer 'NFC'") !=
        std::string::npos);
  CHECK(refusal(model + R"("pre_tokenizer":{"type":"Metaspace"}})").find("'Metaspace'") !=
        std::string::npos);
  CHECK(refusal(model + R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split",)"
                        R"("pattern":{"Regex":"\\w+"}},{"type":"ByteLevel"}]}})")
            .find("pattern '\\w+'") != std::string::npos);
  CHECK(refusal(R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]},)" + rest)
            .find("'a' and 'b' is not made of tokens") != std::string::npos);
  CHECK(refusal(R"({"model":{"type":"BPE","vocab":{"a":0,"b":0},"merges":[]},)" + rest)
            .find("the number 0 of another") != std::string::npos);
  const auto small = detail::parse_tokenizer_json(model + rest, "t.json");
  const auto missing = (*small)->encode("ab");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message.find("0x20") != std::string::npos);  // the blank before the text
}

TEST_CASE("every cut of a llama2.c tokenizer is refused or is whole pieces") {
  const std::string whole = whole_file(test_data("pretrained/stories260K.tok512.bin"));
  for (std::size_t size = 0; size < whole.size(); size += 13) {
    const auto file = in_memory(whole.substr(0, size));
    const auto result = detail::parse_llama2c_tokenizer(file.bytes, "cut");
    if (!result.ok()) CHECK(result.error().code == ErrorCode::data_loss);
  }
}
