// Messages of released protocol versions, encoded by the capnp tool
// (tests/data/wire/make_messages.sh). They must stay readable and mean the same. Never edit the
// files: add those of new versions.
#include <capnp/serialize.h>
#include <doctest/doctest.h>
#include <fcntl.h>

#include <memory>
#include <string>

#include "schema/wire/convert.h"
#include "schema/wire/executor.capnp.h"
#include "schema/wire/gateway.capnp.h"
#include "schema/wire/lane.capnp.h"

using namespace penstock;

namespace {

std::unique_ptr<capnp::StreamFdMessageReader> stored(const std::string& name) {
  const std::string path = std::string(PENSTOCK_TEST_DATA) + "/wire/v1/" + name + ".bin";
  return std::make_unique<capnp::StreamFdMessageReader>(
      kj::AutoCloseFd(open(path.c_str(), O_RDONLY | O_CLOEXEC)));
}

}  // namespace

TEST_CASE("protocol 1.0: version") {
  auto message = stored("version");
  auto version = message->getRoot<wire::Version>();
  CHECK(version.getMajor() == 1);
  CHECK(version.getMinor() == 0);
  CHECK(version.getSoftware() == "penstock 0.1.0");
}

TEST_CASE("protocol 1.0: the result of a call") {
  auto message = stored("call_result");
  auto result = message->getRoot<wire::CallResult>();
  CHECK(result.getNumber() == 17);
  CHECK(result.getStep() == 16);
  REQUIRE(result.getOutputs().size() == 1);
  CHECK(wire::read_type(result.getOutputs()[0]).value() ==
        program::TensorType{program::DType::f32, {}});
  CHECK(result.getOutputs()[0].getInline().size() == 4);
  CHECK(wire::read(result.getTime()) == wire::CallTime{1ns, 20ns, 300ns, 4000ns, 50000ns});
  CHECK(wire::read(result.getUsage()) == wire::CallUsage{100000, 200704, 4, 1, Money{1000}});
}

TEST_CASE("protocol 1.0: a batch") {
  auto message = stored("batch");
  auto batch = message->getRoot<wire::Batch>();
  CHECK(batch.getSize() == 2);
  REQUIRE(batch.getInputs().size() == 2);
  CHECK(batch.getInputs()[0].getInline()[5] == 6);
  CHECK(batch.getInputs()[1].isUpload());
  CHECK(batch.getInputs()[1].getUpload() == 9);
}

TEST_CASE("protocol 1.0: a lease") {
  auto message = stored("lease_info");
  auto info = message->getRoot<wire::LeaseInfo>();
  CHECK(info.getLease() == 7);
  CHECK(info.getEpoch() == 12);
  CHECK(info.getExpiresUnixNs() == 1796083200000000000);
  CHECK(info.getDevices()[0].getExecutor() == "host0");
  CHECK(info.getDevices()[0].getMemoryBytes() == 2147483648U);
  CHECK(info.getPrice().getPerDeviceSecondNanos() == 10000);
  CHECK(info.getDirect().getAddresses()[0] == "127.0.0.1:4711");
  CHECK(info.getDirect().getTicket().size() == 2);
}

TEST_CASE("protocol 1.0: a bill and an executor") {
  auto message = stored("bill");
  auto bill = message->getRoot<wire::Bill>();
  CHECK(bill.getTotalNanos() == 36000);
  CHECK(bill.getLines()[0].getAmountNanos() == 36000);
  CHECK(bill.getLines()[0].getUnit() == "ns");
  auto other = stored("executor_description");
  auto executor = other->getRoot<wire::ExecutorDescription>();
  CHECK(executor.getName() == "host0");
  CHECK(executor.getDevices()[0].getClass() == "cpu");
}
