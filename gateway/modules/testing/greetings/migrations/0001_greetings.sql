-- Why:  names that tenants are greeted by.
-- Read: ../greetings.ts
-- Lock: none; first migration
create schema greetings;
grant usage on schema greetings to landfall_app;

create table greetings.names (
  tenant text primary key,
  name text not null
);
alter table greetings.names enable row level security;
create policy tenant on greetings.names to landfall_app using (tenant = kernel.tenant());
grant select, insert on greetings.names to landfall_app;
