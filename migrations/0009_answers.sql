-- Why: a handler may answer its request's sender. Its answer is kept with the delivery, recorded together with the job's
--      end, so that what was relayed is known and a copy of the request is answered alike.
-- Locks taken: none that matter, the table is new.
-- Safe with the previous release: yes, it knows nothing of it.

-- Not partitioned: few handlers answer, and a retry may do so days after the delivery's partitions were made. Rows go with
-- their delivery's day.
create table hookgate.answers (
  retention    text not null,
  delivery     uuid not null,
  event        integer not null,
  subscription integer not null,
  status       smallint not null check (status between 200 and 499),
  headers      bytea not null,                   -- length-prefixed pairs
  body         bytea not null check (octet_length(body) <= 262144),
  answered_at  timestamptz not null default clock_timestamp(),
  primary key (delivery, event, subscription)
);
