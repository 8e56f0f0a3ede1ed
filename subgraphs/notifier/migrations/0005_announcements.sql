-- Why:  tenants are told once of each interface that ends.
-- Read: platform/deprecations.store.ts
-- Lock: none, the table is new
create table notify.announcements (
  tenant text not null,
  -- Method and path: `GET /api/v1/notify/deliveries`.
  api text not null,
  announced_at timestamptz not null default kernel.now(),
  primary key (tenant, api)
);
alter table notify.announcements enable row level security;
create policy tenant on notify.announcements to landfall_app using (tenant = kernel.tenant());
create policy work on notify.announcements to landfall_system using (true);
grant select, insert on notify.announcements to landfall_system;
