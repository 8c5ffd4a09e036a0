-- Why: operators pause everything, a source, a handler or a handler on a source; they see which handlers nobody serves, and
--      hand the jobs of one handler to another.
-- Locks taken: access exclusive on the configuration tables and on `dead`, for the moment it takes to add nullable columns
--      and columns with a constant default.
-- Safe with the previous release: yes. It claims by `subscriptions.paused` and reads none of the others. A subscription that
--      it makes while its source or handler is paused runs until the next declaration or pause of this release.

set local lock_timeout = '2s';

-- Raised by every pause and resume: tells workers to look again, and does not make T1 plan again as the generation does.
alter table hookgate.registry add column pauses bigint not null default 0;

-- Who paused what, each at its own place. `subscriptions.paused` is what comes of all of them: the one thing a claim reads.
alter table hookgate.registry add column paused_at timestamptz, add column paused_by text, add column paused_reason text;
alter table hookgate.sources add column paused_at timestamptz, add column paused_by text, add column paused_reason text;
alter table hookgate.handlers add column paused_at timestamptz, add column paused_by text, add column paused_reason text;
alter table hookgate.subscriptions add column paused_at timestamptz, add column paused_by text, add column paused_reason text;
update hookgate.subscriptions set paused_at = now(), paused_by = 'an earlier release' where paused;

-- Since when no live worker contains the handler, and whether the log said so.
alter table hookgate.handlers add column unserved_since timestamptz, add column unserved_told boolean not null default false;

-- The handler that a job was handed over to. It is over for the one that had it: nothing revives it here.
alter table hookgate.dead add column redriven_to text;
