//! One file a promise of the README.

mod a_crash_loses_and_doubles_nothing;
mod a_lane_runs_in_received_order;
mod effects_commit_with_completion;
