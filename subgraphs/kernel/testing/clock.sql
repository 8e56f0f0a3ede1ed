-- Test databases only: time stands still until a test moves it.
create table kernel.test_clock (at timestamptz not null);
insert into kernel.test_clock values ('2026-01-15T09:00:00Z');
grant select on kernel.test_clock to landfall_app, landfall_system;
create or replace function kernel.now() returns timestamptz
  language sql stable parallel safe
  return (select at from kernel.test_clock);
