#include <doctest/doctest.h>

#include "penstock/weights.h"
#include "sdk/src/formats/safetensors.h"
#include "tests/unit/sdk/weights_fixture.h"

using namespace penstock;
using namespace penstock::testing;
using weights::Weights;

namespace {

Error refusal(const std::string& header, const std::string& data = "") {
  const auto result = weights::parse_safetensors(in_memory(safetensors_bytes(header, data)));
  REQUIRE_FALSE(result.ok());
  return result.error();
}

bool says(const Error& error, const std::string& part) {
  INFO(error.message);
  return error.message.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the ten official samples load, narrow integers widened") {
  const auto file = weights::read_safetensors(test_data("safetensors/overall.safetensors"));
  REQUIRE(file.ok());
  CHECK(file->metadata == std::map<std::string, std::string>{{"test", "a"}});
  CHECK(file->tensors.size() == 9);
  const auto& t = file->tensors;
  // Six numbers each: the type's -3, -2, -1, 0, 1, 2 (numpy reads the same).
  CHECK(t.at("B").to_vector<std::uint8_t>() == std::vector<std::uint8_t>{253, 254, 255, 0, 1, 2});
  CHECK(t.at("b").to_vector<std::int8_t>() == std::vector<std::int8_t>{-3, -2, -1, 0, 1, 2});
  CHECK(t.at("H").to_vector<std::int32_t>() ==
        std::vector<std::int32_t>{65533, 65534, 65535, 0, 1, 2});
  CHECK(t.at("h").to_vector<std::int32_t>() == std::vector<std::int32_t>{-3, -2, -1, 0, 1, 2});
  CHECK(t.at("I").to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{4294967293, 4294967294, 4294967295, 0, 1, 2});
  CHECK(t.at("i").to_vector<std::int32_t>() == std::vector<std::int32_t>{-3, -2, -1, 0, 1, 2});
  CHECK(t.at("f").to_vector<float>() == std::vector<float>{-3, -2, -1, 0, 1, 2});
  CHECK(t.at("d").to_vector<double>() == std::vector<double>{-3, -2, -1, 0, 1, 2});
  CHECK(t.at("e").dtype() == f16);
  CHECK(std::to_integer<int>(t.at("e").bytes()[1]) == 0xc2);  // -3 is 0xc200
  for (const char* name : {"B", "H", "I", "b", "d", "e", "f", "h", "i"}) {
    const auto one = weights::read(test_data("safetensors/") + name + std::string(".safetensors"));
    REQUIRE(one.ok());
    CHECK(one->tensors.at(name).shape() == Extents{6});
    CHECK(std::ranges::equal(one->tensors.at(name).bytes(), t.at(name).bytes()));
  }
}

TEST_CASE("what is written reads back the same, aligned and shared with the mapping") {
  const WeightsFolder folder;
  const std::string path = folder.path + "/a.safetensors";
  Weights out{{{"half", Tensor::zeros(f16, {3})},
               {"flag", Tensor::from_bytes(boolean, {2}, std::vector<std::byte>{std::byte{1}, {}})},
               {"brain", Tensor::zeros(bf16, {1, 2})},
               {"d", Tensor(std::vector<double>{1.5, -2})},
               {"none", Tensor::zeros(f32, {0, 4})},
               {"scalar", Tensor(std::int64_t{7})}},
              {{"format", "pt"}}};
  REQUIRE(weights::write(path, out).ok());
  const auto in = weights::read(path);
  REQUIRE(in.ok());
  CHECK(in->metadata == out.metadata);
  REQUIRE(in->tensors.size() == out.tensors.size());
  for (const auto& [name, tensor] : out.tensors) {
    CHECK(in->tensors.at(name).text() == tensor.text());
    CHECK(std::ranges::equal(in->tensors.at(name).bytes(), tensor.bytes()));
  }
  CHECK(in->tensors.at("d").to_vector<double>() == std::vector<double>{1.5, -2});
  const std::string raw = whole_file(path);
  CHECK((8 + static_cast<unsigned char>(raw[0]) + 256 * static_cast<unsigned char>(raw[1])) % 8 ==
        0);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("tensors of a large file share its mapping instead of copying it") {
  const std::string header = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
  const auto file = in_memory(safetensors_bytes(header, "abcd"));
  const auto in = weights::parse_safetensors(file);
  REQUIRE(in.ok());
  CHECK(in->tensors.at("a").bytes().data() == file.bytes.data() + 8 + header.size());
}

TEST_CASE("every cut of a file is refused") {
  const std::string whole = whole_file(test_data("safetensors/overall.safetensors"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = weights::parse_safetensors(in_memory(whole.substr(0, size), "cut.file"));
    REQUIRE_FALSE(cut.ok());
    CHECK(cut.error().code == ErrorCode::data_loss);
    CHECK(cut.error().message.starts_with("cut.file: "));
  }
  CHECK_FALSE(weights::parse_safetensors(in_memory(whole + "x")).ok());
}

TEST_CASE("damaged headers are refused, each naming tensor and numbers") {
  CHECK(says(refusal(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,9]}})", "123456789"),
             "tensor 'w' lies at bytes 0 to 9, but F32[2] takes 8 bytes"));
  CHECK(says(refusal(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "1234"),
             "only 4 bytes follow"));
  CHECK(says(refusal(R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[2,0]}})", "12"),
             "bytes 2 to 0"));
  CHECK(says(refusal(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                     R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
                     "1234"),
             "tensor 'b' begins at byte 2, inside the one before, which ends at 3"));
  CHECK(says(refusal(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                     R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
                     "1234"),
             "tensor 'b' begins at byte 2, after a hole that begins at 1"));
  CHECK(says(refusal(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "12"),
             "take 1 bytes, but 2 follow"));
  CHECK(says(refusal(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                     R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"),
             "'a' twice"));
  CHECK(says(refusal(R"({"a":{"dtype":"F64","shape":[4611686018427387904,4],)"
                     R"("data_offsets":[0,0]}})"),
             "overflows"));
  CHECK(says(refusal(R"({"a":{"dtype":"F64","shape":[2305843009213693952],)"
                     R"("data_offsets":[0,0]}})"),
             "overflows"));
  CHECK(says(refusal(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}})"), "shape"));
  CHECK(says(refusal(R"({"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,0]}})"), "shape"));
  CHECK(says(refusal(R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0]}})", "1"), "two numbers"));
  CHECK(says(refusal(R"({"a":{"dtype":"U8","shape":[1]}})", "1"), "data_offsets"));
  CHECK(says(refusal(R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", "\x02"),
             "a bool is 2"));
  CHECK(says(refusal(R"({"a":)"), "JSON is wrong at byte 6"));
  CHECK(says(refusal(R"({"__metadata__":{"a":1}})"), "__metadata__ 'a' is no text"));
  CHECK(says(refusal("[]"), "not safetensors"));
  const Error type = refusal(R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})", "1");
  CHECK(type.code == ErrorCode::unimplemented);
  CHECK(says(type, "tensor 'a' has dtype 'F8_E4M3'"));
  CHECK(says(refusal(std::string(R"({"a":)") + std::string(64, '[')), "nested levels"));
}

