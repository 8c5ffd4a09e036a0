-- Why: an event that a handler's condition kept it from makes no job, and is to be seen and replayed all the same: its
--      delivery says whom it was kept from. No row and no index entry of its own, so it costs ingest nothing.
-- Locks taken: access exclusive on deliveries and its partitions, for the moment it takes to add a nullable column.
-- Safe with the previous release: yes, it neither reads nor writes the column. It knows no conditions either: until every
--      gateway is of this release, those of the previous one make jobs for what the handler's condition would keep back.

set local lock_timeout = '2s';

-- The subscriptions that wanted an event of the delivery by its type and did not get it for a condition. Null: none. Of a
-- batch, `batch` says of each event which, as `filtered`.
alter table hookgate.deliveries add column filtered integer[];
