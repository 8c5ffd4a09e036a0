//! The promises of the README, a file each.

mod a_2xx_is_durable;
mod a_crash_loses_and_doubles_nothing;
mod a_duplicate_adds_nothing;
mod a_lane_runs_in_received_order;
mod a_later_handler_misses_nothing;
mod a_redelivery_of_dead_work_requeues_it_once;
mod a_refusal_teaches_nothing;
mod another_body_under_a_known_id_is_kept;
mod bytes_in_are_bytes_out;
mod effects_commit_with_completion;