TEST_CASE("a header longer than the format allows is not even looked at") {
  std::string bytes = safetensors_bytes("{}", "");
  bytes[4] = 1;  // 2^32 + 2
  const auto result = weights::parse_safetensors(in_memory(bytes));
  REQUIRE_FALSE(result.ok());
  CHECK(says(result.error(), "claims 4294967298 bytes, at most 100000000"));
}

TEST_CASE("shards are read by their index, and both must agree") {
  const WeightsFolder folder;
  const std::string index = folder.path + "/model.safetensors.index.json";
  const auto write_index = [&](const std::string& map) {
    std::ofstream(index) << R"({"metadata":{"total_size":8},"weight_map":{)" << map << "}}";
  };
  REQUIRE(weights::write(folder.path + "/1.safetensors", {{{"a", Tensor(1.0F)}}}).ok());
  REQUIRE(weights::write(folder.path + "/2.safetensors", {{{"b", Tensor(2.0F)}}}).ok());
  write_index(R"("a":"1.safetensors","b":"2.safetensors")");
  const auto both = weights::read(index);
  REQUIRE(both.ok());
  CHECK(both->tensors.at("a").item() == 1);
  CHECK(both->tensors.at("b").item() == 2);
  write_index(R"("a":"1.safetensors","c":"2.safetensors")");
  CHECK(says(weights::read(index).error(), "'b' is in 2.safetensors, where the index"));
  write_index(R"("a":"1.safetensors","c":"1.safetensors")");
  CHECK(says(weights::read(index).error(), "'c' is not in 1.safetensors"));
  write_index(R"("a":"../1.safetensors")");
  CHECK(says(weights::read(index).error(), "plain file names"));
  write_index(R"("a":"3.safetensors")");
  CHECK(weights::read(index).error().code == ErrorCode::not_found);
}
