-- Why: some providers choose the secret themselves and send it in a handshake. It is kept sealed, and taken only in a
--      window that an operator opens.
-- Locks taken: none that matter, every object is new.
-- Safe with the previous release: yes, it knows nothing of them; a delivery verified with such a secret has a number in
--      `secret` that it only shows.

-- At most one a source: the last that was opened. It takes one secret, and is used up then.
create table hookgate.pairing_windows (
  source    integer primary key references hookgate.sources,
  opened_at timestamptz not null,
  opened_by text not null,
  closes_at timestamptz not null,
  secret    smallint,                            -- the number of the secret it took
  check (closes_at > opened_at)
);

-- `deliveries.secret` names them by number: from 100, so that they are not taken for places in the configuration, and
-- never given out twice, so a forgotten one keeps its row.
create table hookgate.paired_secrets (
  source       integer not null references hookgate.sources,
  number       smallint not null check (number >= 100),
  key_id       bytea not null check (octet_length(key_id) = 8),
  sealed       bytea,                            -- nonce, ciphertext and tag; XChaCha20-Poly1305
  paired_at    timestamptz not null,
  opened_by    text not null,
  forgotten_at timestamptz,
  primary key (source, number),
  check ((sealed is null) = (forgotten_at is not null))
);
