#pragma once

/// Everything of the SDK. Applications say `namespace ps = penstock;`.

#include "penstock/attempt.h"
#include "penstock/client.h"
#include "penstock/data.h"
#include "penstock/error.h"
#include "penstock/executable.h"
#include "penstock/future.h"
#include "penstock/indexing.h"
#include "penstock/lease.h"
#include "penstock/maths.h"
#include "penstock/nn.h"
#include "penstock/ops.h"
#include "penstock/optimizer.h"
#include "penstock/program.h"
#include "penstock/report.h"
#include "penstock/tensor.h"
#include "penstock/tokenizer.h"
#include "penstock/trainer.h"
#include "penstock/transformer.h"
#include "penstock/types.h"
#include "penstock/weights.h"
