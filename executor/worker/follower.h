#pragma once

#include <memory>

#include "executor/worker/communicate_thread.h"
#include "executor/worker/compute_thread.h"
#include "executor/worker/rank_programs.h"

namespace penstock::executor {

/// Ranks above 0: what the leader commands goes to the compute thread, and its completion back.
/// The references must outlive the mesh.
CommunicateThread::Handlers follow_leader(CommunicateThread& communicate, ComputeThread& compute,
                                          RankPrograms& programs);

}  // namespace penstock::executor
