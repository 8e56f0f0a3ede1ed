-- Why:  controllers of clients were filled from recorded events, the installation's own set-up among them. Set-up would be
--       behind every client that it registered, and behind each person's token that the console holds; the approval rule
--       now asks who is behind that client, too.
-- Read: kernel/client-controllers.ts
-- Lock: a few rows of kernel.client_controllers
delete from kernel.client_controllers c
where c.subject = 'bootstrap'
  or exists (select from authority.clients a
    where a.tenant = c.tenant and a.id::text = c.client_id and a.serves_every_tenant);
