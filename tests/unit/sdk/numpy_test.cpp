#include <doctest/doctest.h>
#include <zlib.h>

#include "penstock/weights.h"
#include "sdk/src/formats/npy.h"
#include "sdk/src/formats/npz.h"
#include "tests/unit/sdk/weights_fixture.h"

using namespace penstock;
using namespace penstock::testing;

namespace {

Tensor numpy_file(const std::string& name) {
  auto tensor = weights::read_npy(test_data("numpy/" + name));
  REQUIRE_MESSAGE(tensor.ok(), (tensor.ok() ? "" : tensor.error().message));
  return *tensor;
}

template <class T>
std::vector<T> counted(std::int64_t n, std::int64_t start = 0) {
  std::vector<T> out;
  for (std::int64_t i = 0; i < n; ++i) out.push_back(static_cast<T>(start + i));
  return out;
}

Error npz_refusal(const std::string& bytes) {
  const auto result = weights::parse_npz(in_memory(bytes));
  REQUIRE_FALSE(result.ok());
  return result.error();
}

}  // namespace

TEST_CASE("numpy's files of all versions and both orders are read") {
  for (const char* file : {"v1.npy", "v2.npy", "v3.npy"}) {
    const Tensor tensor = numpy_file(file);
    CHECK(tensor.shape() == Extents{2, 3});
    CHECK(tensor.to_vector<float>() == counted<float>(6));
  }
  CHECK(numpy_file("fortran.npy").to_vector<double>() == counted<double>(24));
  CHECK(numpy_file("fortran.npy").shape() == Extents{2, 3, 4});
  CHECK(numpy_file("fortran_i2.npy").to_vector<std::int32_t>() == counted<std::int32_t>(6, -3));
  CHECK(numpy_file("fortran_bool.npy").to_vector<bool>() ==
        std::vector<bool>{0, 1, 0, 1, 0, 1, 0, 1, 0});
  CHECK(numpy_file("scalar.npy").shape().empty());
  CHECK(numpy_file("scalar.npy").item() == 2.5);
  CHECK(numpy_file("empty.npy").shape() == Extents{0, 3});
}

TEST_CASE("numpy's archives are read, stored and deflated") {
  for (const char* file : {"all_types.npz", "deflated.npz"}) {
    const auto all = weights::read_npz(test_data(std::string("numpy/") + file));
    REQUIRE(all.ok());
    CHECK(all->at("f32").to_vector<float>() == counted<float>(6));
    CHECK(all->at("f64").to_vector<double>() == counted<double>(6));
    CHECK(all->at("i8").to_vector<std::int8_t>() == counted<std::int8_t>(6));
    CHECK(all->at("u8").to_vector<std::uint8_t>() == counted<std::uint8_t>(6));
    CHECK(all->at("i16").to_vector<std::int32_t>() == counted<std::int32_t>(6));
    CHECK(all->at("u16").to_vector<std::int32_t>() == counted<std::int32_t>(6));
    CHECK(all->at("i32").to_vector<std::int32_t>() == counted<std::int32_t>(6));
    CHECK(all->at("u32").to_vector<std::int64_t>() == counted<std::int64_t>(6));
    CHECK(all->at("i64").to_vector<std::int64_t>() == counted<std::int64_t>(6));
    CHECK(all->at("bool").to_vector<bool>() == std::vector<bool>{0, 1, 0, 1, 0, 1});
    CHECK(all->at("f16").dtype() == f16);
  }
}

