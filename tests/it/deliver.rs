//! Delivery as operators see it: retries and dead jobs, lanes that wait or go on, claims, shutdown, lost commits.

mod claims;
mod forwards;
mod forwards_resigned;
mod lanes;
mod lost_commits;
mod plans;
mod races;
mod refusals;
mod rescue;
mod retries;
mod schedules;
mod shutdown;
mod silence;
mod strays;
