#include "executor/runtime/cpu/convolutions.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "executor/compiler/executable.h"

namespace penstock::runtime::cpu {
namespace {

using dnnl::memory;

std::int64_t aligned(std::size_t bytes) {
  return (static_cast<std::int64_t>(bytes) + compiler::kOperandAlignment - 1) /
         compiler::kOperandAlignment * compiler::kOperandAlignment;
}

struct ShapeHash {
  std::size_t operator()(const ConvolutionShape& shape) const {
    const Windows& w = shape.windows;
    std::size_t hash = static_cast<std::size_t>(shape.kind);
    for (std::int64_t n : {w.images, w.height, w.width, w.channels, shape.filters, w.window_height,
                           w.window_width, w.stride_down, w.stride_across, w.top, w.left}) {
      hash = hash * 1000003 + static_cast<std::size_t>(n);
    }
    return hash;
  }
};

/// A convolution ready to run. The filter in oneDNN's own layout lies at the start of the scratch,
/// oneDNN's scratchpad behind it.
struct Prepared {
  dnnl::primitive convolution;
  std::optional<dnnl::reorder> reorder;  // of the filter: before the forward and input gradient
                                         // passes, after the filter gradient
  memory::desc images, results, filter_user, filter_own, scratchpad;
  std::int64_t filter_bytes = 0;  // 0 where the filter is used as it is
  std::int64_t scratch_bytes = 0;
};

struct Descs {
  memory::desc images, results, filter_any, filter_user;
  memory::dims strides, padding_begin, padding_end;
};

Descs describe(const ConvolutionShape& shape) {
  const Windows& w = shape.windows;
  const auto f32 = memory::data_type::f32;
  const memory::dims filter = {shape.filters, w.channels, w.window_height, w.window_width};
  Descs d;
  d.images = {{w.images, w.channels, w.height, w.width}, f32, memory::format_tag::nhwc};
  d.results = {{w.images, shape.filters, w.out_height, w.out_width}, f32, memory::format_tag::nhwc};
  d.filter_any = {filter, f32, memory::format_tag::any};
  d.filter_user = {filter, f32, memory::format_tag::hwio};
  d.strides = {w.stride_down, w.stride_across};
  d.padding_begin = {w.top, w.left};
  d.padding_end = {w.bottom, w.right};
  return d;
}

bool is_slow(std::string_view implementation) {
  return implementation.find("ref") != std::string_view::npos;
}

template <class PrimitiveDesc, class Primitive>
std::optional<Prepared> prepare(const Descs& d, const PrimitiveDesc& desc,
                                const memory::desc& filter, bool filter_is_result,
                                const dnnl::engine& engine) {
  if (is_slow(desc.impl_info_str())) return std::nullopt;
  Prepared p;
  p.convolution = Primitive(desc);
  p.images = d.images;
  p.results = d.results;
  p.filter_user = d.filter_user;
  p.filter_own = filter;
  p.scratchpad = desc.scratchpad_desc();
  if (filter != d.filter_user) {
    const memory::desc& from = filter_is_result ? filter : d.filter_user;
    const memory::desc& to = filter_is_result ? d.filter_user : filter;
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc reorder(engine, from, engine, to, attributes);
    if (reorder.scratchpad_desc().get_size() > p.scratchpad.get_size()) {
      p.scratchpad = reorder.scratchpad_desc();
    }
    p.reorder.emplace(reorder);
    p.filter_bytes = aligned(filter.get_size());
  }
  p.scratch_bytes = p.filter_bytes + aligned(p.scratchpad.get_size());
  return p;
}

std::optional<Prepared> make(const ConvolutionShape& shape, const dnnl::engine& engine) {
  const Descs d = describe(shape);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, d.images,
       d.filter_any, d.results, d.strides, d.padding_begin, d.padding_end},
      attributes, engine);
  switch (shape.kind) {
    case ConvolveKind::forward:
      return prepare<dnnl::convolution_forward::primitive_desc, dnnl::convolution_forward>(
          d, forward, forward.weights_desc(), false, engine);
    case ConvolveKind::input_gradient: {
      const dnnl::convolution_backward_data::primitive_desc backward(
          {dnnl::algorithm::convolution_direct, d.images, d.filter_any, d.results, d.strides,
           d.padding_begin, d.padding_end},
          attributes, engine, forward);
      return prepare<dnnl::convolution_backward_data::primitive_desc,
                     dnnl::convolution_backward_data>(d, backward, backward.weights_desc(), false,
                                                      engine);
    }
    case ConvolveKind::filter_gradient: {
      const dnnl::convolution_backward_weights::primitive_desc backward(
          {dnnl::algorithm::convolution_direct, d.images, d.filter_any, d.results, d.strides,
           d.padding_begin, d.padding_end},
          attributes, engine, forward);
      return prepare<dnnl::convolution_backward_weights::primitive_desc,
                     dnnl::convolution_backward_weights>(d, backward, backward.diff_weights_desc(),
                                                         true, engine);
    }
  }
  return std::nullopt;
}

}  // namespace

