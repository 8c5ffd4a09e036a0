-- The first schema: configuration as rows, receipts, partitioned deliveries and attempts, jobs, lanes, dead.
-- Locks taken: none that matter, every object is new.
-- Safe with the previous release: there is none.
--
-- Every name is qualified, so the search_path of whoever runs this does not matter.
-- Times are the database's (`now()`, `clock_timestamp()`), never a client's.

-- ── Configuration as data ────────────────────────────────────────────────────────────────────────
-- T1 fans out from `subscriptions` alone, so a gateway makes jobs for handlers it does not contain.

create table hookgate.registry (
  one         boolean primary key default true check (one),
  generation  bigint not null                    -- raised by every change below; T1 is conditional on it
);
insert into hookgate.registry (generation) values (1);

create table hookgate.sources (
  id          integer generated always as identity primary key,
  name        text not null unique,
  provider    text not null,
  tenant      text,
  retention   text not null default 'standard' check (retention in ('short', 'standard', 'long')),
  on_conflict text not null default 'park' check (on_conflict in ('park', 'process')),
  release     bigint not null
);

create table hookgate.handlers (
  id          integer generated always as identity primary key,
  name        text not null unique,
  kind        text not null check (kind in ('rust', 'forward')),
  sources     text not null,                     -- a source name or glob; subscriptions are made from it
  patterns    text[] not null,
  ordering    text not null check (ordering in ('none', 'lane')),
  release     bigint not null,
  retired_at  timestamptz
);

create table hookgate.subscriptions (
  id          integer generated always as identity primary key,
  source      integer not null references hookgate.sources,
  handler     integer not null references hookgate.handlers,
  patterns    text[] not null,
  ordering    text not null check (ordering in ('none', 'lane')),
  class       smallint not null default 0,
  paused      boolean not null default false,
  active      boolean not null default true,
  unique (source, handler)
);

create table hookgate.workers (
  id            uuid primary key,                -- fresh per process start: a claim by a dead process can never be mistaken
  started_at    timestamptz not null default now(),
  heartbeat_at  timestamptz not null default now(),
  host          text not null,
  release       bigint not null,
  config_hash   text not null,
  handlers      text[] not null,
  stopping      boolean not null default false
);

-- ── Receipts: the dedup record ───────────────────────────────────────────────────────────────────
-- Insert-only and narrow: it outlives the payload, and its primary key is the one index a duplicate touches.

create table hookgate.receipts (
  source      integer not null,
  key         bytea not null check (octet_length(key) = 16),
  delivery    uuid not null,
  event       integer not null,
  fingerprint bytea not null check (octet_length(fingerprint) = 16),
  primary key (source, key)
);

-- The same id with another body. The primary key makes each differing body count once.
create table hookgate.conflicts (
  source      integer not null,
  key         bytea not null,
  fingerprint bytea not null,
  delivery    uuid not null,
  event       integer not null,
  primary key (source, key, fingerprint)
);

-- ── Deliveries and what hangs on them: LIST (retention) → RANGE (id, a day) ───────────────────────
-- A UUIDv7 begins with its milliseconds, so a day is a range of ids and retention is DROP TABLE.
-- No DEFAULT partition: it would have to be scanned, under lock, whenever a day is added.

create table hookgate.deliveries (
  retention     text not null,
  id            uuid not null,
  source        integer not null,
  received_at   timestamptz not null,
  method        text not null,
  target        text not null,                   -- path and query as received
  headers       bytea not null,                  -- length-prefixed pairs as received
  body          bytea not null,
  content_type  text,
  secret        smallint not null,               -- which live secret matched
  provider_id   text,                            -- readable copy; the receipt's key is a hash of the exact bytes
  event_type    text,
  ordering_key  text,
  version       bigint,
  events        integer not null default 1,
  batch         jsonb,                           -- several events in one request: what each of them is
  no_dedup      boolean not null default false,
  conflict_with uuid,                            -- the delivery whose id this one reused with another body
  primary key (id, retention)                    -- the id first: everyone asks by it alone
) partition by list (retention);

create table hookgate.copies (
  retention   text not null,
  delivery    uuid not null,
  event       integer not null,
  received_at timestamptz not null default clock_timestamp(),
  act         text not null check (act in ('noted', 'requeued', 'hastened')),
  gateway     uuid
) partition by list (retention);

create table hookgate.attempts (
  retention    text not null,
  delivery     uuid not null,
  event        integer not null,
  subscription integer not null,
  run          integer not null,
  attempt      integer not null,
  seq          bigint,                           -- its place in its lane, so that a replay finds it again
  outcome      text not null check (outcome in
                 ('ok', 'failed', 'permanent', 'timeout', 'panic', 'snoozed', 'lost', 'cancelled')),
  started_at   timestamptz not null,
  ended_at     timestamptz not null,
  status       smallint,                         -- the HTTP status, for a forward
  error        text,
  worker       uuid,
  out_of_order boolean not null default false,
  primary key (delivery, event, subscription, run, attempt, retention)
) partition by list (retention);

