-- Why:  a message that waited for the end of quiet hours is sent to people who can still sign in only.
-- Read: users/users.store.ts listActiveByIds, on the connection of a worker
-- Lock: none
grant select (active, display_name) on authority.users to landfall_system;
