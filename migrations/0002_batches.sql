-- Why: of several events in one request, a handler that takes requests whole gets one job for those that are new, and a
--      delivery says which of its events are its own to run.
-- Locks taken: access exclusive on each of these tables, for the moment it takes to add a nullable column.
-- Safe with the previous release: yes, it neither reads nor writes the columns. Its jobs stand for one event each.

set local lock_timeout = '2s';

-- The events that one job stands for; null: the one in `event`, which is the first of them otherwise.
alter table hookgate.jobs add column elements integer[];
alter table hookgate.dead add column elements integer[];
alter table hookgate.attempts add column elements integer[];

-- The events that stand for themselves here: new when they came, or in conflict with what came before. The others are
-- copies of another delivery's, and run there. Null: all of them.
alter table hookgate.deliveries add column own integer[];
