-- Why: sources share a handler's places by weight, a handler's starts are bounded by a bucket of tokens, and a destination
--      that is down is left alone by every gateway at once: each needs a row that all of them see.
-- Locks taken: access exclusive on `sources`, for the moment it takes to add a column with a constant default to a handful of
--      rows. The other objects are new.
-- Safe with the previous release: yes, it knows nothing of them. While both run, it gives every source the same weight and
--      starts jobs of a limited handler or a broken destination that this one holds back.

set local lock_timeout = '2s';

alter table hookgate.sources add column weight smallint not null default 1 check (weight between 1 and 100);

-- One row a handler that has a rate, made by its first claim. Rewritten by every claim that starts something of it.
create table hookgate.buckets (
  handler   text primary key,
  tokens    double precision not null,           -- as of `filled_at`; what came since is reckoned by whoever looks
  filled_at timestamptz not null
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);

-- One row a destination or dependency that ever failed. No row: closed.
create table hookgate.breakers (
  name           text primary key check (octet_length(name) between 1 and 255),
  state          text not null check (state in ('closed', 'open', 'half_open')),
  failures       integer not null default 0,     -- in a row, while closed
  counting_since timestamptz,                    -- when the first of them was
  openings       integer not null default 0,     -- since it was closed last: the time it stays open grows with them
  opened_at      timestamptz,
  open_until     timestamptz,
  closed_at      timestamptz,
  probe_worker   uuid,                           -- whose claim may try it
  probe_claim    bigint,
  probe_until    timestamptz,                    -- when that claim is taken for lost
  check (state = 'closed' or open_until is not null),
  check ((probe_worker is null) = (probe_claim is null)),
  check ((probe_worker is null) = (probe_until is null))
);