TEST_CASE("what numpy has and Penstock does not is refused by name") {
  const auto big = weights::read_npy(test_data("numpy/big_endian.npy"));
  REQUIRE_FALSE(big.ok());
  CHECK(big.error().message.find("'>f4'; it is big-endian") != std::string::npos);
  CHECK(weights::read_npy(test_data("numpy/complex.npy")).error().code == ErrorCode::unimplemented);
  const WeightsFolder folder;
  CHECK(weights::write_npy(folder.path + "/a.npy", Tensor::zeros(bf16, {2})).error().code ==
        ErrorCode::unimplemented);
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("every cut and every flipped bit of an archive is refused or reads the same") {
  const std::string whole = whole_file(test_data("numpy/deflated.npz"));
  const auto good = weights::parse_npz(in_memory(whole));
  REQUIRE(good.ok());
  for (std::size_t size = 0; size < whole.size(); size += 7)
    CHECK_FALSE(weights::parse_npz(in_memory(whole.substr(0, size))).ok());
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    const auto result = weights::parse_npz(in_memory(flipped));
    if (!result.ok()) continue;
    for (const auto& [name, tensor] : *result) {
      const auto same = good->find(name);  // a flipped name is another name
      if (same != good->end()) CHECK(std::ranges::equal(tensor.bytes(), same->second.bytes()));
    }
  }
}

TEST_CASE("wrong checksums, zip64 and bombs are told") {
  const WeightsFolder folder;
  const std::string path = folder.path + "/a.npz";
  REQUIRE(weights::write_npz(path, {{"a", Tensor(std::vector<float>{1, 2})}}).ok());
  const std::string whole = whole_file(path);
  std::string wrong = whole;
  wrong[whole.find("\x80\x3f")] ^= 1;  // in 1.0f, 00 00 80 3f
  CHECK(npz_refusal(wrong).message.find("checksum") != std::string::npos);
  const std::size_t end = whole.size() - 22;
  std::string zip64 = whole;
  zip64[end + 10] = zip64[end + 11] = '\xff';
  CHECK(npz_refusal(zip64).message.find("zip64") != std::string::npos);
  std::string bomb = whole;
  const std::size_t entry = whole.find("PK\x01\x02");
  bomb[entry + 10] = 8;       // deflated
  bomb[entry + 27] = '\x7f';  // to 2 GiB
  CHECK(npz_refusal(bomb).message.find("claims") != std::string::npos);
}

TEST_CASE("arrays and archives of ours read back, and say what numpy expects") {
  const WeightsFolder folder;
  const Tensor tensor(counted<float>(6), {2, 3});
  REQUIRE(weights::write(folder.path + "/a.npy", {{{"a", tensor}}}).ok());
  const std::string raw = whole_file(folder.path + "/a.npy");
  // numpy writes these very bytes for the same array.
  CHECK(raw == whole_file(test_data("numpy/v1.npy")));
  for (const auto compression : {weights::Compression::stored, weights::Compression::deflate}) {
    const Tensors out{{"x/y", tensor}, {"none", Tensor::zeros(i64, {0})}, {"s", Tensor(2.5)}};
    REQUIRE(weights::write_npz(folder.path + "/b.npz", out, compression).ok());
    const auto in = weights::read_npz(folder.path + "/b.npz");
    REQUIRE(in.ok());
    REQUIRE(in->size() == 3);
    CHECK(in->at("x/y").to_vector<float>() == counted<float>(6));
    CHECK(in->at("s").item() == 2.5);
    CHECK(in->at("none").text() == "i64[0]");
  }
}

TEST_CASE("headers that are not numpy's are refused with what is wrong") {
  const auto refusal = [](const std::string& dict, const std::string& data) {
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(dict.size());
    file += '\0';
    const auto result = weights::parse_npy(in_memory(file + dict + data));
    REQUIRE_FALSE(result.ok());
    return result.error().message;
  };
  CHECK(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234")
            .find("takes 8 bytes, but 4 follow") != std::string::npos);
  CHECK(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", "").find("tuple") !=
        std::string::npos);
  CHECK(refusal("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }", "")
            .find("descr") != std::string::npos);
  CHECK(refusal("{'fortran_order': False, 'shape': (), }", "").find("not all of") !=
        std::string::npos);
  CHECK(refusal("{'descr': '<f8', 'fortran_order': False, "
                "'shape': (4611686018427387904, 4611686018427387904), }",
                "")
            .find("overflows") != std::string::npos);
}