struct Convolutions::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::unordered_map<ConvolutionShape, std::optional<Prepared>, ShapeHash> cache;

  const std::optional<Prepared>& get(const ConvolutionShape& shape) {
    const auto found = cache.find(shape);
    if (found != cache.end()) return found->second;
    if (cache.size() >= kMaxCached) cache.clear();
    std::optional<Prepared> prepared;
    try {
      prepared = make(shape, engine);
    } catch (const dnnl::error&) {
      // No implementation of this shape: the caller computes by patches.
    }
    return cache.emplace(shape, std::move(prepared)).first->second;
  }
};

Convolutions::Convolutions() : state_(std::make_unique<State>()) {}
Convolutions::~Convolutions() = default;

std::int64_t Convolutions::scratch(const ConvolutionShape& shape) {
  const std::optional<Prepared>& prepared = state_->get(shape);
  return prepared.has_value() ? prepared->scratch_bytes : 0;
}

bool Convolutions::run(const ConvolutionShape& shape, const ConvolutionData<float>& data,
                       std::span<std::byte> scratch) {
  const std::optional<Prepared>& prepared = state_->get(shape);
  if (!prepared.has_value()) return false;
  if (prepared->scratch_bytes > static_cast<std::int64_t>(scratch.size())) return false;

  const dnnl::engine& engine = state_->engine;
  const memory images(prepared->images, engine, data.images);
  const memory results(prepared->results, engine, data.results);
  const memory filter_user(prepared->filter_user, engine, data.filter);
  void* const own = prepared->filter_bytes > 0 ? static_cast<void*>(scratch.data()) : data.filter;
  const memory filter(prepared->filter_own, engine, own);
  const memory scratchpad(prepared->scratchpad, engine, scratch.data() + prepared->filter_bytes);

  const auto reorder = [&](const memory& from, const memory& to) {
    if (!prepared->reorder.has_value()) return;
    prepared->reorder->execute(
        state_->stream,
        {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {DNNL_ARG_SCRATCHPAD, scratchpad}});
  };
  const auto convolve = [&](int images_role, int filter_role, int results_role) {
    prepared->convolution.execute(state_->stream, {{images_role, images},
                                                   {filter_role, filter},
                                                   {results_role, results},
                                                   {DNNL_ARG_SCRATCHPAD, scratchpad}});
  };
  switch (shape.kind) {
    case ConvolveKind::forward:
      reorder(filter_user, filter);
      convolve(DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST);
      break;
    case ConvolveKind::input_gradient:
      reorder(filter_user, filter);
      convolve(DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST);
      break;
    case ConvolveKind::filter_gradient:
      convolve(DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST);
      reorder(filter, filter_user);
      break;
  }
  state_->stream.wait();
  return true;
}

}  // namespace penstock::runtime::cpu
