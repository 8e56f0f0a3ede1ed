-- Why:  a tenant without an anchor has a latest time too, below which no clock that is set back counts.
-- Read: time/clocks.store.ts
-- Lock: none
grant insert on airgap.clocks to landfall_system;
