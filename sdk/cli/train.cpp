#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <iostream>

#include "base/clock.h"
#include "penstock/data.h"
#include "sdk/cli/connection.h"
#include "sdk/cli/interrupt.h"
#include "sdk/cli/model.h"
#include "sdk/cli/progress_bar.h"

namespace penstock::cli {
namespace {

constexpr std::int64_t kEvaluationBatchMax = 1000;

int terminal_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

/// Shows progress: a bar on a terminal, a line now and then elsewhere, or JSON lines.
class Display {
 public:
  Display(bool json, const Clock& clock)
      : json_(json), tty_(isatty(STDOUT_FILENO) != 0), clock_(clock) {}

  void show(const Progress& progress) {
    const bool bar = tty_ && !json_;
    const Instant now = clock_.now();
    const bool last = progress.done == progress.all;
    if (progress.metrics.calls == 0 && !last) return;  // nothing to tell yet
    if (!last && now - shown_ < (bar ? Nanoseconds(100ms) : Nanoseconds(2s))) return;
    shown_ = now;
    if (json_)
      std::cout << render_json(progress) << std::endl;
    else if (!bar)
      std::cout << render_line(progress) << std::endl;
    else
      std::cout << "\r\x1b[K" << render_bar(progress, terminal_columns()) << (last ? "\n" : "")
                << std::flush;
  }

 private:
  const bool json_;
  const bool tty_;
  const Clock& clock_;
  Instant shown_{};
};

Evaluation evaluate(Trainer& trainer, const data::Dataset& test, std::int64_t size) {
  return trainer.evaluate(test.batches(std::min(size, kEvaluationBatchMax), {.shuffle = false}),
                          [](const data::Batch& batch) {
                            return Tensors{{"x", batch.images}, {"y", batch.labels}};
                          });
}

void print_lease(const Lease& lease, const Client& client, bool json) {
  if (json) {
    std::cout << "{\"event\":\"lease\",\"lease\":" << lease.info().lease
              << ",\"devices\":" << lease.info().devices.size()
              << ",\"lane\":" << json_string(std::string(name(lease.lane_kind()))) << "}"
              << std::endl;
    return;
  }
  std::cout << "lease " << lease.info().lease << " of account " << client.account() << ": "
            << lease.info().devices.size() << " devices at "
            << format_money(lease.info().price.per_device_second) << " per device and second, "
            << name(lease.lane_kind()) << " lane" << std::endl;
}

void print_epoch(std::int64_t epoch, const Evaluation& test, Nanoseconds time, bool json) {
  const double accuracy = test.metrics.at("accuracy");
  if (json) {
    std::cout << "{\"event\":\"epoch\",\"epoch\":" << epoch << ",\"test_rows\":" << test.rows
              << ",\"test_loss\":" << test.loss << ",\"test_accuracy\":" << accuracy
              << ",\"time_ns\":" << time.count() << "}" << std::endl;
    return;
  }
  char text[16];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * accuracy);
  std::cout << "epoch " << epoch << ": accuracy " << text << " on " << test.rows
            << " test images, loss " << test.loss << ", after " << format_duration(time)
            << std::endl;
}

void print_bill(const Bill& bill, bool json) {
  if (!json) {
    std::cout << bill;
    return;
  }
  std::cout << "{\"event\":\"bill\",\"total_nanos\":" << bill.total.nanos
            << ",\"currency\":" << json_string(bill.currency)
            << ",\"device_ns\":" << bill.usage.device_time.count()
            << ",\"bytes_in\":" << bill.usage.bytes_in << ",\"bytes_out\":" << bill.usage.bytes_out
            << ",\"steps\":" << bill.usage.steps << "}" << std::endl;
}

void print_first_step(Nanoseconds time, bool json) {
  if (json)
    std::cout << "{\"event\":\"first_step\",\"time_ns\":" << time.count() << "}" << std::endl;
  else
    std::cout << "first step done after " << format_duration(time) << std::endl;
}

void train_epoch(Trainer& trainer, const data::Dataset& train, const TrainArguments& arguments,
                 std::int64_t epoch, Display& display, const std::function<void()>& first_done) {
  const std::int64_t size = arguments.model.batch;
  Progress progress{epoch + 1, arguments.epochs, 0, (train.size() + size - 1) / size, {}};
  // One epoch of the endless order that the seed decides.
  data::Batches batches = train.batches(
      size, {.seed = arguments.model.seed, .epochs = epoch + 1, .position = {epoch, 0}});
  for (const data::Batch& batch : batches) {
    const auto result = trainer.step({{"x", batch.images}, {"y", batch.labels}});
    if (epoch == 0 && progress.done == 0) {  // the only step that is waited for
      result.wait();
      first_done();
    }
    if (++progress.done == progress.all) trainer.finish();
    progress.metrics = trainer.progress();
    display.show(progress);
  }
}

}  // namespace

namespace {

/// All epochs on a lease.
void train_on(Lease& lease, const Model& model, const TrainArguments& arguments, const Clock& clock,
              Instant start, Interrupt& interrupt) {
  Trainer trainer = lease.train(model.loss, {.optimizer = build_optimizer(arguments.model),
                                             .metrics = {{"accuracy", model.accuracy}},
                                             .micro_batches = arguments.model.micro});
  const Interrupt::Action cancel(interrupt, [&trainer] { trainer.cancel(); });
  data::Dataset train = data::fashion_mnist();
  if (arguments.rows > 0) train = train.first(std::min(arguments.rows, train.size()));
  const data::Dataset test = data::fashion_mnist({.split = data::Split::test});
  Display display(arguments.json, clock);
  for (std::int64_t epoch = 0; epoch < arguments.epochs; ++epoch) {
    train_epoch(trainer, train, arguments, epoch, display,
                [&] { print_first_step(clock.now() - start, arguments.json); });
    const Evaluation result = evaluate(trainer, test, arguments.model.batch);
    print_epoch(epoch + 1, result, clock.now() - start, arguments.json);
  }
  if (!arguments.json) std::cout << trainer.metrics();
}

}  // namespace

ExitCode run_train(const TrainArguments& arguments) {
  Interrupt interrupt;  // before the client's threads
  const MonotonicClock clock;
  const Instant start = clock.now();
  const LaneKind lane = value_or_throw(parse_lane_kind(arguments.lane));
  const Model model = build_model(arguments.model);
  Client client = open_client(arguments.connection, arguments.model.devices);
  interrupt.check();
  Lease lease = client.lease({.devices = arguments.model.devices, .lane = lane});
  print_lease(lease, client, arguments.json);
  try {
    train_on(lease, model, arguments, clock, start, interrupt);
  } catch (const Exception&) {
    if (!interrupt.requested()) throw;
    std::cout << (arguments.json ? "{\"event\":\"interrupted\"}" : "\ninterrupted") << std::endl;
    print_bill(lease.release(), arguments.json);
    return ExitCode::interrupted;
  }
  print_bill(lease.bill(), arguments.json);
  return ExitCode::ok;
}

}  // namespace penstock::cli
