-- Why: a handler may want only the newest version of a key (`latest`), sort what arrives close together, or stop a lane at
--      its first failure; and an operator may pause a lane, find what holds one up, and see what is missing from it.
-- Locks taken: access exclusive on each table named below, for the moment it takes to add a column with a constant default, to
--      drop a check, or to replace one on a small configuration table; share on `dead`, `jobs` and `lanes` while each is read
--      once to build a partial index, so recording and settling wait for that long.
-- Safe with the previous release: yes, as long as no handler says `latest`; a gateway of that release would queue its jobs
--      outside lanes. Declare such a handler when every process is of this release.

set local lock_timeout = '2s';

alter table hookgate.handlers drop constraint handlers_ordering_check,
  add constraint handlers_ordering_check check (ordering in ('none', 'lane', 'latest'));
alter table hookgate.subscriptions drop constraint subscriptions_ordering_check,
  add constraint subscriptions_ordering_check check (ordering in ('none', 'lane', 'latest'));

-- The mark is the pair (version, mark_seq) of the newest that was handled. Without a sequence there is none.
alter table hookgate.lanes add column mark_seq bigint;
-- To be paused when its claim ends: a claimed lane has a worker, and a paused one has none.
alter table hookgate.lanes add column pausing boolean not null default false;

-- Due at once for whatever comes, also while it waits for a retry: only the newest counts, and it takes the other's place.
alter table hookgate.lanes add column eager boolean not null default false;

-- Another of the same version was there: which of the two is newer only their arrival tells.
alter table hookgate.jobs add column ambiguous boolean not null default false;
alter table hookgate.attempts add column ambiguous boolean not null default false;

-- The words are those of `Ending` in the code, which is all that writes them. To prove a wider check over every day that is
-- kept would lock them all for as long as it takes to read them.
alter table hookgate.attempts drop constraint attempts_outcome_check;

-- What stopped, what is missing, and what runs outside its lane: few rows each, and none that recording writes.
create index lanes_stopped on hookgate.lanes (lane) where state in ('halted', 'paused');
create index dead_lane on hookgate.dead (lane) where lane is not null;
create index jobs_outside on hookgate.jobs (home) where home is not null;