do $$
declare class text; parent text;
begin
  foreach parent in array array['deliveries', 'copies', 'attempts'] loop
    foreach class in array array['short', 'standard', 'long'] loop
      execute format('create table hookgate.%I partition of hookgate.%I for values in (%L) partition by range (%I)',
        parent || '_' || class, parent, class, case parent when 'deliveries' then 'id' else 'delivery' end);
    end loop;
  end loop;
end $$;
create index on hookgate.copies (delivery);

-- lz4 inserts several times faster than pglz; servers built without it keep their default.
do $$
begin
  alter table hookgate.deliveries alter column body set compression lz4;
exception when feature_not_supported or invalid_parameter_value or syntax_error then
  raise notice 'this server has no lz4: bodies use the default compression';
end $$;

-- ── Work ─────────────────────────────────────────────────────────────────────────────────────────
-- Only unfinished work is here; a finished job is its last `attempts` row.

create table hookgate.jobs (
  delivery      uuid not null,
  event         integer not null,
  subscription  integer not null,
  run           integer not null,                -- 0 is live, others are replays
  retention     text not null,
  class         smallint not null,               -- 0 live, 1 retry, 2 replay
  state         text not null default 'ready' check (state in ('ready', 'running', 'waiting', 'held')),
  lane          bytea,
  seq           bigint,                          -- received order within the lane; kept when the job leaves it
  home          bytea,                           -- the lane it left to retry outside, where a redrive takes it back to
  due           timestamptz not null default now(),
  worker        uuid,                            -- the claim token of an unordered job; an ordered one's is its lane's
  claim         bigint,
  attempt       integer not null default 0,      -- rises whenever a handler starts: unique, shown, sent; fences nothing
  failures      integer not null default 0,      -- the retry budget
  rescues       integer not null default 0,
  failing_since timestamptz,                     -- since when this job has been its lane's failing head
  snoozed_until timestamptz,
  snoozed_ms    bigint not null default 0,
  started_at    timestamptz,
  out_of_order  boolean not null default false,
  version       bigint,
  primary key (delivery, event, subscription, run),
  check ((worker is null) = (claim is null)),
  check (lane is null or (worker is null and seq is not null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

create index jobs_lane on hookgate.jobs (lane, seq, run) where lane is not null;
-- `state` is in no index, so starting and ending an ordered attempt stays a heap-only update.
create index jobs_due on hookgate.jobs (subscription, class, due) where lane is null;
-- Only those that stand aside are in it, so a crowded lane finds them without being read through.
create index jobs_aside on hookgate.jobs (lane) where snoozed_until is not null;
create index jobs_claimed on hookgate.jobs (worker) where worker is not null;

create table hookgate.lanes (
  lane          bytea primary key check (octet_length(lane) = 16),
  subscription  integer not null,
  label         text not null,                   -- the ordering key, readable
  state         text not null check (state in ('idle', 'ready', 'claimed', 'halted', 'paused')),
  class         smallint not null,
  pending       integer not null check (pending >= 0),
  next_seq      bigint not null,
  due           timestamptz not null,
  worker        uuid,
  claim         bigint,
  snoozed       integer not null default 0,      -- how many of its jobs stepped aside
  done_seq      bigint not null default 0,       -- the highest sequence that ended: what makes a later one out of order
  version       bigint,                          -- high-water mark for order = latest
  touched_at    timestamptz not null default now(),
  check ((state = 'claimed') = (worker is not null)),
  check ((worker is null) = (claim is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

create index lanes_ready on hookgate.lanes (subscription, class, due) where state = 'ready';
create index lanes_claimed on hookgate.lanes (worker) where worker is not null;

-- A row here is the ticket for a redrive: whoever deletes it queues the job again, once.
create table hookgate.dead (
  delivery      uuid not null,
  event         integer not null,
  subscription  integer not null,
  run           integer not null,
  retention     text not null,
  lane          bytea,
  lane_label    text,
  seq           bigint,
  version       bigint,
  attempt       integer not null,
  reason        text not null check (reason in
                  ('exhausted', 'permanent', 'poison', 'transaction_escaped', 'undecodable', 'cancelled')),
  error         text,
  died_at       timestamptz not null default now(),
  primary key (delivery, event, subscription, run)
);
create index dead_recent on hookgate.dead (died_at);

-- ── Replays and the audit trail ──────────────────────────────────────────────────────────────────

create table hookgate.replays (
  run        integer generated always as identity primary key,
  asked_at   timestamptz not null default now(),
  asked_by   text not null,
  delivery   uuid not null,
  handlers   text[] not null,
  forced     boolean not null
);
create index on hookgate.replays (delivery);

create table hookgate.audit (
  id      bigint generated always as identity primary key,
  at      timestamptz not null default now(),
  actor   text not null,
  action  text not null,
  object  text not null,
  detail  jsonb not null default '{}'
);
