/** Entities whose changes are reported while bundles come and go. */
export const SYNC_ENTITIES = ['SyncBundle', 'SyncJob', 'SyncConflict', 'SyncSite'];
