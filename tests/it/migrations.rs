//! The schema that all migrations make together, committed as text: what a migration changes shows in review.

use std::path::Path;

use crate::support::postgres::database;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/schema.golden");

/// Read from the catalog, not by pg_dump, whose text differs from version to version. Days are left out: they are made
/// around today.
const SCHEMA: &str = r#"
with object as (
    select c.oid, c.relname, c.relkind, c.relpartbound,
           (select p.relname from pg_inherits i join pg_class p on p.oid = i.inhparent where i.inhrelid = c.oid) as parent,
           array_to_string(c.reloptions, ', ') as options
      from pg_class c
     where c.relnamespace = 'hookgate'::regnamespace and c.relkind in ('r', 'p')
       and c.relname !~ '_[0-9]{8}$' and c.relname <> 'migrations'
), line as (
    select relname, 0 as part, '' as name,
           'table ' || relname
           || coalesce(' of ' || parent || ' ' || pg_get_expr(relpartbound, oid), '')
           || coalesce(' partition by ' || pg_get_partkeydef(oid), '') || coalesce(' with (' || options || ')', '') as text
      from object
     union all
    select o.relname, 1, lpad(a.attnum::text, 4, '0'),
           '  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
           || case when a.attnotnull then ' not null' else '' end
           || case when a.attidentity <> '' then ' identity' else '' end
           || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
      from object o join pg_attribute a on a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = o.oid and d.adnum = a.attnum
     where o.parent is null
     union all
    -- Postgres 18 keeps NOT NULL here too; the column says it already.
    select o.relname, 2, n.conname, '  constraint ' || n.conname || ' ' || pg_get_constraintdef(n.oid)
      from object o join pg_constraint n on n.conrelid = o.oid and n.contype <> 'n'
     where o.parent is null
     union all
    select o.relname, 3, i.indexrelid::regclass::text, '  ' || pg_get_indexdef(i.indexrelid)
      from object o join pg_index i on i.indrelid = o.oid
     where o.parent is null and not exists (select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u'))
     union all
    select o.relname, 4, t.tgname, '  ' || pg_get_triggerdef(t.oid)
      from object o join pg_trigger t on t.tgrelid = o.oid and not t.tgisinternal
     union all
    select '~' || p.proname, 5, '', 'function ' || p.oid::regprocedure
      from pg_proc p where p.pronamespace = 'hookgate'::regnamespace
)
select string_agg(case part when 0 then E'\n' else '' end || text, E'\n' order by relname collate "C", part, name collate "C")
  from line"#;

#[tokio::test]
async fn the_migrations_make_the_schema_that_is_committed() {
    let pool = database().await.pool().await;
    let schema: String = sqlx::query_scalar(SCHEMA).fetch_one(&pool).await.expect("the schema");
    let schema = format!(
        "What all migrations make together, by the catalog. Renewed with\n    HOOKGATE_RENEW=1 cargo test --test it migrations::\n{schema}\n"
    );
    if std::env::var_os("HOOKGATE_RENEW").is_some() {
        std::fs::write(FILE, &schema).expect("write the schema");
    }
    let committed = std::fs::read_to_string(Path::new(FILE)).unwrap_or_default();
    let differs = schema.lines().zip(committed.lines()).find(|(made, kept)| made != kept);
    assert!(
        schema == committed,
        "migrations/schema.golden is stale, first at {differs:?}: renew it with\n    HOOKGATE_RENEW=1 cargo test --test it migrations::"
    );
}
