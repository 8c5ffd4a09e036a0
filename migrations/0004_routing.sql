-- Why: how events find their way into a handler's jobs (which key orders them, what they must fulfil) is decided by whoever
--      records them, which may not contain the handler. It is kept with the handler's row.
-- Locks taken: access exclusive on the two configuration tables, for the moment it takes to add a column with a constant
--      default and to replace a check.
-- Safe with the previous release: yes, it neither reads nor writes the column, and goes by patterns and order alone.

set local lock_timeout = '2s';

alter table hookgate.handlers add column routing jsonb not null default '{}';
alter table hookgate.subscriptions add column routing jsonb not null default '{}';
