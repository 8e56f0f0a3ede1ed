-- Why:  a push during a poll may be missed by that poll, whose end then set the next one an interval later. The time for
--       which a poll was asked meanwhile is kept, and the end of the poll heeds it. The beginning of a poll clears it.
-- Read: deciding/sources/sources.store.ts
-- Lock: release_sources against everything, for no longer than a catalogue change
alter table orchestrator.release_sources add column asked_at timestamptz;
grant update (asked_at) on orchestrator.release_sources to landfall_system;
