-- Why:  a turn of the key ring and the event that tells of it are one transaction, of the role that has the ring.
-- Read: events/write.ts, by the authority's keys/signing-keys.ts
-- Lock: none; a policy is added
create policy key_ring on kernel.events for insert to landfall_system with check (entity = 'SigningKey');
